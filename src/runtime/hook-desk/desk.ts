import type { CompiledSource, HookContext, HookTrust, OmittedRule, Rule, Skipped } from "#hooks";
import { environment } from "#host";
import { blueprint, createKernel, type HandlerRecord, type Layer } from "#kernel";
import { type HandlerCounters, handlerCounters, type Span, spanStore } from "#trace";
import { type HookHouse, openHookHouse } from "../hooks/hook-house.ts";
import type { HookOptions } from "../hooks/hook-options.ts";
import { type House, openHouse } from "../house.ts";
import { kernelPorts } from "../kernel-ports.ts";
import { mcpServers } from "../mcp-servers.ts";
import { openStore } from "../session-library.ts";
import { startFolder } from "../workplace.ts";
import { deskContext } from "./desk-context.ts";

export interface DeskOptions extends HookOptions {
  readonly home: string | undefined;
  /** Absolute. */
  readonly cwd: string;
  /** The person named this folder: `terminal.cwd` does not count. */
  readonly cwdIsNamed?: boolean;
}

/** The hooks of a folder without an agent: for lists, trials and explanations. */
export interface Desk {
  readonly house: House;
  readonly cwd: string;
  readonly hooks: HookHouse;
  readonly trust: HookTrust;
  /** The chain of hooks alone. */
  readonly layer: Layer<HookContext>;
  readonly sources: readonly CompiledSource[];
  readonly omitted: readonly OmittedRule[];
  /** What the kernel told of handlers, since the last call. */
  taken(): readonly HandlerRecord[];
  /** The rules that firings came to since the last call, in order, each with why it was left out. */
  considered(): readonly Consideration[];
  context(sessionId?: string): ReturnType<typeof deskContext>;
  close(): Promise<void>;
}

export interface Consideration {
  readonly rule: Rule;
  readonly skipped: Skipped | undefined;
}

export async function openDesk({ home, ...options }: DeskOptions): Promise<Desk> {
  const house = await openHouse({ home, cwd: options.cwd, environment: environment(), readOnly: true });
  const { cwd } = await startFolder(house, options);
  let records: HandlerRecord[] = [];
  let considered: Consideration[] = [];
  const { every, report } = kernelPorts(house.log, false);
  const probe = {
    now: () => performance.now(),
    firing: () => undefined,
    handler: (one: HandlerRecord) => void records.push(one),
  };
  const layer = createKernel<HookContext>(blueprint, { every, report, probe });
  const transcripts = {
    path: () => "",
    flush: async () => undefined,
  };
  const servers = mcpServers(house, { cwd, version: "desk", hooks: options });
  const hooks = await openHookHouse(
    layer,
    {
      house,
      cwd,
      transcripts,
      yolo: false,
      shimDirectory: undefined,
      projectOf: () => cwd,
      wake: () => undefined,
      callTool: servers.callTool,
      considered: (rule, skipped) => void considered.push({ rule, skipped }),
    },
    { ...options, desk: true },
  );
  return {
    house,
    cwd,
    hooks,
    trust: hooks.trust,
    layer,
    get sources() {
      return hooks.live.sources;
    },
    get omitted() {
      return hooks.live.sources.flatMap(({ omitted }) => omitted);
    },
    taken() {
      const given = records;
      records = [];
      return given;
    },
    considered() {
      const given = considered;
      considered = [];
      return given;
    },
    context: (sessionId) => deskContext(house, cwd, sessionId),
    async close() {
      await hooks.close();
      await servers.close();
    },
  };
}

/** What the trace knows of handlers. */
export interface RunFigures extends HandlerCounters {
  readonly lastRun: number;
  /** Runs in shadow mode, and those of them that would have refused. */
  readonly shadowRuns: number;
  readonly shadowDenied: number;
}

/** Spans of one kind from the store; none where there is no store yet. */
export async function storedSpans({ house }: Pick<Desk, "house">, kind: Span["kind"]): Promise<readonly Span[]> {
  try {
    const store = await openStore(house, true);
    try {
      return await spanStore(store.database).ofKind(kind);
    } finally {
      await store.close();
    }
  } catch {
    return []; // no store yet: nothing has run
  }
}

export async function runFigures(desk: Pick<Desk, "house">): Promise<ReadonlyMap<string, RunFigures>> {
  const spans = await storedSpans(desk, "handler");
  const byName = Map.groupBy(spans, ({ name }) => name);
  return new Map(
    handlerCounters(spans).map((counters) => {
      const own = byName.get(counters.handler) ?? [];
      const shadow = own.filter(({ attributes }) => attributes["shadow"] === true);
      const shadowDenied = shadow.filter(({ attributes }) => attributes["verdict"] === "deny").length;
      const lastRun = Math.max(...own.map(({ startedAt }) => startedAt));
      return [counters.handler, { ...counters, lastRun, shadowRuns: shadow.length, shadowDenied }] as const;
    }),
  );
}
