import type { Config } from "#config";
import { after } from "#host";
import type { ModelRequest, ModelRoute } from "#models";
import {
  type Owner,
  occasion,
  PluginError,
  type PluginModel,
  type PluginQuestion,
  type PluginReply,
  pluginModel,
  type Registry,
} from "#plugins";
import type { Auxiliary } from "../auxiliary.ts";
import type { House } from "../house.ts";
import { modelRoute } from "../model-route.ts";
import type { Talks } from "../talks.ts";

/** Seconds that a call takes at most where nobody says it. */
const usualSeconds = 120;

export interface AnswerParts {
  readonly house: House;
  readonly config: () => Promise<Config>;
  readonly auxiliary: Auxiliary;
  readonly talks: Talks;
  readonly registry: () => Registry;
  /** Answers every question, whatever is configured. */
  readonly route?: ModelRoute;
}

/** The host's model for a plugin: the session's own route, what its task names, or what the plugin may choose. */
export function hostModel(owner: Owner, parts: AnswerParts): PluginModel {
  return pluginModel(owner, {
    entries: async () => (await parts.config()).settings["plugins.entries"],
    ask: (question) => answer(owner, question, parts),
    log: (level, message) => parts.house.log.write(level, message),
  });
}

interface Helped {
  readonly route: ModelRoute;
  readonly limitMs?: number;
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

async function answer(owner: Owner, question: PluginQuestion, parts: AnswerParts): Promise<PluginReply> {
  const { route, limitMs, extraBody } = await helperOf(owner, question, parts);
  const seconds = question.timeoutSeconds ?? (limitMs === undefined ? usualSeconds : limitMs / 1000);
  const limit = new AbortController();
  const late = new Error(`the model did not answer the plugin ${owner.key} within ${seconds} s`);
  late.name = "TimeoutError";
  const stop = after(seconds * 1000, () => limit.abort(late));
  const signals = [limit.signal, owner.signal, ...(question.signal === undefined ? [] : [question.signal])];
  let provider = route.current.provider;
  let model = route.current.id;
  try {
    const result = await route.generate(
      requestOf(question, extraBody),
      { signal: AbortSignal.any(signals) },
      (attempt, sent, call) => {
        ({ provider, id: model } = attempt.model);
        return attempt.model.generate(sent, call);
      },
      { failed: () => undefined },
    );
    const { message, usage, responseModel } = result;
    return { text: message.content, usage, provider, model: responseModel || model };
  } finally {
    stop();
  }
}

function requestOf(question: PluginQuestion, ofTask: Helped["extraBody"]): ModelRequest {
  const { system, messages, temperature, maxOutputTokens, responseFormat } = question;
  const extraBody = { ...ofTask, ...question.extraBody };
  return {
    system,
    messages,
    tools: [],
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    ...(Object.keys(extraBody).length === 0 ? {} : { extraBody }),
  };
}

async function helperOf(owner: Owner, question: PluginQuestion, parts: AnswerParts): Promise<Helped> {
  const { provider, model, task } = question;
  const own = parts.route ?? (await ownRoute(parts));
  if (parts.route === undefined && (provider !== undefined || model !== undefined)) {
    const names = [provider ?? own.current.provider, ...(model === undefined ? [] : [model])];
    return { route: await modelRoute(parts.house, names.join("/")) };
  }
  if (task === undefined) return { route: own };
  const registered = parts
    .registry()
    .of("auxiliaryTask")
    .find((one) => one.owner.key === owner.key && one.value.key === task);
  if (registered === undefined)
    throw new PluginError("invalid_request", `the plugin ${owner.key} has registered no auxiliary task '${task}'`);
  return parts.auxiliary.helper(task, own, registered.value);
}

interface Place {
  readonly sessionId?: string;
  readonly provider?: string;
  readonly model?: string;
}

/** The model of the session at hand; a sub-agent's may be another one than that of its parent. */
async function ownRoute({ house, talks }: AnswerParts): Promise<ModelRoute> {
  const at = (occasion().context ?? {}) as Place;
  const talk = talks.find(at.sessionId);
  if (talk === undefined) return modelRoute(house);
  const { route } = talk.session;
  if (at.sessionId === undefined || at.sessionId === talk.session.id) return route;
  if (at.provider === undefined || at.provider === "offline" || at.model === undefined) return route;
  return modelRoute(house, `${at.provider}/${at.model}`).catch(() => route);
}
