import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { type ModelServer, modelServer, type RecordedRequest, type ServerStep } from "../src/testing.ts";

export const program = resolve("bin/talaria.cjs");

/** A folder that is gone when the test is. */
export function folder(name = "talaria-test-"): string {
  const made = mkdtempSync(join(tmpdir(), name));
  onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 3 }));
  return made;
}

export interface Ran {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly home: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; absent: the null device. */
  readonly input?: string;
  /** A program that starts ours: its words come first. */
  readonly through?: readonly string[];
}

/** The environment of a machine on which nothing is configured: no key, no local model server, this home. */
export function cleanEnvironment(home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    TALARIA_HOME: join(home, ".talaria"),
    TALARIA_NO_LOCAL_SERVERS: "1",
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    ...more,
  };
}

/** Starts the built program; the caller talks to the child. It is ended with the test. */
export function start(words: readonly string[], options: RunOptions): ChildProcess & { readonly done: Promise<Ran> } {
  const [first = "", ...rest] = [...(options.through ?? []), process.execPath, program, ...words];
  const child = spawn(first, rest, {
    cwd: options.cwd ?? options.home,
    env: cleanEnvironment(options.home, options.env),
    stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(options.input);
  const done = new Promise<Ran>((settle) =>
    child.on("close", (status, signal) => settle({ status, signal, stdout, stderr })),
  );
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  });
  return Object.assign(child, { done });
}

/** Runs the built program to its end. */
export function run(words: readonly string[], options: RunOptions): Promise<Ran> {
  return start(words, options).done;
}

/** The lines of a `--json` run. */
export function events(ran: Ran): readonly { readonly type: string; readonly [key: string]: unknown }[] {
  return ran.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { type: string });
}

/** A local model server that is closed with the test. */
export async function server(
  ...script: readonly (ServerStep | ((request: RecordedRequest) => ServerStep))[]
): Promise<ModelServer> {
  const opened = await modelServer(script);
  onTestFinished(() => opened.close());
  return opened;
}

/** The environment and the model's name by which the program finds a server in one of the protocols. */
export const protocols = {
  chat: (url: string) => ({
    model: "",
    config: `model:\n  provider: custom\n  default: test-model\n  base_url: ${url}/v1\n  api_key: sk-test\n`,
    env: {},
  }),
  responses: (url: string) => ({
    model: "openai/test-model",
    config: "",
    env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "sk-test" },
  }),
  anthropic: (url: string) => ({
    model: "anthropic/test-model",
    config: "",
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-test" },
  }),
  gemini: (url: string) => ({
    model: "google/test-model",
    config: "",
    env: { GEMINI_BASE_URL: url, GEMINI_API_KEY: "sk-test" },
  }),
} as const;

export type Protocol = keyof typeof protocols;

/** A home whose model is a server, spoken to in one protocol. `more` is put at the end of config.yaml. */
export function modelHome(
  protocol: Protocol,
  { url }: ModelServer,
  more = "",
): RunOptions & { readonly words: readonly string[] } {
  const home = folder();
  const { model, config, env } = protocols[protocol](url);
  mkdirSync(join(home, ".talaria"), { recursive: true });
  writeFileSync(join(home, ".talaria", "config.yaml"), config + more);
  return { home, env, words: model === "" ? [] : ["--model", model] };
}

/** Waits until something is so; fails after 20 s. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`never so: ${what}`);
    await new Promise((settle) => setTimeout(settle, 20));
  }
}

export interface SentMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}

/** The conversation of a recorded request of the chat protocol. */
export function sent(request: RecordedRequest | undefined): readonly SentMessage[] {
  if (request === undefined) throw new Error("the model was not asked");
  return (request.body as { readonly messages: readonly SentMessage[] }).messages;
}

/** Ids of all calls and of all results in a conversation: equal where no pair is torn. */
export function pairs(messages: readonly SentMessage[]): {
  readonly called: readonly string[];
  readonly answered: readonly string[];
} {
  return {
    called: messages.flatMap(({ tool_calls }) => tool_calls ?? []).map(({ id }) => id),
    answered: messages.flatMap(({ tool_call_id }) => tool_call_id ?? []),
  };
}
