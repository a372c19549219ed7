/** One tool call of a scripted answer. `text` in place of `args` is sent as it stands, also where it is no JSON. */
export interface ScriptedCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly id?: string;
}

/** One answer of a scripted model or server. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  /** What the provider wants back with its reasoning: a signature, an encrypted blob. Servers only. */
  readonly signature?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly finishReason?: "stop" | "tool-calls" | "length" | "content-filter";
  readonly usage?: {
    /** With what was read from and written to the cache. */
    readonly input?: number;
    readonly output?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    readonly reasoning?: number;
  };
  /** Milliseconds before the first byte. */
  readonly delayMs?: number;
}

/** An answer in which nothing is left open. `number` counts the answers of a script from 1 and makes the call ids. */
export interface FullAnswer {
  readonly number: number;
  readonly text: string;
  readonly reasoning: string;
  readonly signature: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly text: string }[];
  readonly finishReason: "stop" | "tool-calls" | "length" | "content-filter";
  readonly usage: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly reasoning: number;
  };
}

export function fullAnswer(answer: ScriptedAnswer, number: number): FullAnswer {
  const calls = (answer.calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${number}_${index + 1}`,
    name: call.name,
    text: call.text ?? JSON.stringify(call.args ?? {}),
  }));
  return {
    number,
    text: answer.text ?? "",
    reasoning: answer.reasoning ?? "",
    signature: answer.signature ?? "",
    calls,
    finishReason: answer.finishReason ?? (calls.length > 0 ? "tool-calls" : "stop"),
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0, ...answer.usage },
  };
}

/** Pieces as a model streams them: about a word each. */
export function pieces(text: string): readonly string[] {
  return text.match(/\s*\S{1,12}|\s+/gu) ?? [];
}
