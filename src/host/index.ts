export { type BriefProcess, startBriefly, startInSession } from "./brief.ts";
export { after, every, now, sleep, ticks, turnOfOthers } from "./clock.ts";
export { type DotenvFile, readDotenv } from "./dotenv.ts";
export { setDotenv } from "./dotenv-edit.ts";
export {
  type ChildEnvironmentOptions,
  childEnvironment,
  type Environment,
  environment,
  findProgram,
  hermesShim,
  isSwitchedOn,
  isTruthy,
  setVariable,
  variable,
} from "./environment.ts";
export { HostError, type HostErrorCode, hostErrorCodes, isHostError } from "./error.ts";
export { type Entry, type EntryKind, exists, existsNow, type FileFacts, fileFacts, list } from "./file-facts.ts";
export {
  appendLine,
  ensureDirectory,
  makeExecutable,
  mayWrite,
  type ReadLimits,
  readBytes,
  readStart,
  readText,
  readTextIfExists,
  remove,
  removeTree,
  textNow,
  type WriteOptions,
  writeAtomic,
} from "./files.ts";
export { type FolderWatch, folderWatch } from "./folder-watch.ts";
export { type GuardedGet, type GuardedPage, guardedGet } from "./guarded-get.ts";
export { type GuardedAnswer, type GuardedPost, guardedPost } from "./guarded-post.ts";
export { type AddressGuard, guardedTarget, type HostAddress } from "./guarded-target.ts";
export { type HttpOptions, http } from "./http.ts";
export { sessionId, uuid } from "./ids.ts";
export { type LineChannel, type LineChannelOptions, startLineChannel } from "./line-channel.ts";
export { type LineChannelEnd, lineChannelEnd } from "./line-channel-end.ts";
export type { LineEditor, LineOptions } from "./line-editor.ts";
export { appendText, type LineFile, mendLineFile } from "./line-file.ts";
export { isTimeZone, localClock, localDate, localTime, useTimeZone } from "./local-time.ts";
export { type Lock, type LockHolder, withLock } from "./lock.ts";
export { type Log, type LogFields, type LogLevel, type LogOptions, log, logLevel } from "./log.ts";
export { type LogReading, type LogRecord, readLog } from "./log-reader.ts";
export { displayPath, isInside, resolvePath, userHome } from "./paths.ts";
export { plainResponse, type ResponseFacts } from "./plain-response.ts";
export type { Exit, Output, ProcessOptions, RunningProcess, Spawn } from "./process.ts";
export { isAlive, ownIdentity, type ProcessIdentity } from "./process-identity.ts";
export {
  launchCommand,
  leave,
  machineName,
  nativePart,
  nodeVersion,
  onSignal,
  programArguments,
  runInTerminal,
  setExitStatus,
  signalStatus,
  tellError,
  workingFolder,
} from "./program.ts";
export { captureConsole, captureStreams, claimUncaught, guardExit, onUncaught } from "./program-guard.ts";
export { type PtyOptions, type PtyProcess, spawnPty } from "./pty.ts";
export { isSecretName, redact, redactValue, registerEnvironmentSecrets, registerSecrets } from "./secrets.ts";
export { spawn } from "./spawn.ts";
export { type Terminal, terminal } from "./terminal.ts";
export { clipped, fitted, textColumns } from "./text-columns.ts";
export { encodeText, type LineEnding, type TextEncoding, type TextFile } from "./text-encoding.ts";
export {
  copyTree,
  linkTree,
  moveTree,
  realPath,
  type TreeEntry,
  temporaryFolder,
  temporaryRoot,
  walkTree,
} from "./trees.ts";
export { type Watchdog, type Watched, watchdog } from "./watchdog.ts";
export { writeTarget } from "./write-target.ts";
