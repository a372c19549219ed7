export type { Agent, TurnInput, TurnResult } from "./agent.ts";
export { createAgent } from "./agent.ts";
export type { ChildResult, ChildTask, Delegate, TurnContext } from "./context.ts";
export type { AgentErrorCode } from "./error.ts";
export type { OpenOptions, Session } from "./session.ts";
export type { InboxItem } from "./session-memory.ts";
export type { AgentPorts, AgentSettings } from "./settings.ts";
export type { ApprovalChoice, ApprovalRequest, Surface, TurnEvent, TurnOutcome } from "./surface.ts";
export type { Tool, ToolOutcome, ToolRun } from "./tool.ts";
