import { expect, test } from "vitest";
import type { ApprovalChoice, ApprovalRequest, TurnContext } from "#agent";
import type { EventName, HookGroup } from "#kernel";
import { house, listener, results, tool, toolbox } from "../../agent/agent-fixture.ts";
import { permission } from "./permission.ts";
import type { PermissionSettings } from "./settings.ts";

const settings: PermissionSettings = {
  mode: "manual",
  yolo: false,
  sessionYolo: () => false,
  cronMode: "deny",
  timeoutMs: 1_000,
  environment: "local",
  subagentAutoApprove: false,
  sudoPassword: false,
  home: "/home/ada",
  agentHome: "/home/ada/.talaria",
};

function hook(event: EventName, run: (payload: never) => unknown, sequence = 0): HookGroup<TurnContext> {
  const entry = {
    event,
    owner: `test:${event}`,
    rank: [0, sequence],
    consider: () => undefined,
    run,
    limitMs: 5_000,
    onFailure: "continue",
    mode: "enforce",
    rejudge: true,
  };
  return { slot: "hook", name: `${event}-${sequence}`, parallel: false, entries: [entry as never] };
}

interface Options {
  readonly commands: readonly string[];
  readonly hooks?: readonly HookGroup<TurnContext>[];
  readonly settings?: Partial<PermissionSettings>;
  readonly answers?: readonly ApprovalChoice[];
}

/** One turn whose model runs these commands in one answer. */
async function turn(options: Options) {
  const ran: string[] = [];
  const shown: ApprovalRequest[] = [];
  const events: string[] = [];
  const answers = [...(options.answers ?? [])];
  const terminal = tool("terminal", {
    parameters: { type: "object", properties: { command: { type: "string" } } },
    run: async (args) => {
      ran.push(String(args["command"]));
      return "{}";
    },
  });
  const gate = permission({ ...settings, ...options.settings }, { has: () => false, add: async () => undefined });
  await using home = await house({
    script: [
      { calls: options.commands.map((command) => ({ name: "terminal", args: { command } })) },
      { text: "Done." },
    ],
    parts: [toolbox(terminal), gate, listener(events), ...(options.hooks ?? [])],
  });
  const approve = async (request: ApprovalRequest) => {
    shown.push(request);
    return answers.shift() ?? "timeout";
  };
  const surface = { ...home.surface, ...(options.answers === undefined ? {} : { approve }) };
  const session = await home.open();
  await home.agent.runTurn(session, { content: "go" }, surface);
  const asked = home.spans.filter(({ kind }) => kind === "approval");
  const approvals = asked.map(({ name, status, attributes }) => [name, status, attributes["choice"]]);
  return { ran, shown, events, approvals, results: results(await home.messages(session.id)) };
}

test("what hooks made of a call is what is shown and what runs", async () => {
  const rewrite = hook("pre_tool_call", () => ({ args: { command: "rm -rf build/cache" } }));
  const { ran, shown } = await turn({ commands: ["rm -rf build"], hooks: [rewrite], answers: ["once"] });
  expect(shown.map(({ command }) => command)).toEqual(["rm -rf build/cache"]);
  expect(ran).toEqual(["rm -rf build/cache"]);
});

test("a rewrite into a hardline command is refused, whatever is on", async () => {
  const rewrite = hook("pre_tool_call", () => ({ args: { command: "rm -rf /" }, verdict: { decision: "allow" } }));
  const { ran, results } = await turn({ commands: ["ls"], hooks: [rewrite], settings: { yolo: true, mode: "off" } });
  expect(ran).toEqual([]);
  expect(results[0]).toContain("hardline");
});

test("an ask of one hook and an ask of another are one prompt, with its reason", async () => {
  const first = hook("pre_tool_call", () => ({ verdict: { decision: "ask", reason: "is this wanted?" } }));
  const second = hook("pre_tool_call", () => ({ verdict: { decision: "ask", reason: "really?" } }), 1);
  const { ran, shown, events } = await turn({ commands: ["ls"], hooks: [first, second], answers: ["once"] });
  expect(shown.map(({ description }) => description)).toEqual(["is this wanted?"]);
  expect(ran).toEqual(["ls"]);
  const approvals = events.filter((event) => /approval|permi/.test(event));
  expect(approvals.filter((event) => event !== "permit")).toEqual([
    "permission_request",
    "pre_approval_request",
    "post_approval_response",
  ]);
});

test("a permission hook's other arguments are judged again before they run", async () => {
  const judged: unknown[] = [];
  const judge = hook("pre_tool_call", ({ args }: { args: unknown }) => void judged.push(args));
  const edit = hook("permission_request", () => ({ verdict: { decision: "allow" }, args: { command: "rm -rf out" } }));
  const { ran } = await turn({ commands: ["rm -rf build"], hooks: [judge, edit] });
  expect(judged).toEqual([{ command: "rm -rf build" }, { command: "rm -rf out" }]);
  expect(ran).toEqual(["rm -rf out"]);
});

test("without a person a dangerous call is refused, and the calls beside it run", async () => {
  const { ran, results, events } = await turn({ commands: ["ls", "rm -rf build", "pwd"] });
  expect(ran).toEqual(["ls", "pwd"]);
  expect(results[1]).toContain("--yolo");
  expect(events.filter((event) => event === "permission_denied")).toHaveLength(1);
});

test("prompts of one answer come in the order of the calls, and a timeout runs nothing", async () => {
  const { ran, shown, approvals } = await turn({
    commands: ["rm -rf a", "rm -rf b", "rm -rf c"],
    answers: ["deny", "timeout", "once"],
  });
  expect(shown.map(({ command }) => command)).toEqual(["rm -rf a", "rm -rf b", "rm -rf c"]);
  expect(ran).toEqual(["rm -rf c"]);
  expect(approvals).toEqual([
    ["terminal", "blocked", "deny"],
    ["terminal", "blocked", "timeout"],
    ["terminal", "ok", "once"],
  ]);
});
