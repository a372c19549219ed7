import { thrownText } from "../error.ts";
import type { LoadedPlugin, PluginLoader } from "../loader.ts";
import type { Candidate, PluginCode } from "../manifest.ts";
import { occasion, onOccasion } from "../occasion.ts";
import type { PluginContext } from "../plugin-context.ts";
import type { CallOptions } from "./host-life.ts";
import type { Values } from "./messages.ts";
import { operation, type PythonHost } from "./python-host.ts";
import { register } from "./registrations.ts";

interface PythonCandidate extends Candidate {
  readonly code: Extract<PluginCode, { readonly language: "python" }>;
}

interface Residence {
  readonly context: PluginContext;
  /** What it registered, in order: the same again in a new process means the same callbacks. */
  readonly registered: string[];
  /** How far it has come in a new process; undefined while it registers for the first time. */
  again: number | undefined;
}

/** Plugins in Python: they live in the host, and what they register is registered here with callbacks over the wire. */
export function pythonLoader(host: PythonHost, log: (message: string) => void): PluginLoader<"python"> {
  const residences = new Map<string, Residence>();
  const numbers = new Map<string, number>();
  const numberOf = (key: string): number => {
    const number = numbers.get(key) ?? numbers.size + 1;
    numbers.set(key, number);
    return number;
  };
  const contextOf = (key: string | undefined): PluginContext => {
    const residence = key === undefined ? undefined : residences.get(key);
    if (residence !== undefined) return residence.context;
    if (key !== undefined) throw new Error(`the plugin ${key} was unloaded`);
    throw new Error("this works only from a callback of a plugin, not from a thread of its own");
  };

  const keyOf = (): string | undefined =>
    occasion().plugin ?? (residences.size === 1 ? [...residences.keys()][0] : undefined);

  host.answerWith(async (question, values, inside) => {
    if (question === "next") return following(inside, values);
    if (question === "person.ask")
      return inside?.ask?.(String(values["question"]), { secret: values["secret"] === true });
    const answer = answers[question];
    if (answer === undefined) throw Object.assign(new Error(`Talaria does not offer ${question} here`), notOffered);
    // The agent's modules do not say for whom they ask: it is whoever is being called.
    const key = typeof values["plugin"] === "string" ? values["plugin"] : keyOf();
    const residence = key === undefined ? undefined : residences.get(key);
    return onOccasion(key === undefined ? {} : { plugin: key }, () =>
      question === "register" && residence !== undefined ? enrol(residence, values) : answer(contextOf(key), values),
    );
  });

  function enrol(residence: Residence, values: Values): void {
    const mark = `${String(values["kind"])}:${String(values["name"] ?? values["key"] ?? "")}`;
    if (residence.again === undefined) {
      register(values, residence.context, host);
      residence.registered.push(mark);
      return;
    }
    const expected = residence.registered[residence.again];
    residence.again += 1;
    if (expected !== mark)
      log(`${residence.context.key} registers ${mark} after a restart, and ${expected ?? "nothing"} before: reload it`);
  }

  async function load(candidate: PythonCandidate, context: PluginContext, fresh: boolean): Promise<LoadedPlugin> {
    const { key } = candidate;
    const residence: Residence = { context, registered: [], again: undefined };
    residences.set(key, residence);
    const told = loading(candidate, numberOf(key));
    try {
      await host.operate("load", { ...told, fresh }, { signal: context.signal });
    } catch (error) {
      residences.delete(key);
      throw error;
    }
    const leave = host.reside({
      name: `the plugin ${key}`,
      async bring(life) {
        residence.again = 0;
        await life.call(operation("load", { ...told, fresh: false }));
      },
    });
    return {
      async unload() {
        leave();
        if (residences.get(key) === residence) residences.delete(key);
        await host.operateIfRunning("unload", { key }).catch((error: unknown) => {
          log(`${key} could not be let go in Python: ${thrownText(error)}`);
        });
      },
    };
  }

  return {
    language: "python",
    load: (candidate, context, { fresh }) => load(candidate as PythonCandidate, context, fresh),
    close: () => host.close(),
  };
}

const notOffered = { name: "NotImplementedError" };

function loading({ key, manifest, source, code }: PythonCandidate, number: number): Values {
  const { name, version, description, author, kind } = manifest;
  const place = "folder" in code ? { folder: code.folder } : { module: code.module, attribute: code.attribute };
  return {
    key,
    number,
    ...place,
    manifest: {
      key,
      name,
      version,
      description,
      author,
      kind,
      source,
      path: "folder" in code ? code.folder : null,
      requires_env: manifest.raw["requires_env"] ?? [],
      provides_tools: manifest.providesTools,
      provides_hooks: manifest.providesHooks,
    },
  };
}

async function following(inside: CallOptions | undefined, values: Values): Promise<unknown> {
  if (inside?.next === undefined) throw new Error("next_call() was called after its middleware had ended");
  return inside.next(values["payload"]);
}

type Messages = Parameters<PluginContext["llm"]["complete"]>[0];
type Structured = Parameters<PluginContext["llm"]["completeStructured"]>[0];

/** What `ctx` asks for, of its own plugin. */
const answers: Readonly<Record<string, (context: PluginContext, values: Values) => unknown>> = {
  register: () => undefined,
  inject: (context, { content, role }) => context.injectMessage(String(content), String(role)),
  dispatchTool: (context, { name, args }) => context.dispatchTool(String(name), args as Values),
  "tools.dispatch": (context, { name, args }) => context.dispatchTool(String(name), args as Values),
  "auxiliary.complete": (context, { messages, options, task }) =>
    context.llm.complete(messages as Messages, {
      ...(options as Values),
      ...(typeof task === "string" ? { task } : {}),
    }),
  "llm.complete": (context, { messages, options }) => context.llm.complete(messages as Messages, options as Values),
  "llm.structured": (context, { options }) => context.llm.completeStructured(options as unknown as Structured),
};
