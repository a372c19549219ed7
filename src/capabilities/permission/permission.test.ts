import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApprovalChoice, ApprovalRequest, TurnContext, TurnEvent } from "#agent";
import type { Payload } from "#kernel";
import { permission } from "./permission.ts";
import type { PermissionSettings } from "./settings.ts";

const settings: PermissionSettings = {
  mode: "manual",
  yolo: false,
  sessionYolo: () => false,
  cronMode: "deny",
  timeoutMs: 60_000,
  environment: "local",
  subagentAutoApprove: false,
  sudoPassword: false,
  home: "/home/ada",
  agentHome: "/home/ada/.talaria",
};

interface Options {
  readonly settings?: Partial<PermissionSettings>;
  readonly answers?: readonly unknown[];
  readonly context?: Partial<TurnContext>;
  readonly hooks?: Readonly<Record<string, (payload: never) => unknown>>;
  readonly model?: () => Promise<string>;
  readonly save?: () => Promise<void>;
}

function gate(options: Options = {}) {
  const log: string[] = [];
  const told: { event: string; payload: never }[] = [];
  const shown: ApprovalRequest[] = [];
  const emitted: TurnEvent[] = [];
  const saved = new Set<string>();
  const states = new Map<string, unknown>();
  const answers = [...(options.answers ?? [])];
  const events = ["permission_request", "permission_denied", "pre_approval_request", "post_approval_response"];
  const on = Object.fromEntries(
    events.map((event) => [
      event,
      async (payload: never) => {
        log.push(event);
        told.push({ event, payload });
        return options.hooks?.[event]?.(payload);
      },
    ]),
  );
  const approve = async (request: ApprovalRequest) => {
    log.push("prompt");
    shown.push(request);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer as ApprovalChoice;
  };
  const context = {
    sessionId: "s-1",
    platform: "cli",
    depth: 0,
    cwd: "/home/ada/project",
    signal: new AbortController().signal,
    trace: { start: () => ({ set: () => undefined, end: () => undefined }) },
    plan: { on },
    surface: { emit: (event: TurnEvent) => emitted.push(event), ...(options.answers === undefined ? {} : { approve }) },
    askModel: options.model ?? (async () => "ESCALATE"),
    state: (slot: string, create: () => unknown) => {
      if (!states.has(slot)) states.set(slot, create());
      return states.get(slot);
    },
    ...options.context,
  } as unknown as TurnContext;
  const allowList = {
    has: (key: string) => saved.has(key),
    add: async (keys: readonly string[]) => {
      await options.save?.();
      for (const key of keys) saved.add(key);
    },
  };
  const middleware = permission({ ...settings, ...options.settings }, allowList);
  const run = async (command: string, more: Partial<Payload<"permit">> = {}) =>
    middleware.permit?.(
      {
        sessionId: "s-1",
        taskId: "t",
        turnId: "turn-1",
        apiRequestId: "",
        toolName: "terminal",
        args: Object.freeze({ command }),
        toolCallId: "c-1",
        ...more,
      },
      context,
    );
  return { run, log, told, shown, emitted, saved };
}

const decided = async (answer: Promise<unknown>) => (await answer) as { verdict: { decision: string; reason: string } };

describe("prompts", () => {
  test("a harmless command asks nobody and answers nothing", async () => {
    const { run, log } = gate({ answers: [] });
    expect(await run("ls -la")).toBeUndefined();
    expect(log).toEqual([]);
  });

  test("what is shown is exactly what will run, hooks are told before and after", async () => {
    const { run, log, shown, told, emitted } = gate({ answers: ["once"] });
    const command = "rm  -rf \t'build' # \u001b[31mred";
    expect(await run(command)).toMatchObject({ verdict: { decision: "allow" } });
    expect(log).toEqual(["permission_request", "pre_approval_request", "prompt", "post_approval_response"]);
    expect(shown[0]).toEqual({
      callId: "c-1",
      toolName: "terminal",
      command,
      description: "recursive delete",
      patternKeys: ["rm_rf"],
      permanent: true,
      timeoutMs: 60_000,
    });
    expect(told.at(-1)?.payload).toEqual({
      command,
      description: "recursive delete",
      patternKey: "rm_rf",
      patternKeys: ["rm_rf"],
      sessionKey: "s-1",
      surface: "cli",
      turnId: "turn-1",
      toolCallId: "c-1",
      choice: "once",
    });
    expect(emitted).toContainEqual(expect.objectContaining({ type: "approval", command, choice: "once" }));
  });

  test("once is once, session is this session, always is written down", async () => {
    const { run, shown, saved } = gate({ answers: ["once", "session", "always"] });
    await run("rm -rf a");
    await run("rm -rf b");
    await run("rm -rf c");
    expect(shown).toHaveLength(2);
    expect(saved.size).toBe(0);
    await run("git clean -fd");
    await run("git clean -fdx");
    expect(shown).toHaveLength(3);
    expect([...saved]).toEqual(["git_clean"]);
  });

  test("an approval that cannot be saved holds for the session and says so", async () => {
    const { run, shown, emitted } = gate({
      answers: ["always"],
      save: async () => Promise.reject(new Error("disk full")),
    });
    expect(await run("rm -rf a")).toMatchObject({ verdict: { decision: "allow" } });
    expect(emitted).toContainEqual(
      expect.objectContaining({ type: "notice", text: expect.stringContaining("disk full") }),
    );
    await run("rm -rf b");
    expect(shown).toHaveLength(1);
  });

  test("one yes to one danger is no yes to another in the same command", async () => {
    const { run, shown } = gate({ answers: ["session", "deny"] });
    await run("rm -rf a");
    const answer = await decided(run("rm -rf a; git push --force"));
    expect(shown[1]?.patternKeys).toEqual(["git_push_force"]);
    expect(answer.verdict.decision).toBe("deny");
  });

  test.each([
    ["deny", "denied"],
    ["timeout", "Silence is not consent"],
    [undefined, "could not be asked"],
    ["yes", "could not be asked"],
    [new Error("the window is gone"), "the window is gone"],
  ])("%s is no consent", async (answer, text) => {
    const { run } = gate({ answers: [answer] });
    const { verdict } = await decided(run("rm -rf build"));
    expect(verdict).toMatchObject({ decision: "deny", reason: expect.stringContaining(text) });
    expect(verdict.reason).toContain("Do not retry");
  });

  test("whatever a surface answers, only three words let a command run", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.constantFrom("once", "timeout", "deny", "ALWAYS", null, 1)),
        async (word) => {
          const { verdict } = await decided(gate({ answers: [word] }).run("rm -rf build"));
          expect(verdict.decision).toBe(["once", "session", "always"].includes(word as string) ? "allow" : "deny");
        },
      ),
    );
  });

  test("an interrupt while a prompt is open is a refusal, whatever was answered", async () => {
    const control = new AbortController();
    const { run, log } = gate({
      answers: ["once"],
      context: { signal: control.signal },
      hooks: { pre_approval_request: () => control.abort() },
    });
    expect((await decided(run("rm -rf build"))).verdict.decision).toBe("deny");
    expect(log.at(-1)).toBe("post_approval_response");
  });
});

describe("nobody to ask", () => {
  test("a dangerous command is refused, with the ways to allow it", async () => {
    const { run, log } = gate();
    const { verdict } = await decided(run("rm -rf build"));
    expect(verdict.decision).toBe("deny");
    for (const word of ["--yolo", "command_allowlist", '"rm_rf"', "silence is not consent"])
      expect(verdict.reason).toContain(word);
    expect(log).toEqual(["permission_request", "permission_denied"]);
  });

  test("yolo of the process or the session lets it run, and never the hardline", async () => {
    for (const yolo of [{ yolo: true }, { sessionYolo: (id: string) => id === "s-1" }]) {
      const { run } = gate({ settings: yolo });
      expect(await run("rm -rf build")).toBeUndefined();
      expect((await decided(run("rm -rf /"))).verdict.reason).toContain("hardline");
    }
  });

  test("input for a running program is looked at like a command", async () => {
    const { run } = gate();
    const call = { toolName: "process", args: { action: "submit", data: "rm -rf /" } };
    expect((await decided(run("", call))).verdict.reason).toContain("hardline");
  });

  test("the folder that the call names counts", async () => {
    const { run } = gate();
    const call = { args: { command: "rm -rf *", workdir: "/" } };
    expect((await decided(run("", call))).verdict.reason).toContain("root filesystem");
  });
});

describe("hooks", () => {
  const judged = { decision: "ask", reason: "production?" } as const;

  test("an ask shows its reason, and any tool can be asked about", async () => {
    const { run, shown } = gate({ answers: ["session", "deny"], settings: { yolo: true } });
    const call = { toolName: "write_file", args: { path: "a" }, judged };
    expect(await run("", call)).toMatchObject({ verdict: { decision: "allow" } });
    expect(shown[0]).toMatchObject({ description: "production?", permanent: false, patternKeys: [] });
    expect(shown[0]?.command).toContain('"path": "a"');
    expect((await decided(run("", call))).verdict.decision).toBe("deny");
  });

  test("an allow skips the prompt and nothing more", async () => {
    const { run, log } = gate({ answers: [] });
    expect(await run("rm -rf build", { judged: { decision: "allow" } })).toBeUndefined();
    expect((await decided(run("rm -rf /", { judged: { decision: "allow" } }))).verdict.decision).toBe("deny");
    expect(log).toEqual(["permission_denied"]);
  });

  test("a permission hook allows in a person's place, also where there is none", async () => {
    const hooks = { permission_request: () => ({ verdict: { decision: "allow" } }) };
    const { run, log } = gate({ hooks });
    expect(await run("rm -rf build")).toEqual({ verdict: { decision: "allow", by: "permission" } });
    expect((await decided(run("rm -rf /"))).verdict.decision).toBe("deny");
    expect(log).toEqual(["permission_request", "permission_denied"]);
  });

  test("a permission hook denies with its reason, and nobody is asked", async () => {
    const hooks = {
      permission_request: () => ({ verdict: { decision: "deny", reason: "not on Fridays" }, halt: "stop" }),
    };
    const { run, log } = gate({ hooks, answers: ["once"] });
    expect(await run("rm -rf build")).toMatchObject({
      halt: "stop",
      verdict: { decision: "deny", reason: "not on Fridays" },
    });
    expect(log).toEqual(["permission_request", "permission_denied"]);
  });

  test("other arguments of a permission hook go back to be judged and pass once as they came", async () => {
    const edited = { command: "rm -rf build/cache" };
    const hooks = { permission_request: () => ({ verdict: { decision: "allow" }, args: edited }) };
    const { run, log } = gate({ hooks, answers: [] });
    expect(await run("rm -rf build")).toMatchObject({ edited, verdict: { decision: "allow" } });
    expect(await run(edited.command)).toEqual({ verdict: { decision: "allow", by: "permission" } });
    expect(log).toEqual(["permission_request"]);
    await run(edited.command);
    expect(log).toEqual(["permission_request", "permission_request"]);
  });

  test("edited arguments do not escape the hardline", async () => {
    const hooks = { permission_request: () => ({ verdict: { decision: "allow" }, args: { command: "rm -rf /" } }) };
    const { run } = gate({ hooks, answers: [] });
    await run("rm -rf build");
    expect((await decided(run("rm -rf /"))).verdict.reason).toContain("hardline");
  });

  test("a hook may tell the model that it may try again", async () => {
    const { run } = gate({ hooks: { permission_denied: () => ({ retry: true }) } });
    expect((await decided(run("rm -rf build"))).verdict.reason).toContain("tried again");
  });
});

describe("smart mode", () => {
  const smart = (model: () => Promise<string>, answers?: readonly string[]) =>
    gate({ settings: { mode: "smart" }, model, ...(answers === undefined ? {} : { answers }) });

  test("approve lets it run and is remembered for the session", async () => {
    let asked = 0;
    const { run, log } = smart(async () => {
      asked++;
      return "APPROVE";
    }, []);
    expect(await run("rm -rf build")).toMatchObject({ verdict: { decision: "allow" } });
    expect(await run("rm -rf dist")).toBeUndefined();
    expect([asked, log]).toEqual([1, []]);
  });

  test("deny is a refusal", async () => {
    const { run, log } = smart(async () => "DENY: it deletes all", ["once"]);
    expect((await decided(run("rm -rf build"))).verdict.reason).toContain("automatic check");
    expect(log).toEqual(["permission_denied"]);
  });

  test.each(["ESCALATE", "", "I would APPROVE this", "APPROVE or DENY", "approved"])(
    "%j means a person",
    async (word) => {
      const { run, shown } = smart(async () => word, ["deny"]);
      expect((await decided(run("rm -rf build"))).verdict.decision).toBe("deny");
      expect(shown).toHaveLength(1);
    },
  );

  test("a failing model means a person, or a refusal where there is none", async () => {
    const fail = async () => Promise.reject(new Error("no network"));
    const { run, emitted } = smart(fail, ["once"]);
    expect((await decided(run("rm -rf build"))).verdict.decision).toBe("allow");
    expect(emitted).toContainEqual(expect.objectContaining({ text: expect.stringContaining("no network") }));
    expect((await decided(smart(fail).run("rm -rf build"))).verdict.decision).toBe("deny");
  });
});
