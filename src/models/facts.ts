/** What is known of a model by its name. Prices are US dollars per million tokens, as the vendors' price pages said in October 2026. */
export interface ModelFacts {
  readonly contextWindow: number;
  readonly acceptsImages: boolean;
  /** Asked for where the caller names no limit and the protocol requires one. */
  readonly maxOutputTokens?: number;
  readonly price?: Price;
}

export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface Row {
  readonly name: RegExp;
  readonly window: number;
  readonly images: boolean;
  readonly output?: number;
  /** Input, output, cache read, cache write. */
  readonly price?: readonly [number, number, number, number];
}

/** The first row whose pattern is found in the model's name counts. A model without a price costs `undefined`, never zero. */
const rows: readonly Row[] = [
  { name: /claude-fable-5/, window: 1_000_000, images: true, output: 64_000, price: [10, 50, 1, 12.5] },
  { name: /claude-opus-5[.-]5/, window: 1_000_000, images: true, output: 64_000, price: [4, 20, 0.2, 5] },
  { name: /claude-opus-(5|4[.-][5-8])/, window: 200_000, images: true, output: 64_000, price: [5, 25, 0.5, 6.25] },
  { name: /claude-opus-4/, window: 200_000, images: true, output: 32_000, price: [15, 75, 1.5, 18.75] },
  { name: /claude-sonnet-5/, window: 1_000_000, images: true, output: 64_000, price: [2, 10, 0.2, 2.5] },
  {
    name: /claude-(sonnet-4|3[.-][57]-sonnet)/,
    window: 200_000,
    images: true,
    output: 8_192,
    price: [3, 15, 0.3, 3.75],
  },
  { name: /claude-haiku-5/, window: 1_000_000, images: true, output: 64_000 },
  { name: /claude-haiku-4/, window: 200_000, images: true, output: 32_000, price: [1, 5, 0.1, 1.25] },
  { name: /claude-3-haiku/, window: 200_000, images: true, output: 4_096, price: [0.25, 1.25, 0.03, 0.3] },
  { name: /claude/, window: 200_000, images: true, output: 8_192 },
  { name: /gpt-5(-mini)-?/, window: 400_000, images: true, price: [0.25, 2, 0.025, 0.25] },
  { name: /gpt-5(-nano)-?/, window: 400_000, images: true, price: [0.05, 0.4, 0.005, 0.05] },
  { name: /gpt-5(\.1)?($|-20|-codex$|-chat)/, window: 400_000, images: true, price: [1.25, 10, 0.125, 1.25] },
  { name: /gpt-5\.2($|-20)/, window: 400_000, images: true, price: [1.75, 14, 0.175, 1.75] },
  { name: /gpt-[56]/, window: 400_000, images: true },
  { name: /gpt-4\.1-nano/, window: 1_047_576, images: true, price: [0.1, 0.4, 0.025, 0.1] },
  { name: /gpt-4\.1-mini/, window: 1_047_576, images: true, price: [0.4, 1.6, 0.1, 0.4] },
  { name: /gpt-4\.1/, window: 1_047_576, images: true, price: [2, 8, 0.5, 2] },
  { name: /gpt-4o-mini/, window: 128_000, images: true, price: [0.15, 0.6, 0.075, 0.15] },
  { name: /gpt-4o/, window: 128_000, images: true, price: [2.5, 10, 1.25, 2.5] },
  { name: /gpt-oss/, window: 131_072, images: false },
  { name: /\bo[134](-|$)/, window: 200_000, images: true },
  { name: /gemini-2\.5-flash-lite/, window: 1_048_576, images: true, price: [0.1, 0.4, 0.01, 0.1] },
  { name: /gemini-2\.5-flash/, window: 1_048_576, images: true, price: [0.3, 2.5, 0.03, 0.3] },
  { name: /gemini-2\.5-pro/, window: 1_048_576, images: true },
  { name: /gemini/, window: 1_048_576, images: true },
  { name: /deepseek/, window: 128_000, images: false },
  { name: /grok-4/, window: 256_000, images: true },
  { name: /(vl|vision|llava|pixtral|gemma-?3|llama-?4|minicpm-v|moondream|omni)/, window: 128_000, images: true },
];

/** Where nothing is known. Images are let through: the server's own answer is better than our guess. */
const unknown: ModelFacts = { contextWindow: 128_000, acceptsImages: true };

export function factsOf(model: string): ModelFacts {
  const row = rows.find(({ name }) => name.test(model.toLowerCase()));
  if (!row) return unknown;
  const [input, output, cacheRead, cacheWrite] = row.price ?? [];
  return {
    contextWindow: row.window,
    acceptsImages: row.images,
    ...(row.output !== undefined && { maxOutputTokens: row.output }),
    ...(input !== undefined &&
      output !== undefined &&
      cacheRead !== undefined &&
      cacheWrite !== undefined && { price: { input, output, cacheRead, cacheWrite } }),
  };
}

/** US dollars of one call. `inputTokens` includes the cached ones. */
export function costOf(
  price: Price | undefined,
  usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheWriteTokens: number;
  },
): number | undefined {
  if (!price) return undefined;
  const fresh = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const millionths =
    fresh * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * price.cacheRead +
    usage.cacheWriteTokens * price.cacheWrite;
  return millionths / 1_000_000;
}
