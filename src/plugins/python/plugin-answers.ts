import { occasion, onOccasion } from "../occasion.ts";
import type { PluginContext } from "../plugin-context.ts";
import type { CallOptions } from "./host-life.ts";
import type { Values } from "./messages.ts";
import type { Answering } from "./python-host.ts";
import type { Residence } from "./residence.ts";

const notOffered = { name: "NotImplementedError" };

/** Answers what Python code asks on behalf of the plugins that live there, by their keys. */
export function pluginAnswers(residences: ReadonlyMap<string, Residence>): Answering {
  const contextOf = (key: string | undefined): PluginContext => {
    const residence = key === undefined ? undefined : residences.get(key);
    if (residence !== undefined) return residence.context;
    if (key !== undefined) throw new Error(`the plugin ${key} was unloaded`);
    throw new Error("this works only from a callback of a plugin, not from a thread of its own");
  };
  const keyNow = (): string | undefined =>
    occasion().plugin ?? (residences.size === 1 ? [...residences.keys()][0] : undefined);
  return async (question, values, inside) => {
    if (question === "next") return following(inside, values);
    if (question === "person.ask")
      return inside?.ask?.(String(values["question"]), { secret: values["secret"] === true });
    const answer = answers[question];
    if (answer === undefined) throw Object.assign(new Error(`Talaria does not offer ${question} here`), notOffered);
    // The agent's modules do not say for whom they ask: it is whoever is being called.
    const key = typeof values["plugin"] === "string" ? values["plugin"] : keyNow();
    const residence = key === undefined ? undefined : residences.get(key);
    return onOccasion(key === undefined ? {} : { plugin: key }, () =>
      question === "register" && residence !== undefined ? residence.enrol(values) : answer(contextOf(key), values),
    );
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
