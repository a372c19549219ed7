export type { OpenChat, Runtime, ToolListing } from "./runtime.ts";
