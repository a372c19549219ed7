import { openDoors } from "./doors.ts";

// Given to Node with --import: a plugin's own tests may import the doors without installing them.
openDoors();
