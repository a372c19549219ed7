import type { InboxItem, TurnContext } from "#agent";
import type { EngineParts, HookContext, HookPorts } from "#hooks";
import { childEnvironment } from "#host";
import type { Transcripts } from "#sessions";
import type { House } from "../house.ts";
import { modelRoute } from "../model-route.ts";
import { sessionFiles } from "../session-files.ts";
import type { Journal } from "./event-journal.ts";
import { hookJudge } from "./judge.ts";

export interface HookPortsParts {
  readonly house: House;
  /** The folder that the program was started for. */
  readonly cwd: string;
  readonly transcripts: Pick<Transcripts, "path" | "flush">;
  /** Switched on when hooks are in force. */
  readonly journal?: Journal;
  readonly yolo: boolean;
  /** Put last on the PATH of hooks. */
  readonly shimDirectory: string | undefined;
  /** The folder in which a session was opened. */
  readonly projectOf: (sessionId: string) => string | undefined;
  /** Told to the person when the program starts. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Absent where no MCP server is configured. */
  readonly callTool?: HookPorts["callTool"];
  /** Told of each rule that a firing comes to. */
  readonly considered?: EngineParts["considered"];
  /** A background hook wants an idle session to go on. */
  readonly wake: (sessionId: string) => void;
}

/** What hooks need of the house: docs/reference/hooks.md says what they see of it. */
export function hookPorts(parts: HookPortsParts): HookPorts {
  const { house, transcripts, shimDirectory } = parts;
  const environment = Object.fromEntries(
    Object.entries(house.environment).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const env = childEnvironment({ home: house.home.path, shimDirectory, from: environment });
  return {
    home: house.home.path,
    projectFolder: (context) => projectOf(context, parts),
    async transcript({ sessionId }) {
      await transcripts.flush(sessionId);
      return transcripts.path(sessionId);
    },
    permissionMode: () => permissionMode(house, parts.yolo),
    environment: () => env,
    ask: (question) => answerOf(house, question),
    judge: hookJudge(house),
    ...(parts.callTool === undefined ? {} : { callTool: parts.callTool }),
    deliver(context, text, wake) {
      const item: InboxItem = { text: `<system-reminder>\n${text}\n</system-reminder>` };
      context.state<InboxItem[]>("inbox", () => []).push(item);
      if (wake) parts.wake(context.sessionId);
    },
    spill: sessionFiles(house.home.path).spill,
    log: (level, message) => house.log.write(level, `hooks: ${message}`),
  };
}

/** A sub-agent's project is that of the session which began it. */
function projectOf(context: HookContext, { cwd, projectOf: known }: HookPortsParts): string {
  const { sessionId, parentSessionId } = context as HookContext & Pick<TurnContext, "parentSessionId">;
  const parent = parentSessionId === undefined ? undefined : known(parentSessionId);
  return known(sessionId) ?? parent ?? cwd;
}

function permissionMode({ config }: House, yolo: boolean): ReturnType<HookPorts["permissionMode"]> {
  const mode = config.settings["approvals.mode"];
  if (yolo || mode === "off") return "bypassPermissions";
  return mode === "smart" ? "auto" : "default";
}

type Question = Parameters<HookPorts["ask"]>[0];

/** Names that only Claude Code knows go to the session's own model. */
async function answerOf(house: House, { model, text, context, signal }: Question): Promise<string> {
  const route = model === undefined ? undefined : await modelRoute(house, model).catch(() => undefined);
  if (route === undefined) return context.askModel("", text, signal);
  const request = { system: "", messages: [{ role: "user", content: text } as const], tools: [] };
  const result = await route.generate(
    request,
    { signal },
    (attempt, sent, call) => attempt.model.generate(sent, call),
    {
      failed: () => undefined,
    },
  );
  return result.message.content;
}
