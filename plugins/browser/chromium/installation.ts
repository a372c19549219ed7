import { access, constants } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";

type Environment = Readonly<Record<string, string | undefined>>;

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const usualPlaces = [
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Where the browser may be, in this order: `$CHROME`, the PATH, the usual places. */
export function executables(environment: Environment): readonly string[] {
  const folders = (environment["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  const named = [environment["CHROME"], environment["CHROME_BIN"]].filter((one) => one !== undefined && one !== "");
  return [
    ...(named as string[]),
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...usualPlaces,
  ];
}

/** The first that is there and may be run. */
export async function findExecutable(candidates: readonly string[]): Promise<string | undefined> {
  for (const path of candidates) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

/** What drives the browser. */
export type Playwright = Pick<typeof import("playwright-core"), "chromium">;

/** Loads playwright-core: beside the program, else from the home's `node_modules`; undefined where it is in neither. */
export async function findPlaywright(home: string): Promise<Playwright | undefined> {
  for (const from of [import.meta.url, join(home, "package.json")]) {
    const path = resolved(from);
    if (path === undefined) continue;
    const { default: all, chromium } = (await import(pathToFileURL(path).href)) as Playwright & {
      readonly default?: Playwright;
    };
    return chromium === undefined ? all : { chromium };
  }
  return undefined;
}

function resolved(from: string): string | undefined {
  try {
    return createRequire(from).resolve("playwright-core");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
