export { after, every, now, sleep, ticks } from "./clock.ts";
export {
  type ChildEnvironmentOptions,
  childEnvironment,
  type Environment,
  environment,
  findProgram,
  hermesShim,
  isSwitchedOn,
  isTruthy,
  variable,
} from "./environment.ts";
export { fileError, HostError, type HostErrorCode, isHostError, systemCode } from "./error.ts";
export {
  appendLine,
  type Entry,
  type EntryKind,
  ensureDirectory,
  exists,
  type FileFacts,
  fileFacts,
  list,
  mayWrite,
  type ReadLimits,
  readBytes,
  readStart,
  readText,
  readTextIfExists,
  remove,
  type WriteOptions,
  writeAtomic,
  writeTarget,
} from "./files.ts";
export { sessionId, uuid } from "./ids.ts";
export { appendText, type LineFile, mendLineFile } from "./line-file.ts";
export { type Lock, type LockHolder, tryLock, withLock } from "./lock.ts";
export { displayPath, isInside, resolvePath, userHome } from "./paths.ts";
export type { Exit, Output, ProcessOptions, RunningProcess, Spawn } from "./process.ts";
export { isAlive, ownIdentity, type ProcessIdentity } from "./process-identity.ts";
export {
  exitNow,
  onSignal,
  onUncaught,
  programArguments,
  setExitStatus,
  signalStatus,
  workingFolder,
} from "./program.ts";
export { spawn } from "./spawn.ts";
export { type LineEditor, type LineOptions, type Terminal, terminal } from "./terminal.ts";
export { encodeText, type LineEnding, lineEndingOf, type TextEncoding, type TextFile } from "./text-encoding.ts";
