import { AsyncLocalStorage } from "node:async_hooks";
import { type LineChannelEnd, leave, lineChannelEnd, onUncaught, programArguments } from "#host";
import { pluginContext } from "../context/context.ts";
import { thrownText } from "../error.ts";
import type { Candidate } from "../manifest.ts";
import { onOccasion } from "../occasion.ts";
import type { PluginContext } from "../plugin-context.ts";
import { type PluginScope, pluginScope } from "../plugin-scope.ts";
import type { PluginReach } from "../reach.ts";
import type { RegistrationKind, Registrations } from "../registration.ts";
import { registry as newRegistry } from "../registry.ts";
import { loadModule } from "../typescript/typescript-loader.ts";
import { askedAtOnce, markOf, notIsolated } from "./told-registration.ts";
import { wire } from "./wire.ts";

// The program of a process that holds one plugin. It speaks the protocol of docs/reference/python-host.md over the
// descriptor that it is given, with values as docs/reference/isolated-plugins.md tells.

type Values = Readonly<Record<string, unknown>>;
type Run = (...given: readonly unknown[]) => unknown;

interface Message extends Values {
  readonly id?: number;
  readonly op?: "load" | "unload";
  readonly f?: string | number;
  readonly a?: unknown;
  readonly with?: Values;
  readonly cancel?: number;
  readonly ping?: number;
  readonly re?: number;
  readonly ok?: unknown;
  readonly error?: { readonly type: string; readonly message: string };
}

interface CallAtHand {
  readonly id: number;
  readonly controller: AbortController;
}

interface Asked {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const functions = new Map<string, Run>();
const running = new Map<number, CallAtHand>();
const asked = new Map<number, Asked>();
const registering: Promise<unknown>[] = [];
const atHand = new AsyncLocalStorage<CallAtHand>();
const never = new AbortController().signal;
let count = 0;
let scope: PluginScope | undefined;

const channel: LineChannelEnd = lineChannelEnd(Number(programArguments()[0]), {
  onLine: heard,
  onEnd: () => void end(),
});
const send = (message: object): void => channel.send(`${JSON.stringify(message)}\n`);
const log = (level: string, text: string): void => send({ log: level, name: "", text });

onUncaught((error) => log("WARNING", `an error that nobody caught: ${thrownText(error)}`));
send({ hello: { version: "1", executable: "node" } });

/** The house is gone, or has nothing to ask any more. */
async function end(): Promise<void> {
  await scope?.close();
  leave(0);
}

function heard(line: string): void {
  const message = JSON.parse(line) as Message;
  if (message.re !== undefined) answered(message.re, message);
  else if (message.cancel !== undefined) running.get(message.cancel)?.controller.abort();
  else if (message.ping !== undefined) send({ pong: message.ping });
  else if (message.id !== undefined) void perform(message.id, message);
}

function answered(number: number, { ok, error }: Message): void {
  const waiting = asked.get(number);
  asked.delete(number);
  if (error === undefined) waiting?.resolve(unpacked(ok));
  else
    waiting?.reject(
      Object.assign(new Error(error.message), { name: error.type === "RuntimeError" ? "Error" : error.type }),
    );
}

async function perform(id: number, message: Message): Promise<void> {
  const call: CallAtHand = { id, controller: new AbortController() };
  running.set(id, call);
  try {
    const ok = await atHand.run(call, () => performed(message));
    send({ id, ok: wire.pack(ok, { keep: (run) => kept(`result.${++count}`, run) }) });
  } catch (error) {
    const { name, stack = "" } = error instanceof Error ? error : new Error(String(error));
    send({ id, error: { type: name, message: thrownText(error), traceback: stack.slice(0, 8_000) } });
  } finally {
    running.delete(id);
  }
}

async function performed({ op, f, a, with: values = {} }: Message): Promise<unknown> {
  if (op === "load") return load(unpacked(values) as unknown as Loading);
  if (op === "unload") return scope?.close();
  const run = functions.get(String(f));
  if (run === undefined) throw new Error("the plugin was started anew and has not registered this again: reload it");
  return run(...(unpacked(a) as readonly unknown[]));
}

function kept(id: string, run: Run): string {
  functions.set(id, run);
  return id;
}

const unpacked = (packed: unknown): unknown =>
  wire.unpack(packed, {
    reach:
      (f) =>
      (...given) =>
        ask("call", { f, a: packedHere(given) }),
    signal: () => atHand.getStore()?.controller.signal ?? never,
  });

const packedHere = (value: unknown): unknown => wire.pack(value, { keep: (run) => kept(`given.${++count}`, run) });

function ask(question: string, values: Values): Promise<unknown> {
  const number = ++count;
  const inside = atHand.getStore();
  const answer = new Promise<unknown>((resolve, reject) => asked.set(number, { resolve, reject }));
  answer.catch(() => undefined); // nobody has to wait for what is only told
  send({ ask: number, do: question, with: values, ...(inside === undefined ? {} : { in: inside.id }) });
  return answer;
}

interface Loading {
  readonly candidate: Candidate;
  readonly home: string;
  readonly config: Values;
  readonly settings: Values;
  readonly environment: Readonly<Record<string, string>>;
}

async function load({ candidate, ...facts }: Loading): Promise<void> {
  const { key, manifest, code } = candidate;
  const { isolate: _isolate, ...config } = facts.config;
  const owner = { key, name: manifest.name, place: 0, language: "typescript" as const };
  const registry = newRegistry();
  const own = pluginScope(owner, registry, (text) => log("WARNING", text));
  own.commit();
  scope = own;
  let remarks: (readonly [string, string])[] = [];
  const tell: PluginScope["add"] = (kind, value) => {
    remarks = []; // the house checks it once more, and says the same
    const undo = own.add(kind, value);
    return told(kind, value, undo);
  };
  const remark = (level: string, text: string): void => {
    remarks.push([level.toUpperCase(), text]);
    queueMicrotask(() => {
      for (const [how, what] of remarks.splice(0)) log(how, what);
    });
  };
  const parts = { owner: own.owner, scope: { ...own, add: tell }, registry, reach, log: remark };
  const context: PluginContext = Object.defineProperties(pluginContext({ candidate, ...facts, config }, parts), {
    log: { value: pluginLog, enumerable: true },
    registerPlatform: { value: () => refuse("registerPlatform"), enumerable: true },
  });
  const entry = code.language === "typescript" ? code.entry : "";
  await onOccasion({ plugin: key, house: noManager }, () => loadModule(entry, context, { fresh: false }));
  await Promise.all(registering.splice(0));
}

function refuse(what: string): never {
  throw notIsolated(what);
}

const pluginLog = {
  debug: (text: string) => log("DEBUG", String(text)),
  info: (text: string) => log("INFO", String(text)),
  warning: (text: string) => log("WARNING", String(text)),
  error: (text: string) => log("ERROR", String(text)),
};

/** What the manager's functions of the plugin door act on. */
const noManager = new Proxy({}, { get: () => refuse("what asks for all plugins of the program") });

const reach: PluginReach = {
  model: () => ({
    complete: (...given) => ask("llm.complete", { a: packedHere(given) }) as never,
    completeStructured: (...given) => ask("llm.structured", { a: packedHere(given) }) as never,
  }),
  dispatchTool: (_owner, name, args) => ask("dispatchTool", { a: packedHere([name, args]) }) as Promise<string>,
  injectMessage(_owner, content, role) {
    void ask("inject", { a: packedHere([content, role]) });
    return true;
  },
  // The house knows, and refuses.
  toolsetOf: () => undefined,
  isBuiltInCommand: () => false,
};

let registrations = 0;

function told<K extends RegistrationKind>(kind: K, value: Registrations[K], undo: () => void): () => void {
  const number = ++registrations;
  let index = 0;
  const keep = (run: Run): string => kept(`${number}.${index++}`, run);
  const packed = wire.pack(value, { keep });
  const message = { number, kind, mark: markOf(kind, value), value: packed, answers: answersOf(value) };
  const done = ask("register", { ...message, a: [] });
  registering.push(done);
  return () => {
    undo();
    void ask("undo", { number, a: [] });
  };
}

function answersOf(value: object): Values {
  const inner = ("provider" in value ? value.provider : value) as Readonly<Record<string, unknown>>;
  const found: Record<string, unknown> = {};
  for (const name of askedAtOnce) {
    const member = inner[name];
    if (typeof member === "function") found[name] = wire.pack((member as Run).call(inner), { keep: () => 0 });
  }
  return found;
}
