export type { Agent, AgentPorts, AgentSettings, OpenOptions, Session, TurnInput, TurnResult } from "./agent.ts";
export type { ChildResult, ChildTask, Delegate, TurnContext } from "./context.ts";
export type { ApprovalChoice, ApprovalRequest, Surface, TurnEvent, TurnOutcome } from "./surface.ts";
export type { Tool, ToolOutcome, ToolRun } from "./tool.ts";
