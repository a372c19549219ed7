import { join } from "node:path";

/** In a home: which plugins shall be loaded anew by the programs that run, and since when. */
export const reloadFile = (home: string): string => join(home, "plugins-reload.json");
