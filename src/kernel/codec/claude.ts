import { seenCall } from "../tools/translation.ts";
import { project, type Question, type Wire } from "./question.ts";

/** What every payload of the claude dialect says besides what its event says. */
export interface Surroundings {
  readonly sessionId: string;
  /** The transcript in JSON lines; an empty string where none is written. */
  readonly transcriptPath: string;
  readonly cwd: string;
  readonly promptId?: string | undefined;
  readonly scratchpadDir?: string | undefined;
  readonly permissionMode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions" | undefined;
  readonly effort?: "low" | "medium" | "high" | "xhigh" | "max" | undefined;
  /** Inside a sub-agent. */
  readonly agentId?: string | undefined;
  readonly agentType?: string | undefined;
}

/** What a rule of a settings file reads on its standard input, or gets as the body of its request. */
export function encodeClaude(question: Question, around: Surroundings): Record<string, unknown> {
  const { view } = question;
  const wire = surrounded(around);
  if (view.effort && around.effort !== undefined) wire["effort"] = { level: around.effort };
  wire["hook_event_name"] = view.name;
  Object.assign(wire, project(question));
  const given = question.payload as Wire;
  if (typeof given["toolName"] === "string" && view.sends?.includes("toolName")) {
    const server = given["mcpServer"] as { readonly name: string } | undefined;
    const seen = seenCall(given["toolName"], given["args"] as Wire, server?.name, question.place);
    wire["tool_name"] = seen.name;
    wire["tool_input"] = seen.input;
  }
  return wire;
}

function surrounded(around: Surroundings): Record<string, unknown> {
  const wire: Record<string, unknown> = {
    session_id: around.sessionId,
    transcript_path: around.transcriptPath,
    cwd: around.cwd,
  };
  if (around.promptId !== undefined) wire["prompt_id"] = around.promptId;
  if (around.scratchpadDir !== undefined) wire["scratchpad_dir"] = around.scratchpadDir;
  if (around.permissionMode !== undefined) wire["permission_mode"] = around.permissionMode;
  if (around.agentId !== undefined) wire["agent_id"] = around.agentId;
  if (around.agentType !== undefined) wire["agent_type"] = around.agentType;
  return wire;
}
