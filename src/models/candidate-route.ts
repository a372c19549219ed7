import type { KeyStrategy } from "./choice.ts";
import { errorClasses, isModelError, ModelError } from "./error.ts";
import type { Model, ModelCall, ModelRequest, ModelResult } from "./model.ts";
import { type ModelPorts, sleep } from "./ports.ts";
import type { Attempt, ModelRoute, RouteObserver } from "./route.ts";
import type { Candidate } from "./selection.ts";

export interface RouteSettings {
  /** Retries at one model after its first attempt; 3. */
  readonly maxRetries?: number;
  /** First wait of the exponential back-off; 1,000. */
  readonly baseDelayMs?: number;
  /** Longest wait of the back-off; 30,000. */
  readonly maxDelayMs?: number;
  /** Longest `Retry-After` that is waited for; 60,000. A longer one is cut to this, or the next model takes over at once. */
  readonly maxRetryAfterMs?: number;
  /** How long a model that failed is passed over in later calls while another can answer; 60,000. */
  readonly coolDownMs?: number;
}

type Send = (attempt: Attempt, request: ModelRequest, call: ModelCall) => Promise<ModelResult>;

interface Place {
  readonly models: readonly [Model, ...Model[]];
  readonly strategy: KeyStrategy;
  /** Calls by credential. */
  readonly used: number[];
  credential: number;
  restingUntil: number;
}

const defaults: Required<RouteSettings> = {
  maxRetries: 3,
  baseDelayMs: 1_000,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 60_000,
  coolDownMs: 60_000,
};

/** A route over an ordered fallback list. Which model rests, and which credential is in use, is remembered between calls. */
export function createRoute(
  candidates: readonly [Candidate, ...Candidate[]],
  settings: RouteSettings,
  ports: Pick<ModelPorts, "clock" | "random">,
): ModelRoute {
  const limits = { ...defaults, ...settings };
  const places = candidates.map(
    ({ models, keyStrategy = "fill_first" }): Place => ({
      models,
      strategy: keyStrategy,
      used: models.map(() => 0),
      credential: 0,
      restingUntil: 0,
    }),
  );
  const order = () => {
    const now = ports.clock.now();
    const ready = places.filter((place) => place.restingUntil <= now);
    return ready.length > 0 ? ready : [...places].sort((a, b) => a.restingUntil - b.restingUntil);
  };
  return {
    get current() {
      return modelOf(order()[0] ?? places[0]);
    },
    async generate(request, call, send, observer) {
      const failures: ModelError[] = [];
      let streamed = false;
      const watched: ModelCall = {
        ...call,
        onDelta: (delta) => {
          streamed = true;
          call.onDelta?.(delta);
        },
      };
      const restart = (reason: string) => {
        if (streamed) call.onDelta?.({ type: "reset", reason });
        streamed = false;
      };
      const queue = order();
      for (const [index, place] of queue.entries()) {
        const next = queue[index + 1];
        const trial: Trial = { place, request, call: watched, send, observer, limits, ports, next, restart };
        const outcome = await tryPlace(trial);
        if ("result" in outcome) return outcome.result;
        failures.push(outcome.error);
      }
      throw exhausted(failures);
    },
  };
}

interface Trial {
  readonly place: Place;
  readonly request: ModelRequest;
  readonly call: ModelCall;
  readonly send: Send;
  readonly observer: RouteObserver;
  readonly limits: Required<RouteSettings>;
  readonly ports: Pick<ModelPorts, "clock" | "random">;
  /** Who takes over. */
  readonly next: Place | undefined;
  readonly restart: (reason: string) => void;
}

type Outcome = { readonly result: ModelResult } | { readonly error: ModelError };

/** Every attempt at one model: retries, and its credentials in turn. Throws what no other attempt could change. */
async function tryPlace(trial: Trial): Promise<Outcome> {
  trial.place.credential = nextCredential(trial.place, trial.ports.random);
  const refused = new Set<number>();
  for (let retries = 0, rotations = 0; ; ) {
    const attempt: Attempt = {
      model: modelOf(trial.place),
      retryCount: retries + rotations,
      maxRetries: trial.limits.maxRetries,
    };
    const outcome = await oneAttempt(trial, attempt);
    if ("result" in outcome) return outcome;
    const step = nextStep(trial, outcome.error, retries, refused);
    await report(trial, attempt, outcome.error, step);
    if (step.kind === "stop") return stopped(trial, outcome.error);
    trial.restart(outcome.error.summary);
    if (step.kind === "rotate") rotations += 1;
    else retries += 1;
    await sleep(trial.ports.clock, step.waitMs, trial.call.signal);
  }
}

/** The credential that a call begins with. */
function nextCredential({ strategy, used, credential, models }: Place, random: () => number): number {
  if (strategy === "fill_first" || models.length === 1) return credential;
  if (strategy === "random") return Math.floor(random() * models.length) % models.length;
  if (strategy === "least_used") return used.indexOf(Math.min(...used));
  return used.some((count) => count > 0) ? (credential + 1) % models.length : credential;
}

async function oneAttempt({ place, request, call, send }: Trial, attempt: Attempt): Promise<Outcome> {
  call.signal.throwIfAborted();
  place.used[place.credential] = (place.used[place.credential] ?? 0) + 1;
  try {
    const result = await send(attempt, request, call);
    place.restingUntil = 0;
    return { result };
  } catch (error) {
    call.signal.throwIfAborted();
    if (isModelError(error)) return { error };
    throw error;
  }
}

async function report(trial: Trial, attempt: Attempt, error: ModelError, step: Step): Promise<void> {
  const { code, message, statusCode, retryable } = error;
  const retryInMs = step.kind === "stop" ? takeOverIn(trial, error) : step.waitMs;
  await trial.observer.failed({ ...attempt, code, message, statusCode, retryable, retryInMs });
}

type Step = { readonly kind: "stop" } | { readonly kind: "rotate" | "retry"; readonly waitMs: number };

function nextStep(trial: Trial, error: ModelError, retryCount: number, refused: Set<number>): Step {
  const { place, limits, next } = trial;
  if (errorClasses[error.code].otherCredential && place.models.length > 1) {
    refused.add(place.credential);
    const other = place.models.findIndex((_, index) => !refused.has(index));
    if (other >= 0) {
      place.credential = other;
      return { kind: "rotate", waitMs: 0 };
    }
    refused.clear();
  }
  if (!error.retryable || retryCount >= limits.maxRetries) return { kind: "stop" };
  if (next && (error.retryAfterMs ?? 0) > limits.maxRetryAfterMs) return { kind: "stop" };
  return { kind: "retry", waitMs: waitOf(trial, error, retryCount) };
}

/** What the server asked for, else exponential back-off between half and all of its step, so that many clients do not come back at once. */
function waitOf({ limits, ports }: Trial, error: ModelError, retryCount: number): number {
  if (error.retryAfterMs !== undefined) return Math.min(error.retryAfterMs, limits.maxRetryAfterMs);
  const step = Math.min(limits.maxDelayMs, limits.baseDelayMs * 2 ** retryCount);
  return Math.round(step * (0.5 + ports.random() / 2));
}

/** Overflow and refusal are the loop's to handle; every other failure lets the next model try. */
function isForTheLoop(error: ModelError): boolean {
  return error.code === "context_overflow" || error.code === "content_refused";
}

function takeOverIn({ next }: Trial, error: ModelError): number | undefined {
  return next && !isForTheLoop(error) ? 0 : undefined;
}

function stopped(trial: Trial, error: ModelError): Outcome {
  if (isForTheLoop(error)) throw error;
  const { place, next, limits, ports } = trial;
  place.restingUntil = ports.clock.now() + Math.max(limits.coolDownMs, error.retryAfterMs ?? 0);
  if (next) {
    trial.restart(error.summary);
    trial.observer.switched?.(modelOf(place), modelOf(next), error.message);
  }
  return { error };
}

function modelOf(place: Place | undefined): Model {
  const model = place?.models[place.credential] ?? place?.models[0];
  if (!model) throw new RangeError("a route needs at least one model");
  return model;
}

/** The first model's error; with several, its message tells of all. */
function exhausted(failures: readonly ModelError[]): ModelError {
  const [first, ...others] = failures;
  if (!first) throw new RangeError("a route needs at least one model");
  if (others.length === 0) return first;
  return new ModelError({
    code: first.code,
    address: { provider: first.provider, id: first.modelId, baseUrl: first.baseUrl },
    summary: `${first.summary}; then ${others.map((error) => `${error.provider}/${error.modelId}: ${error.summary}`).join("; then ")}`,
    statusCode: first.statusCode,
    retryAfterMs: first.retryAfterMs,
    cause: first,
  });
}
