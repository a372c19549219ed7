import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, every, now, uuid } from "../host/index.ts";
import {
  blueprint,
  createKernel,
  type EventName,
  type HookGroup,
  lifecycle,
  type Middleware,
  type ToolMessage,
} from "../kernel/index.ts";
import { createRoute, type ModelRoute } from "../models/index.ts";
import { openSqliteStore, type SessionStore, type StoredMessage } from "../sessions/index.ts";
import { type ScriptedModel, type ScriptedOptions, type ScriptedStep, scriptedModel } from "../testing.ts";
import type { Span } from "../trace/index.ts";
import { type Agent, createAgent } from "./agent.ts";
import type { TurnContext } from "./context.ts";
import type { AgentPorts, AgentSettings } from "./settings.ts";
import type { Surface, TurnEvent } from "./surface.ts";
import type { Tool, ToolRun } from "./tool.ts";

export type Part = Middleware<TurnContext>;

export const testSettings: AgentSettings = {
  maxIterations: 20,
  compaction: { enabled: true, threshold: 0.5, targetRatio: 0.4, protectFirst: 1, protectLast: 6 },
  delegation: {
    maxConcurrentChildren: 3,
    maxIterations: 5,
    maxSpawnDepth: 1,
    orchestratorEnabled: true,
    childTimeoutSeconds: undefined,
    maxBackgroundChildren: 3,
    inheritMcpTools: true,
  },
  guardrails: {
    warnings: true,
    hardStop: false,
    warnAfter: { exactFailure: 2, sameToolFailure: 3, idempotentNoProgress: 2 },
    hardStopAfter: { exactFailure: 5, sameToolFailure: 8, idempotentNoProgress: 5 },
  },
};

export function routeOf(model: ScriptedModel): ModelRoute {
  const clock = { now, timer: after };
  return createRoute([{ models: [model] } as never], { baseDelayMs: 1, maxDelayMs: 2 }, { clock, random: Math.random });
}

/** A tool by name: `run` gives the result, JSON of its arguments by default. */
export function tool(name: string, options: Partial<Tool> = {}): Tool {
  return {
    name,
    description: `The tool ${name}.`,
    parameters: { type: "object", properties: { path: { type: "string" }, count: { type: "integer" } } },
    toolset: "test",
    run: async (args) => JSON.stringify({ done: name, ...args }),
    ...options,
  };
}

/** A middleware that carries tools and one prompt section. */
export function toolbox(...tools: readonly Tool[]): Part {
  return { slot: "filesystem", sections: () => ["You are a test agent."], tools: () => tools };
}

/** Listens to every event, writes down what fired, and answers nothing. */
export function listener(
  events: string[],
  detail: (event: string, payload: never) => string = (event) => event,
): HookGroup<TurnContext> {
  const entries = Object.keys(lifecycle).map((event, index) => {
    const wrap = lifecycle[event as EventName].strategy === "wrap";
    const write = (payload: unknown) => void events.push(detail(event, payload as never));
    return {
      event,
      owner: "test:listener",
      rank: [0, index],
      consider: () => undefined,
      run: wrap
        ? async (payload: unknown, next: () => unknown) => {
            write(payload);
            return next();
          }
        : write,
      limitMs: 5_000,
      onFailure: "continue",
      mode: "enforce",
      rejudge: true,
    };
  });
  return { slot: "hook", name: "listener", parallel: false, entries: entries as never };
}

export interface HouseOptions {
  readonly script?: readonly ScriptedStep[];
  readonly model?: ScriptedOptions;
  readonly parts?: readonly (Part | HookGroup<TurnContext>)[];
  readonly settings?: Partial<AgentSettings>;
  readonly folder?: string;
  /** Stands between the loop and the store. */
  readonly store?: (store: SessionStore) => SessionStore;
  readonly ports?: Partial<AgentPorts>;
  readonly processes?: Parameters<typeof openSqliteStore>[0]["processes"];
}

export interface House extends AsyncDisposable {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly store: SessionStore;
  readonly folder: string;
  readonly spans: Span[];
  readonly logs: string[];
  readonly seen: TurnEvent[];
  readonly surface: Surface;
  open(resume?: string): Promise<Awaited<ReturnType<Agent["open"]>>>;
  turn(session: Awaited<ReturnType<Agent["open"]>>, text: string): ReturnType<Agent["runTurn"]>;
  messages(id: string): Promise<readonly StoredMessage[]>;
}

function recorderOf(spans: Span[], sessionId: string, turnId: string): ReturnType<AgentPorts["recorder"]> {
  return {
    start(kind, name, options) {
      const id = uuid();
      const startedAt = now();
      let attributes = { ...options?.attributes };
      let open = true;
      return {
        id,
        set: (more) => {
          attributes = { ...attributes, ...more };
        },
        end(status = "ok") {
          if (!open) return;
          open = false;
          spans.push({
            id,
            parentId: options?.parent?.id,
            sessionId,
            turnId,
            kind,
            name,
            startedAt,
            endedAt: now(),
            status,
            attributes,
          });
        },
      };
    },
    record: () => undefined,
    flush: async () => undefined,
    spans: () => spans,
  };
}

/** The loop over the real kernel and the real SQLite store, with a model that plays a script. */
export async function house(options: HouseOptions = {}): Promise<House> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "agent-")));
  const processes = options.processes === undefined ? {} : { processes: options.processes };
  const opened = await openSqliteStore({ file: join(folder, "state.db"), ...processes });
  const store = options.store?.(opened) ?? opened;
  const logs: string[] = [];
  const spans: Span[] = [];
  const seen: TurnEvent[] = [];
  const layer = createKernel<TurnContext>(blueprint, {
    every,
    report: (kind, owner, event, detail) => void logs.push(`${kind} ${owner} ${event} ${String(detail)}`),
  });
  for (const part of options.parts ?? []) layer.add(part);
  const model = scriptedModel(options.script ?? [], options.model);
  const ports: AgentPorts = {
    store,
    layer,
    now,
    after,
    id: (kind) => (kind === "session" ? `s-${uuid().slice(-12)}` : uuid()),
    recorder: (sessionId, turnId) => recorderOf(spans, sessionId, turnId),
    spill: async (_sessionId, name, text) => {
      const file = join(folder, name);
      await writeFile(file, text);
      return file;
    },
    log: (level, message) => void logs.push(`${level} ${message}`),
    ...options.ports,
  };
  const agent = createAgent(ports, { ...testSettings, ...options.settings });
  const surface: Surface = { emit: (event) => void seen.push(event) };
  return {
    agent,
    model,
    store,
    folder,
    spans,
    logs,
    seen,
    surface,
    async open(reference) {
      const resume = reference === undefined ? undefined : await store.find(reference);
      return agent.open({
        cwd: folder,
        source: "test",
        route: routeOf(model),
        ...(resume === undefined ? {} : { resume }),
      });
    },
    turn: (session, text) => agent.runTurn(session, { content: text }, surface),
    messages: (id) => opened.messages(id),
    async [Symbol.asyncDispose]() {
      await opened.close();
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The results in a stored conversation, as `name: content`. */
export function results(messages: readonly StoredMessage[]): readonly string[] {
  return messages.flatMap(({ message }) =>
    message.role === "tool" ? [`${message.toolName}: ${textOf(message)}`] : [],
  );
}

function textOf({ content }: ToolMessage): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

export type { ToolRun };
