import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EventName, encodeClaude, encodeShell, json, named, type Question, rows } from "#kernel";
import type { Execution } from "../executor.ts";
import type { HookContext, HookPorts } from "../hook-context.ts";
import type { HookSource, Rule } from "../rule.ts";

export interface Workshop {
  readonly home: string;
  readonly folder: string;
  readonly ports: HookPorts;
  readonly context: HookContext;
  readonly delivered: { readonly text: string; readonly wake: boolean }[];
  readonly logged: string[];
  /** An executable file with this text; its path. */
  script(name: string, text: string, mode?: number): string;
}

/** A home, a project folder, and ports that remember what reached them. */
export function workshop(extra: Partial<HookPorts> = {}): Workshop {
  const home = mkdtempSync(join(tmpdir(), "talaria-hooks-home-"));
  const folder = mkdtempSync(join(tmpdir(), "talaria-hooks-project-"));
  const delivered: { text: string; wake: boolean }[] = [];
  const logged: string[] = [];
  const context: HookContext = {
    sessionId: "s-1",
    turnId: "t-1",
    depth: 0,
    platform: "cli",
    cwd: folder,
    signal: new AbortController().signal,
    surface: { emit: () => undefined },
    state: (_slot, create) => create(),
    askModel: async () => "{}",
  };
  const ports: HookPorts = {
    home,
    projectFolder: () => folder,
    transcript: async () => "",
    permissionMode: () => "default",
    environment: () => ({ PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/" }),
    ask: async () => '{"ok": true}',
    deliver: (_context, text, wake) => delivered.push({ text, wake }),
    spill: async (_sessionId, name) => join(home, name),
    log: (level, message) => logged.push(`${level}: ${message}`),
    ...extra,
  };
  const script = (name: string, text: string, mode = 0o755): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode });
    return path;
  };
  return { home, folder, ports, context, delivered, logged, script };
}

type Kind = Rule["type"];
type Of<K extends Kind> = Extract<Rule, { readonly type: K }>;
const perKind: { readonly [K in Kind]: Partial<Of<K>> } = {
  command: { args: undefined, shell: undefined, async: false, asyncRewake: false },
  worker: { args: undefined },
  http: { headers: {}, allowedEnvVars: [] },
  prompt: { model: undefined, continueOnBlock: false },
  agent: { model: undefined },
  mcp_tool: { input: {} },
};

export interface Asked {
  readonly dialect?: "shell" | "claude";
  readonly source?: Partial<HookSource>;
  readonly name?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

let count = 0;

/** One run of a rule for an event, by the name of its dialect (`PreToolUse`, `pre_tool_call`). */
export function execution<K extends Kind>(
  shop: Workshop,
  rule: Partial<Of<K>> & { readonly type: K },
  asked: Asked = {},
): Execution<Of<K>> {
  const dialect = asked.dialect ?? "claude";
  const name = asked.name ?? (dialect === "shell" ? "pre_tool_call" : "PreToolUse");
  const found = named(dialect, name);
  if (found === undefined) throw new Error(`no event is called ${name}`);
  const event: EventName = found.event;
  const payload = { ...rows[event].row.example, ...asked.payload };
  const question: Question = { event, view: found.view, payload };
  const { context } = shop;
  const wire: Record<string, unknown> =
    dialect === "shell"
      ? { ...encodeShell(question, context.cwd) }
      : encodeClaude(question, { sessionId: context.sessionId, transcriptPath: "", cwd: context.cwd });
  count += 1;
  const source: HookSource = {
    kind: "user",
    name: "settings.json",
    dialect,
    parallel: false,
    strict: false,
    trust: "none",
    mode: "enforce",
    ...asked.source,
  };
  const base = {
    id: `rule-${count}`,
    source,
    event,
    eventName: name,
    where: "settings.json:1",
    matcher: undefined,
    condition: undefined,
    timeoutMs: 10_000,
    once: false,
    statusMessage: undefined,
    onFailure: undefined,
    mode: "enforce",
    payload: "full",
    rejudge: true,
  } as const;
  const signal = asked.signal ?? context.signal;
  const whole = { ...base, ...perKind[rule.type], ...rule } as unknown as Of<K>;
  return { rule: whole, question, wire, json: json(wire), context, signal };
}
