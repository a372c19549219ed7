import type { Args } from "../tools/lens.ts";
import { type SeenCall, seenCall } from "../tools/translation.ts";
import { project, type Question, rows, type Wire } from "./question.ts";

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
    const seen = seenBy(question);
    wire["tool_name"] = seen.name;
    wire["tool_input"] = seen.input;
  }
  return wire;
}

/** The tool call of a payload, as the dialect knows it. */
function seenBy({ payload, place }: Question): SeenCall {
  const call = payload as {
    readonly toolName: string;
    readonly args: Args;
    readonly mcpServer?: { readonly name: string };
  };
  return seenCall(call.toolName, call.args, call.mcpServer?.name, place);
}

/** What a matcher is compared with; a tool has further names that a list of names may use. */
export interface Target {
  readonly name: string;
  readonly aliases: readonly string[];
}

/** Whether rules of this name can have a matcher at all. */
export const takesMatcher = ({ event, view }: Pick<Question, "event" | "view">): boolean =>
  (view.matchOn ?? rows[event].row.matchOn ?? "none") !== "none";

/** What matchers look at now; undefined: there is no matcher on this event, or nothing to look at. */
export function matchTarget(question: Question): Target | undefined {
  const { event, view, payload } = question;
  const key = view.matchOn ?? rows[event].row.matchOn ?? "none";
  const value = (payload as Wire)[key];
  if (key === "none" || typeof value !== "string") return undefined;
  if (key === "toolName" && view.dialect === "claude") return seenBy(question);
  const name = view.matchAs === "baseName" ? (value.split(/[\\/]/).at(-1) ?? "") : value;
  return { name, aliases: [] };
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
