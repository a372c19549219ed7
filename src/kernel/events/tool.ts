import { ask, wrap, type Z } from "../event.ts";
import { claimedText, collected, joined, strongest, threaded, threadedText, universal } from "../field.ts";
import type { ContentPart } from "../message.ts";
import { errorText, resultText, toolResponse } from "../tools/output.ts";
import { seenCall } from "../tools/translation.ts";
import { asSaid, chatContent, content, data, exampleIds, hermes, ids, mcpServer, trace } from "./view.ts";

type Args = Readonly<Record<string, unknown>>;
type Content = string | readonly ContentPart[];

const call = (z: Z) => ({ ...ids(z), toolName: z.string(), args: data(z), toolCallId: z.string() });
const exampleCall = {
  ...exampleIds,
  toolName: "terminal",
  args: { command: "ls -la", timeout: 60 },
  toolCallId: "call_8s7Xq2",
};

const outcome = (z: Z) => ({
  result: content(z),
  durationMs: z.number().int(),
  status: z.enum(["ok", "error", "blocked", "cancelled"]),
  errorType: z.string().nullable(),
  errorMessage: z.string().nullable(),
});
const exampleOutcome = {
  result: '{"output": "total 0\\n", "exit_code": 0, "error": null}',
  durationMs: 12,
  status: "ok",
  errorType: null,
  errorMessage: null,
} as const;

/** What Hermes's hooks are told of a call, before and after. */
const judged = [
  "toolName",
  "args",
  "taskId",
  "sessionId",
  "toolCallId",
  "turnId",
  "apiRequestId",
  "middlewareTrace",
] as const;
const observed = [...judged, "durationMs", "status", "errorType", "errorMessage"] as const;

const came = (payload: { readonly result: Content; readonly transformedResult: Content }) => ({
  result: chatContent(payload.result),
  transformed_result: chatContent(payload.transformedResult),
});

const bothArgs = { args: ["args", "arguments"] } as const;

export const toolEvents = {
  tool_request: ask((z: Z) => z.object({ ...call(z), originalArgs: data(z) }), {
    about: "The arguments of a tool call may be rewritten before anybody judges them.",
    since: "0.1",
    scope: "call",
    method: "toolRequest",
    matchOn: "toolName",
    answer: { args: threaded<Args>()("args"), trace: collected<Args>() },
    draft: true,
    views: [{ dialect: "python", name: "tool_request", keys: bothArgs, middleware: true }],
    example: { ...exampleCall, originalArgs: exampleCall.args },
  }),
  pre_tool_call: ask((z: Z) => z.object({ ...call(z), middlewareTrace: trace(z), mcpServer: mcpServer(z) }), {
    about: "A tool call is judged; what was judged last is what runs.",
    since: "0.1",
    scope: "call",
    method: "beforeTool",
    matchOn: "toolName",
    answer: { verdict: strongest, args: threaded<Args>()("args"), reminder: joined, ...universal },
    settles: "args",
    closed: { verdict: { decision: "deny", reason: "a hook failed before it decided" } },
    views: [
      {
        dialect: "python",
        name: "pre_tool_call",
        keys: bothArgs,
        sends: judged,
      },
      {
        dialect: "shell",
        name: "pre_tool_call",
        sends: judged,
      },
      {
        dialect: "claude",
        name: "PreToolUse",
        keys: { args: "tool_input", toolCallId: "tool_use_id" },
        sends: ["toolName", "args", "toolCallId", "mcpServer"],
        exit2: "verdict",
        condition: true,
        effort: true,
        permission: asSaid,
        refusal: "ends-unless-continued",
      },
    ],
    example: { ...exampleCall, middlewareTrace: [] },
  }),
  tool_execution: wrap((z: Z) => z.object({ ...call(z), originalArgs: data(z) }), {
    about: "The tool runs, once; a wrapper may run it with other arguments, which are judged again, or not at all.",
    since: "0.1",
    scope: "call",
    method: "wrapToolCall",
    matchOn: "toolName",
    result: (z: Z) => z.union([z.string(), z.object({ content: content(z), isError: z.boolean().exactOptional() })]),
    next: "once",
    views: [{ dialect: "python", name: "tool_execution", keys: bothArgs, middleware: true }],
    example: { ...exampleCall, originalArgs: exampleCall.args },
  }),
  transform_terminal_output: ask(
    (z: Z) =>
      z.object({
        sessionId: z.string(),
        taskId: z.string(),
        command: z.string(),
        output: z.string(),
        exitCode: z.number().int(),
        cwd: z.string(),
        envType: z.string(),
      }),
    {
      about: "The full output of a foreground command may be replaced, before it is cut, cleaned and redacted.",
      since: "0.1",
      scope: "call",
      answer: { output: claimedText },
      views: hermes("transform_terminal_output", {
        keys: { exitCode: ["returncode", "exit_code"] },
        says: { field: "output", blank: true },
      }),
      example: {
        sessionId: exampleIds.sessionId,
        taskId: exampleIds.taskId,
        command: "ls -la",
        output: "total 0\n",
        exitCode: 0,
        cwd: "/home/ada/project",
        envType: "local",
      },
    },
  ),
  transform_tool_result: ask((z: Z) => z.object({ ...call(z), ...outcome(z), result: z.string() }), {
    about: "The text of a tool's result may be replaced before the model sees it.",
    since: "0.1",
    scope: "call",
    matchOn: "toolName",
    answer: { result: claimedText },
    views: [
      { dialect: "python", name: "transform_tool_result", keys: bothArgs, says: { field: "result", blank: true } },
      { dialect: "shell", name: "transform_tool_result", matchOn: "none", says: { field: "result", blank: true } },
    ],
    example: { ...exampleCall, ...exampleOutcome },
  }),
  post_tool_call: ask(
    (z: Z) =>
      z.object({
        ...call(z),
        ...outcome(z),
        transformedResult: content(z),
        middlewareTrace: trace(z),
        mcpServer: mcpServer(z),
      }),
    {
      about:
        "A tool call is over: done, failed, blocked or cancelled. A deny is feedback to the model, beside the result.",
      since: "0.1",
      scope: "call",
      method: "afterTool",
      matchOn: "toolName",
      answer: { verdict: strongest, result: threadedText("transformedResult"), reminder: joined, ...universal },
      views: [
        { dialect: "python", name: "post_tool_call", keys: bothArgs, sends: observed, adds: came, answers: [] },
        { dialect: "shell", name: "post_tool_call", sends: observed, adds: came, answers: [] },
        {
          dialect: "claude",
          name: "PostToolUse",
          when: (payload) => payload.status === "ok",
          keys: { args: "tool_input", toolCallId: "tool_use_id" },
          sends: ["toolName", "args", "toolCallId", "durationMs", "mcpServer"],
          adds: (payload, place) => ({
            tool_response: toolResponse({ ...payload, result: payload.transformedResult }, place),
            tool_output: resultText(payload.transformedResult),
          }),
          exit2: "verdict",
          condition: true,
          effort: true,
          refusal: "ends-unless-continued",
        },
        {
          dialect: "claude",
          name: "PostToolUseFailure",
          when: (payload) => payload.status === "error" || payload.status === "cancelled",
          keys: { args: "tool_input", toolCallId: "tool_use_id" },
          sends: ["toolName", "args", "toolCallId", "durationMs", "mcpServer"],
          adds: (payload) => ({
            error: payload.errorMessage ?? errorText(payload.transformedResult),
            is_interrupt: payload.status === "cancelled",
            tool_output: resultText(payload.transformedResult),
          }),
          effort: true,
          answers: ["verdict", "reminder", "notice", "halt", "terminal"],
          exit2: "verdict",
          condition: true,
        },
      ],
      example: { ...exampleCall, ...exampleOutcome, transformedResult: exampleOutcome.result, middlewareTrace: [] },
    },
  ),
  post_tool_batch: ask(
    (z: Z) =>
      z.object({
        ...ids(z),
        toolCalls: z
          .array(
            z.object({ toolName: z.string(), args: data(z).readonly(), toolCallId: z.string(), result: content(z) }),
          )
          .readonly(),
      }),
    {
      about: "All calls of one model answer are done and in the transcript. A deny is feedback, and the loop goes on.",
      since: "0.1",
      scope: "turn",
      method: "afterToolsBatch",
      answer: { verdict: strongest, reminder: joined, ...universal },
      views: [
        {
          dialect: "claude",
          name: "PostToolBatch",
          sends: [],
          adds: (payload, place) => ({
            tool_calls: payload.toolCalls.map((one) => {
              const seen = seenCall(one.toolName, one.args, undefined, place);
              return {
                tool_name: seen.name,
                tool_input: seen.input,
                tool_use_id: one.toolCallId,
                tool_response: one.result,
              };
            }),
          }),
          exit2: "verdict",
          effort: true,
          refusal: "ends",
        },
      ],
      example: {
        ...exampleIds,
        toolCalls: [
          {
            toolName: exampleCall.toolName,
            args: exampleCall.args,
            toolCallId: exampleCall.toolCallId,
            result: exampleOutcome.result,
          },
        ],
      },
    },
  ),
};
