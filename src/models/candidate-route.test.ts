import { describe, expect, test } from "vitest";
import { createRoute, type RouteSettings } from "./candidate-route.ts";
import { isModelError } from "./error.ts";
import { never } from "./machine-fixture.ts";
import type { Model, ModelDelta, ModelRequest } from "./model.ts";
import type { FailedAttempt, ModelRoute } from "./route.ts";
import type { Candidate } from "./selection.ts";
import { type ScriptedStep, scriptedModel } from "./testing/scripted-model.ts";

const request: ModelRequest = { system: "", messages: [{ role: "user", content: "hi" }], tools: [] };

/** Time that passes only while somebody waits. */
function playedTime() {
  let now = 1_000_000;
  const waits: number[] = [];
  return {
    waits,
    advance: (ms: number) => {
      now += ms;
    },
    ports: {
      random: () => 1,
      clock: {
        now: () => now,
        timer: (ms: number, run: () => void) => {
          let live = true;
          queueMicrotask(() => {
            if (!live) return;
            waits.push(ms);
            now += ms;
            run();
          });
          return () => {
            live = false;
          };
        },
      },
    },
  };
}

const model = (id: string, ...steps: ScriptedStep[]) => scriptedModel(steps, { provider: "test", id });
const failing = (error: Extract<ScriptedStep, { error: string }>["error"], more: object = {}): ScriptedStep => ({
  error,
  ...more,
});

function routed(models: readonly (Model | readonly [Model, ...Model[]])[], settings: RouteSettings = {}) {
  const time = playedTime();
  const candidates = models.map(
    (each): Candidate => ({ models: Array.isArray(each) ? (each as [Model, ...Model[]]) : [each as Model] }),
  );
  const route = createRoute(candidates as [Candidate, ...Candidate[]], settings, time.ports);
  const failed: FailedAttempt[] = [];
  const switched: string[] = [];
  const deltas: ModelDelta[] = [];
  const ask = (through: ModelRoute = route, signal = never()) =>
    through.generate(
      request,
      { signal, onDelta: (delta) => deltas.push(delta) },
      (attempt, asked, call) => attempt.model.generate(asked, call),
      {
        failed: (attempt) => void failed.push(attempt),
        switched: (from, to) => void switched.push(`${from.id}→${to.id}`),
      },
    );
  return { route, ask, failed, switched, deltas, time };
}

async function failureOf(asked: Promise<unknown>) {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isModelError(error)) throw new Error(`expected a ModelError, got ${String(error)}`);
  return error;
}

test.each([
  ["fill_first", "aaaa"],
  ["round_robin", "abca"],
  ["least_used", "abca"],
  ["random", "cccc"],
] as const)("several keys are used as %s says", async (keyStrategy, expected) => {
  const steps = () => Array.from({ length: 4 }, (): ScriptedStep => ({ text: "ok" }));
  const models = [model("a", ...steps()), model("b", ...steps()), model("c", ...steps())] as const;
  const ports = { ...playedTime().ports, random: () => 0.9 };
  const route = createRoute([{ models, keyStrategy }], {}, ports);
  let used = "";
  for (let call = 0; call < 4; call++) {
    const send = (attempt: { readonly model: Model }, asked: ModelRequest, how: { readonly signal: AbortSignal }) => {
      used += attempt.model.id;
      return attempt.model.generate(asked, how);
    };
    await route.generate(request, { signal: never() }, send, { failed: () => undefined });
  }
  expect(used).toBe(expected);
});

describe("retries", () => {
  test("a passing failure is tried again after a growing wait", async () => {
    const only = model("a", failing("server"), failing("overloaded"), failing("network"), { text: "at last" });
    const { ask, failed, time } = routed([only]);
    expect((await ask()).message.content).toBe("at last");
    expect(failed.map(({ code, retryCount, retryInMs }) => [code, retryCount, retryInMs])).toEqual([
      ["server", 0, 1000],
      ["overloaded", 1, 2000],
      ["network", 2, 4000],
    ]);
    expect(time.waits).toEqual([1000, 2000, 4000]);
  });

  test("after the last retry the error comes out", async () => {
    const only = model("a", ...Array.from({ length: 9 }, () => failing("server")));
    const { ask, failed } = routed([only], { maxRetries: 2 });
    expect((await failureOf(ask())).code).toBe("server");
    expect(failed.map(({ retryInMs }) => retryInMs)).toEqual([1000, 2000, undefined]);
  });

  test("the back-off and a long Retry-After are capped", async () => {
    const only = model("a", failing("server"), failing("rate_limit", { retryAfterMs: 3_600_000 }), { text: "ok" });
    const { ask, time } = routed([only], { baseDelayMs: 90_000, maxDelayMs: 5_000, maxRetryAfterMs: 20_000 });
    await ask();
    expect(time.waits).toEqual([5_000, 20_000]);
  });

  test.each(["authentication", "billing", "bad_request", "model_not_found", "not_configured"] as const)(
    "%s is not tried again",
    async (code) => {
      const only = model("a", failing(code), { text: "never" });
      const { ask, failed } = routed([only]);
      expect((await failureOf(ask())).code).toBe(code);
      expect(failed).toHaveLength(1);
    },
  );

  test("what was streamed before a failure is declared void", async () => {
    const only = model("a", failing("network", { after: { text: "half an" } }), { text: "whole" });
    const { ask, deltas } = routed([only]);
    await ask();
    expect(deltas.map((delta) => (delta.type === "text" ? delta.text : delta.type))).toEqual([
      "half ",
      "an",
      "reset",
      "whole",
    ]);
  });

  test("an error that is no model's goes through at once", async () => {
    const strange = new Error("a hook threw");
    const only = model("a", () => Promise.reject(strange));
    const { ask, failed } = routed([only]);
    await expect(ask()).rejects.toBe(strange);
    expect(failed).toEqual([]);
  });

  test("an abort ends the wait", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const route = createRoute(
      [{ models: [model("a", failing("server"), { text: "never" })] }],
      {},
      {
        random: () => 1,
        clock: { now: () => 0, timer: () => () => undefined },
      },
    );
    const asked = route.generate(
      request,
      { signal: controller.signal },
      (attempt, sent, call) => attempt.model.generate(sent, call),
      {
        failed: () => void queueMicrotask(() => controller.abort(reason)),
      },
    );
    await expect(asked).rejects.toBe(reason);
  });
});

describe("credentials", () => {
  test.each(["rate_limit", "authentication", "billing"] as const)(
    "%s brings the next key at once, and it stays",
    async (code) => {
      const first = model("a", failing(code));
      const second = model("a", { text: "one" }, { text: "two" });
      const { ask, time } = routed([[first, second]]);
      expect((await ask()).message.content).toBe("one");
      expect((await ask()).message.content).toBe("two");
      expect(time.waits).toEqual([0]);
      expect(first.requests).toHaveLength(1);
    },
  );

  test("when every key was refused it ends", async () => {
    const { ask, failed } = routed([[model("a", failing("authentication")), model("a", failing("authentication"))]]);
    expect((await failureOf(ask())).code).toBe("authentication");
    expect(failed).toHaveLength(2);
  });
});

describe("the fallback list", () => {
  test("the next model takes over when one cannot answer, and the first rests", async () => {
    const first = model("a", failing("billing"), { text: "a is back" });
    const second = model("b", { text: "from b" }, { text: "b again" });
    const { ask, switched, route, time, failed } = routed([first, second]);
    expect((await ask()).message.content).toBe("from b");
    expect(switched).toEqual(["a→b"]);
    expect(failed[0]?.retryInMs).toBe(0);
    expect(route.current.id).toBe("b");
    expect((await ask()).message.content).toBe("b again");
    time.advance(60_000);
    expect(route.current.id).toBe("a");
    expect((await ask()).message.content).toBe("a is back");
  });

  test("a Retry-After that is too long is not waited for", async () => {
    const { ask, time } = routed([
      model("a", failing("rate_limit", { retryAfterMs: 600_000 })),
      model("b", { text: "from b" }),
    ]);
    expect((await ask()).message.content).toBe("from b");
    expect(time.waits).toEqual([]);
  });

  test.each(["context_overflow", "content_refused"] as const)("%s is left to the loop", async (code) => {
    const second = model("b", { text: "never" });
    const { ask, switched } = routed([model("a", failing(code)), second]);
    expect((await failureOf(ask())).code).toBe(code);
    expect(switched).toEqual([]);
    expect(second.requests).toEqual([]);
  });

  test("when all fail, the first model's error tells of all", async () => {
    const { ask } = routed([
      model("a", failing("billing", { message: "no credit" })),
      model("b", failing("bad_request", { message: "no tools" })),
    ]);
    const error = await failureOf(ask());
    expect(error.code).toBe("billing");
    expect(error.message).toMatch(/no credit.*test\/b: no tools/);
  });
});
