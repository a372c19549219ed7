import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { house, listener, type Part, results, tool, toolbox } from "./agent-fixture.ts";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const part = (given: Omit<Part, "slot">): Part => ({ slot: "goal", ...given });

interface Clocked {
  readonly running: { now: number; most: number };
  readonly order: string[];
}

function clocked(name: string, concurrency: "parallel" | "by-path" | undefined, { running, order }: Clocked) {
  return tool(name, {
    ...(concurrency === undefined ? {} : { concurrency }),
    paths: (args) => [String(args["path"])],
    run: async (args) => {
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      await wait(Number(args["count"] ?? 10));
      running.now -= 1;
      order.push(String(args["path"]));
      return String(args["path"]);
    },
  });
}

describe("a batch of calls", () => {
  test("safe calls run together, at most eight at once, and their results come in call order", async () => {
    const state: Clocked = { running: { now: 0, most: 0 }, order: [] };
    const calls = Array.from({ length: 12 }, (_, index) => ({
      name: "read",
      args: { path: `p${index}`, count: 60 - index * 5 },
    }));
    const events: string[] = [];
    const log = (event: string, payload: { toolCallId?: string; args?: { path?: string } }) =>
      event === "post_tool_call" ? `post ${payload.args?.path}` : event;
    await using home = await house({
      script: [{ calls }, { text: "ok" }],
      parts: [toolbox(clocked("read", "parallel", state)), listener(events, log)],
    });
    const session = await home.open();
    await home.turn(session, "read all");
    expect(state.running.most).toBe(8);
    const told = home.model.requests[1]?.messages.flatMap((message) =>
      message.role === "tool" ? [message.content] : [],
    );
    expect(told).toEqual(calls.map(({ args }) => args.path));
    const posts = events.filter((event) => event.startsWith("post "));
    expect(posts).toHaveLength(12);
    expect(posts).toEqual(state.order.map((path) => `post ${path}`));
    expect(posts[0]).not.toBe("post p0");
    expect(events.filter((event) => event === "post_tool_batch")).toHaveLength(1);
    const judged = events.slice(events.indexOf("tool_request"), events.indexOf("tool_execution"));
    expect(judged.filter((event) => event === "permit")).toHaveLength(12);
  });

  test.each([
    ["other tools run alone", undefined, ["a", "b"], 1],
    ["calls on one path run alone", "by-path", ["/x/a", "/x/a"], 1],
    ["a folder and a file in it run alone", "by-path", ["/x", "/x/a"], 1],
    ["calls on different paths run together", "by-path", ["/x/a", "/x/ab"], 2],
  ] as const)("%s", async (_name, concurrency, paths, most) => {
    const state: Clocked = { running: { now: 0, most: 0 }, order: [] };
    const calls = paths.map((path, index) => ({ name: "edit", args: { path, count: 30 - index } }));
    await using home = await house({
      script: [{ calls }, { text: "ok" }],
      parts: [toolbox(clocked("edit", concurrency, state))],
    });
    await home.turn(await home.open(), "edit");
    expect(state.running.most).toBe(most);
  });

  test("a wrapper's other arguments are judged before they run, and a refusal keeps them from running", async () => {
    const ran: unknown[] = [];
    const judged: unknown[] = [];
    const change = part({
      wrapToolCall: (payload, next) =>
        next({ ...payload, args: { path: payload.args["path"] === "a" ? "b" : "forbidden" } }),
      beforeTool: ({ args }) => {
        judged.push(args["path"]);
        return args["path"] === "forbidden" ? { verdict: { decision: "deny", reason: "forbidden path" } } : undefined;
      },
    });
    const look = tool("look", { run: async (args) => `seen ${ran.push(args["path"])}` });
    await using home = await house({
      script: [
        {
          calls: [
            { name: "look", args: { path: "a" } },
            { name: "look", args: { path: "c" } },
          ],
        },
        { text: "ok" },
      ],
      parts: [toolbox(look), change],
    });
    const session = await home.open();
    await home.turn(session, "look");
    expect(ran).toEqual(["b"]);
    expect(judged).toEqual(["a", "b", "c", "forbidden"]);
    expect(results(await home.messages(session.id))).toEqual(["look: seen 1", 'look: {"error":"forbidden path"}']);
  });

  test("what was judged last is what runs: later changes to the arguments are impossible", async () => {
    const ran: unknown[] = [];
    const rewrite = part({ beforeTool: () => ({ args: { path: "safe" } }) });
    const look = tool("look", { run: async (args) => `${ran.push(args)} ${Object.isFrozen(args)}` });
    await using home = await house({
      script: [{ calls: [{ name: "look", args: { path: "a" } }] }, { text: "ok" }],
      parts: [toolbox(look), rewrite],
    });
    const session = await home.open();
    await home.turn(session, "look");
    expect(ran).toEqual([{ path: "safe" }]);
    expect(results(await home.messages(session.id))).toEqual(["look: 1 true"]);
  });

  test("an ask that nobody answers is a refusal", async () => {
    const ask = part({ beforeTool: () => ({ verdict: { decision: "ask", reason: "risky" } }) });
    await using home = await house({
      script: [{ calls: [{ name: "look" }] }, { text: "ok" }],
      parts: [toolbox(tool("look")), ask],
    });
    const session = await home.open();
    await home.turn(session, "look");
    expect(results(await home.messages(session.id))[0]).toContain("needs a person's approval");
  });

  test("an approval's edit is judged again before it runs", async () => {
    const judged: unknown[] = [];
    const gate: Part = {
      slot: "permission",
      permit: ({ args }) =>
        args["path"] === "a"
          ? { verdict: { decision: "allow" }, edited: { path: "b" } }
          : { verdict: { decision: "allow" } },
    };
    const watch = part({ beforeTool: ({ args }) => void judged.push(args["path"]) });
    await using home = await house({
      script: [{ calls: [{ name: "look", args: { path: "a" } }] }, { text: "ok" }],
      parts: [toolbox(tool("look")), gate, watch],
    });
    const session = await home.open();
    await home.turn(session, "look");
    expect(judged).toEqual(["a", "b"]);
    expect(results(await home.messages(session.id))).toEqual(['look: {"done":"look","path":"b"}']);
  });

  test("of two tools of one name the later middleware's runs", async () => {
    const ran: string[] = [];
    const named = (who: string) => toolbox(tool("look", { run: async () => String(ran.push(who)) }));
    await using home = await house({
      script: [{ calls: [{ name: "look", args: { path: "a" } }] }, { text: "ok" }],
      parts: [named("earlier"), { ...named("later"), slot: "goal" }],
    });
    await home.turn(await home.open(), "look");
    expect(ran).toEqual(["later"]);
  });

  test("a blocked call is told to post_tool_call and does not stop its neighbours", async () => {
    const told: string[] = [];
    const deny = part({
      beforeTool: ({ args }) => (args["path"] === "a" ? { verdict: { decision: "deny", reason: "not a" } } : undefined),
      afterTool: ({ status, args }) => void told.push(`${args["path"]} ${status}`),
    });
    await using home = await house({
      script: [
        {
          calls: [
            { name: "look", args: { path: "a" } },
            { name: "look", args: { path: "b" } },
          ],
        },
        { text: "ok" },
      ],
      parts: [toolbox(tool("look")), deny],
    });
    await home.turn(await home.open(), "look");
    expect(told).toEqual(["a blocked", "b ok"]);
  });

  test("feedback and reminders of post_tool_call reach the model after the result; a replaced result is what it sees", async () => {
    const after = part({
      afterTool: () => ({
        result: "replaced",
        reminder: ["format it"],
        verdict: { decision: "deny", reason: "lint fails" },
      }),
    });
    await using home = await house({
      script: [{ calls: [{ name: "look" }] }, { text: "ok" }],
      parts: [toolbox(tool("look")), after],
    });
    await home.turn(await home.open(), "look");
    const sent = home.model.requests[1]?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(sent[2]?.content).toBe("replaced");
    expect(sent[3]?.content).toContain("lint fails");
    expect(sent[3]?.content).toContain("<system-reminder>\nformat it\n</system-reminder>");
  });

  test("a failing middleware after a tool loses no result and ends the turn", async () => {
    const broken = part({
      afterTool: () => {
        throw new Error("observer broke");
      },
    });
    await using home = await house({
      script: [
        {
          calls: [
            { name: "look", args: { path: "a" } },
            { name: "look", args: { path: "b" } },
          ],
        },
      ],
      parts: [toolbox(tool("look", { concurrency: "parallel" })), broken],
    });
    const session = await home.open();
    expect(await home.turn(session, "look")).toMatchObject({ outcome: "failed" });
    expect(results(await home.messages(session.id))[0]).toContain('"path":"a"');
    expect(results(await home.messages(session.id))).toHaveLength(2);
  });

  test("a call that ran is told to post_tool_call even where its result could not be transformed", async () => {
    const told: string[] = [];
    const broken = part({
      on: {
        transform_tool_result: () => {
          throw new Error("transformer broke");
        },
        post_tool_call: ({ toolCallId, status }) => void told.push(`${toolCallId} ${status}`),
      },
    });
    await using home = await house({
      script: [{ calls: [{ name: "look" }] }],
      parts: [toolbox(tool("look")), broken],
    });
    expect(await home.turn(await home.open(), "look")).toMatchObject({ outcome: "failed", text: "transformer broke" });
    expect(told).toEqual(["call_1_1 ok"]);
  });

  test.each(["fails", "is interrupted"])("where message_display %s, calls still get their results", async (how) => {
    const display = part({
      on: {
        message_display: () => {
          if (how === "fails") throw new Error("no screen");
          session.interrupt("Ctrl-C");
          return wait(5_000).then(() => ({}));
        },
      },
    });
    await using home = await house({
      script: [{ text: "Looking.", calls: [{ name: "look" }] }, { text: "Seen." }],
      parts: [toolbox(tool("look")), display],
    });
    const session = await home.open();
    const outcome = how === "fails" ? "completed" : "interrupted";
    expect(await home.turn(session, "look")).toMatchObject({ outcome });
    expect(results(await home.messages(session.id))).toHaveLength(1);
  });

  test("a result that is too long goes to a file, and its head stays", async () => {
    const long = "x".repeat(5_000);
    await using home = await house({
      script: [{ calls: [{ name: "look" }] }, { text: "ok" }],
      parts: [toolbox(tool("look", { run: async () => long, resultLimit: 2_000 }))],
    });
    const session = await home.open();
    await home.turn(session, "look");
    const [result] = results(await home.messages(session.id));
    const path = /is in (\S+);/.exec(result ?? "")?.[1] ?? "";
    expect(await readFile(path, "utf8")).toBe(long);
    expect(result?.length).toBeLessThan(2_300);
  });

  test("a tool that throws gives an error result, and the turn goes on", async () => {
    const broken = tool("look", {
      run: async () => {
        throw new Error("no such device");
      },
    });
    await using home = await house({
      script: [{ calls: [{ name: "look" }] }, { text: "ok" }],
      parts: [toolbox(broken)],
    });
    const session = await home.open();
    expect(await home.turn(session, "look")).toMatchObject({ outcome: "completed" });
    expect(results(await home.messages(session.id))).toEqual(['look: {"error":"no such device"}']);
  });

  test("calls that a handler sends to one path do not run together", async () => {
    const state: Clocked = { running: { now: 0, most: 0 }, order: [] };
    const same = part({ beforeTool: ({ args }) => ({ args: { ...args, path: "/x/a" } }) });
    const calls = ["/x/a", "/x/b"].map((path) => ({ name: "edit", args: { path, count: 20 } }));
    await using home = await house({
      script: [{ calls }, { text: "ok" }],
      parts: [toolbox(clocked("edit", "by-path", state)), same],
    });
    await home.turn(await home.open(), "edit");
    expect(state.running.most).toBe(1);
  });

  test("feedback of post_tool_batch reaches the model, eight times in a row at most", async () => {
    const object = part({ afterToolsBatch: () => ({ verdict: { decision: "deny", reason: "types fail" } }) });
    const script = Array.from({ length: 10 }, (_, index) => ({
      calls: [{ name: "look", args: { path: `p${index}` } }],
    }));
    await using home = await house({ script: [...script, { text: "ok" }], parts: [toolbox(tool("look")), object] });
    const session = await home.open();
    expect(await home.turn(session, "look")).toMatchObject({ outcome: "completed" });
    const told = (await home.messages(session.id)).filter(({ message }) =>
      String(message.content).includes("types fail"),
    );
    expect(told).toHaveLength(8);
  });

  test("delegations over the cap are left out of the answer", async () => {
    const calls = Array.from({ length: 5 }, (_, index) => ({ name: "delegate_task", args: { count: index } }));
    await using home = await house({ script: [{ calls }, { text: "ok" }], parts: [toolbox(tool("delegate_task"))] });
    const session = await home.open();
    await home.turn(session, "delegate");
    expect(results(await home.messages(session.id))).toHaveLength(3);
  });

  test("the results of one answer share a budget", async () => {
    const long = tool("look", { run: async () => "x".repeat(90_000), concurrency: "parallel" });
    const calls = ["a", "b", "c", "d"].map((path) => ({ name: "look", args: { path } }));
    await using home = await house({ script: [{ calls }, { text: "ok" }], parts: [toolbox(long)] });
    const session = await home.open();
    await home.turn(session, "look");
    const sizes = results(await home.messages(session.id)).map(({ length }) => length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(206_000);
    expect(sizes.filter((size) => size > 90_000)).toHaveLength(2);
  });
});
