import { createAgent, type Tool, type TurnContext } from "#agent";
import { defaultSystemPrompt, filesystem } from "#capabilities";
import type { HookPorts } from "#hooks";
import { after, machineName, now, sessionId, uuid } from "#host";
import { blueprint, createKernel, type Middleware } from "#kernel";
import { openSqliteStore } from "#sessions";
import { turnRecorder } from "#trace";
import { agentSettings } from "../agent-settings.ts";
import type { House } from "../house.ts";
import { kernelPorts } from "../kernel-ports.ts";
import { modelRoute } from "../model-route.ts";

/** Steps that an `agent` rule may take. */
const maxIterations = 50;

/** Runs `agent` rules: an agent of its own that reads files, asks nobody, has no hooks and leaves nothing in the store. */
export function hookJudge(house: House): NonNullable<HookPorts["judge"]> {
  return async ({ model, text, context, signal }) => {
    const named = model === undefined ? undefined : await modelRoute(house, model).catch(() => undefined);
    const route = named ?? (await modelRoute(house, (context as Partial<TurnContext>).model && sessionModel(context)));
    const store = await openSqliteStore({ file: ":memory:" });
    try {
      const agent = createAgent(
        {
          store,
          layer: readingLayer(house),
          now,
          after: (ms, run) => after(ms, run),
          id: (kind) => (kind === "session" ? sessionId() : uuid()),
          recorder: (session, turn) =>
            turnRecorder({ sessionId: session, turnId: turn, redact: (given) => given, sinks: [] }),
          spill: async () => "",
          log: (level, message) => house.log.write(level, `agent rule: ${message}`),
        },
        agentSettings(house.config.settings),
      );
      const session = await agent.open({ cwd: context.cwd, source: "hook", route });
      const result = await agent.runTurn(session, { content: text, signal, maxIterations }, { emit: () => undefined });
      if (result.outcome === "completed" || result.outcome === "limit") return result.text;
      throw new Error(`the agent of the rule ended with ${result.exitReason}: ${result.text}`);
    } finally {
      await store.close();
    }
  };
}

function sessionModel(context: object): string | undefined {
  const { provider, model } = context as Partial<TurnContext>;
  return provider === undefined || model === undefined || provider === "offline" ? undefined : `${provider}/${model}`;
}

/** A chain of its own: no hooks, no permission to ask for, tools that only read. */
function readingLayer(house: House) {
  const layer = createKernel<TurnContext>(blueprint, kernelPorts(house.log, false));
  const files = filesystem({
    home: house.home.path,
    readCharacters: house.config.settings.file_read_max_chars,
  });
  const reading: Middleware<TurnContext> = {
    slot: files.slot,
    tools: (context) => (files.tools?.(context) ?? []).filter((tool) => (tool as Tool).readOnly === true),
  };
  layer.add(defaultSystemPrompt({ agentHome: house.home.path, system: machineName(), shell: "/bin/sh", now }));
  layer.add(reading);
  return layer;
}
