import { after } from "#host";
import type { ProviderKind, Providers } from "#plugins";

/** Where capabilities find what plugins provide. */
export interface ProviderSource {
  /** Whether a tool over this kind is worth offering. Asked at each turn: it loads nothing. */
  mayHave(kind: ProviderKind): boolean;
  /** All of a kind, in the order of discovery; loads the plugins that bring one. */
  providers<K extends ProviderKind>(kind: K): Promise<readonly Providers[K][]>;
  warn(message: string): void;
}

export interface Wish<K extends ProviderKind> {
  readonly kind: K;
  /** What it is needed for, such as `searching the web`. */
  readonly purpose: string;
  /** The setting that names it, such as `web.search_backend`. */
  readonly key: string;
  readonly named: string | undefined;
  /** Whether a provider can do what is needed; absent: all can. */
  readonly suits?: (provider: Providers[K]) => boolean;
}

export type Choice<K extends ProviderKind> = { readonly provider: Providers[K] } | { readonly problem: string };

/** Milliseconds that `available` may take. */
const availableMs = 5_000;

/**
 * The provider that the settings name, else the first that is available. A named one that is not available is told as a
 * problem; a name that nobody has is warned of, and the first available one takes its place (docs/guide/providers.md).
 */
export async function chosenProvider<K extends ProviderKind>(
  source: ProviderSource,
  wish: Wish<K>,
): Promise<Choice<K>> {
  const { kind, purpose, key, suits = () => true } = wish;
  const all = (await source.providers(kind)).filter(suits);
  const wanted = wish.named?.trim() ? plain(wish.named) : undefined;
  const named = wanted === undefined ? undefined : all.find(({ name }) => plain(name) === wanted);
  if (named !== undefined) {
    if (await isAvailable(named, source)) return { provider: named };
    return { problem: `${named.name} is set for ${purpose} (${key}), but it cannot be used: ${lack(named)}` };
  }
  for (const provider of all) {
    if (!(await isAvailable(provider, source))) continue;
    if (wanted !== undefined)
      source.warn(`${key}: there is no provider ${wish.named} for ${purpose}; ${provider.name} is used`);
    return { provider };
  }
  const unknown = wanted === undefined ? "" : `; ${wish.named} (${key}) is no provider that is installed and enabled`;
  const ways = all.map((provider) => `${provider.name}: ${lack(provider)}`);
  const mend = ways.length > 0 ? ways.join("; ") : `install and enable a plugin that brings one, and name it in ${key}`;
  return { problem: `no provider for ${purpose} can be used${unknown}. ${mend}` };
}

const plain = (name: string): string => name.trim().toLowerCase().replaceAll("_", "-");

const lack = (provider: Providers[ProviderKind]): string => provider.setup ?? "it says that it is not available";

async function isAvailable(provider: Providers[ProviderKind], source: ProviderSource): Promise<boolean> {
  if (provider.available === undefined) return true;
  try {
    const asked = Promise.resolve(provider.available());
    return (await bounded(asked, { what: `${provider.name}: its check`, ms: availableMs })) === true;
  } catch (error) {
    source.warn(`${provider.name} is passed over: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

export interface Bounds {
  /** Who is waited for; the message begins with it. */
  readonly what: string;
  readonly ms: number;
  readonly signal?: AbortSignal;
}

/** Waits no longer than told, also for one who does not look at the signal. Rejects with the signal's reason. */
export async function bounded<T>(work: Promise<T>, { what, ms, signal }: Bounds): Promise<T> {
  work.catch(() => undefined); // when it fails after its time, nobody waits for it any more
  signal?.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  const abort = (): void => ended.reject(signal?.reason);
  const cancel = after(ms, () => ended.reject(new Error(`${what} took longer than ${Math.round(ms / 1000)} s`)), true);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    cancel();
    signal?.removeEventListener("abort", abort);
  }
}

/** The words of an error that a provider threw. */
export const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
