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
  const given = question.payload as Wire;
  const own = project(question);
  if (typeof given["toolName"] === "string" && view.sends?.includes("toolName")) {
    const server = given["mcpServer"] as { readonly name: string } | undefined;
    const seen = seenCall(given["toolName"], given["args"] as Wire, server?.name, question.place);
    own["tool_name"] = seen.name;
    own["tool_input"] = seen.input;
  }
  const common = {
    session_id: around.sessionId,
    transcript_path: around.transcriptPath,
    cwd: around.cwd,
    prompt_id: around.promptId,
    scratchpad_dir: around.scratchpadDir,
    permission_mode: around.permissionMode,
    effort: view.effort && around.effort !== undefined ? { level: around.effort } : undefined,
    agent_id: around.agentId,
    agent_type: around.agentType,
    hook_event_name: view.name,
  };
  const set = Object.fromEntries(Object.entries(common).filter(([, value]) => value !== undefined));
  return { ...set, ...own };
}
