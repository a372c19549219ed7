import { describe, expect, test } from "vitest";
import type { Executed } from "../executor.ts";
import type { HookPorts } from "../hook-context.ts";
import { type Asked, execution, workshop } from "./executor-fixture.ts";
import { executors } from "./executors.ts";
import { filledInput } from "./mcp-tool.ts";
import { filledPrompt } from "./prompt.ts";

const reason = ({ decoded }: Executed): string => (decoded.kind === "failed" ? decoded.reason : "did not fail");
const answer = ({ decoded }: Executed): unknown =>
  decoded.kind === "answer" ? decoded.answer : { failed: decoded.reason };
const deny = { decision: "deny", reason: "not now" };

describe("the text of a prompt", () => {
  test.each([
    ["judge $ARGUMENTS!", "judge {}!"],
    ["judge ${ARGUMENTS} and $ARGUMENTS", "judge {} and {}"],
    ["judge this", "judge this\n\n{}"],
    ["costs \\$1 for $ARGUMENTS", "costs \\$1 for {}"],
    ["literally \\$ARGUMENTS", "literally $ARGUMENTS\n\n{}"],
    ["$ARGUMENTS_LIST", "$ARGUMENTS_LIST\n\n{}"],
  ])("%j is %j", (prompt, filled) => {
    expect(filledPrompt(prompt, "{}")).toBe(filled);
  });
});

describe("a prompt rule", () => {
  const ask = async (
    said: string | Error,
    rule: { continueOnBlock?: boolean; timeoutMs?: number } = {},
    asked: Asked = {},
  ) => {
    const shop = workshop({ ask: async () => (said instanceof Error ? Promise.reject(said) : said) });
    return executors(shop.ports).run.prompt(execution(shop, { type: "prompt", prompt: "judge", ...rule }, asked));
  };

  test.each([
    ["ok", '{"ok": true}', {}],
    ["a refusal ends the turn", '{"ok": false, "reason": "not now"}', { verdict: deny, halt: "not now" }],
    ["in a fence", '```json\n{"ok": false, "reason": "not now"}\n```', { verdict: deny, halt: "not now" }],
    ["after a sentence", 'Here: {"ok": false, "reason": "not now"}', { verdict: deny, halt: "not now" }],
    ["an answer object", '{"decision": "block", "reason": "not now"}', { verdict: deny }],
  ])("%s", async (_, said, expected) => {
    expect(answer(await ask(said))).toEqual(expected);
  });

  test("with continueOnBlock a refusal leaves the turn alone", async () => {
    expect(answer(await ask('{"ok": false, "reason": "not now"}', { continueOnBlock: true }))).toEqual({
      verdict: deny,
    });
  });

  test("at the end of a turn a refusal is the next instruction, and what is impossible ends it", async () => {
    expect(answer(await ask('{"ok": false, "reason": "not now"}', {}, { name: "Stop" }))).toEqual({ verdict: deny });
    expect(answer(await ask('{"ok": false, "impossible": true, "reason": "x"}', {}, { name: "Stop" }))).toEqual({});
  });

  test.each([
    ["no JSON", "I think so", "no JSON object"],
    ["nothing", " ", "answered nothing"],
    ["a refusal without a reason", '{"ok": false}', "without a reason"],
    ["an error", new Error("no key"), "could not be asked: no key"],
  ])("%s is a failure", async (_, said, words) => {
    expect(reason(await ask(said))).toContain(words);
  });

  test("a model that never answers is a failure at the time limit", async () => {
    const shop = workshop({ ask: () => new Promise(() => undefined) });
    const asked = execution(shop, { type: "prompt", prompt: "judge", timeoutMs: 100 });
    expect(reason(await executors(shop.ports).run.prompt(asked))).toBe("did not answer within 0.1 s");
  });

  test("asks the model that the rule names, with the payload and the form of the answer", async () => {
    const seen: Parameters<HookPorts["ask"]>[0][] = [];
    const shop = workshop({
      ask: async (question) => {
        seen.push(question);
        return '{"ok": true}';
      },
    });
    const asked = execution(shop, { type: "prompt", prompt: "judge", model: "small" });
    await executors(shop.ports).run.prompt(asked);
    expect(seen[0]?.model).toBe("small");
    expect(seen[0]?.text).toContain(asked.json);
    expect(seen[0]?.text).toContain('{"ok": true}');
  });
});

describe("an agent rule", () => {
  const judge: NonNullable<HookPorts["judge"]> = async () => '{"ok": false, "reason": "not now"}';

  test("is judged by a sub-agent, and its refusal leaves the turn alone", async () => {
    const shop = workshop({ judge });
    const executed = await executors(shop.ports).run.agent(execution(shop, { type: "agent", prompt: "look" }));
    expect(answer(executed)).toEqual({ verdict: deny });
    expect(executed.decoded.remarks).toEqual([]);
  });

  test("is one question where there is no sub-agent, and says so", async () => {
    const shop = workshop();
    const executed = await executors(shop.ports).run.agent(execution(shop, { type: "agent", prompt: "look" }));
    expect(answer(executed)).toEqual({});
    expect(executed.decoded.remarks[0]).toContain("no sub-agent can be started here");
  });
});

describe("a rule that calls a tool of an MCP server", () => {
  const wire = { tool_input: { file_path: "/a b", count: 2, tags: ["x"] }, tool_calls: [{ tool_name: "Bash" }] };

  test.each([
    ["${tool_input.file_path}", "/a b"],
    ["at ${tool_input.file_path}:${tool_input.count}", "at /a b:2"],
    ["${tool_input.tags}", ["x"]],
    ["tags ${tool_input.tags}", 'tags ["x"]'],
    ["${tool_calls.0.tool_name}", "Bash"],
    ["${tool_input.missing}|", "|"],
    ["${constructor.name}", ""],
    ["$tool_input", "$tool_input"],
  ])("%s is filled with %j", (text, value) => {
    expect(filledInput({ deep: [text] }, wire)).toEqual({ deep: [value] });
  });

  const call = async (callTool: HookPorts["callTool"] | undefined, timeoutMs = 1000) => {
    const shop = callTool === undefined ? workshop() : workshop({ callTool });
    const rule = {
      type: "mcp_tool",
      server: "guard",
      tool: "check",
      input: { name: "${tool_name}" },
      timeoutMs,
    } as const;
    return executors(shop.ports).run.mcp_tool(execution(shop, rule));
  };

  test("reads the tool's text like standard output", async () => {
    const callTool: HookPorts["callTool"] = async ({ input }) => ({
      text: `{"systemMessage":"${String(input["name"])}"}`,
      isError: false,
    });
    expect(answer(await call(callTool))).toEqual({ notice: ["Bash"] });
    expect(answer(await call(async () => ({ text: "fine", isError: false })))).toEqual({});
  });

  test("fails where the server is not connected, reports an error, throws or never answers", async () => {
    expect(reason(await call(undefined))).toBe("the MCP server guard is not connected");
    expect(reason(await call(async () => ({ text: "denied\nmore", isError: true })))).toBe("denied");
    expect(reason(await call(() => Promise.reject(new Error("closed"))))).toContain("closed");
    expect(reason(await call(() => new Promise(() => undefined), 100))).toContain("did not answer");
  });
});
