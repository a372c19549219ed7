export { filesystem } from "./filesystem/filesystem.ts";
export type { FilesystemSettings } from "./filesystem/settings.ts";
export type { TerminalSettings } from "./terminal/settings.ts";
export { terminal } from "./terminal/terminal.ts";
export { todo } from "./todo/todo.ts";
