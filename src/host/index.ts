export type { Exit, Output, ProcessOptions, RunningProcess, Spawn } from "./process.ts";
