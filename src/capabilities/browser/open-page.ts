import { after, guardedTarget } from "#host";
import type { BrowserPage, BrowserProvider } from "#plugins";
import { bounded, chosenProvider, type ProviderSource } from "../provider-choice.ts";
import type { BrowserSettings } from "./settings.ts";

/** A session's page, closed when nobody has used it for a while. */
export interface OpenPage {
  readonly page: BrowserPage;
  readonly provider: string;
  /** Begins the time anew after which it is closed. */
  touch(): void;
  isOpen(): boolean;
  close(): Promise<void>;
}

/** The session's page, once there is one. */
export interface BrowserState {
  open?: OpenPage;
}

export interface PageOpening {
  readonly settings: BrowserSettings;
  readonly source: ProviderSource;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

const openMs = 120_000;
const closeMs = 10_000;

/** Opens a page with the provider that is chosen; a text says why there is none. */
export async function openPage({ settings, source, sessionId, signal }: PageOpening): Promise<OpenPage | string> {
  const wish = { purpose: "the browser", key: "browser.cloud_provider", named: settings.provider };
  const choice = await chosenProvider(source, { ...wish, kind: "browser" });
  if ("problem" in choice) return choice.problem;
  const { provider } = choice;
  const session = { sessionId, signal, refuses: (url: string) => refusal(url, settings, signal) };
  const work =
    provider.connect === undefined
      ? provider.open(session).then((page) => ({ page, close: () => page.close() }))
      : overThere(provider, session, source);
  let opened: { readonly page: BrowserPage; close(): Promise<void> };
  try {
    opened = await bounded(work, { what: `opening a page with ${provider.name}`, ms: openMs, signal });
  } catch (error) {
    void work.then((late) => late.close()).catch(() => undefined); // it came too late, or never
    throw error;
  }
  const { page } = opened;
  let cancel: (() => void) | undefined;
  let isClosed = false;
  const close = async (): Promise<void> => {
    cancel?.();
    if (isClosed) return;
    isClosed = true;
    await bounded(opened.close(), { what: "closing the page", ms: closeMs }).catch((error: unknown) =>
      source.warn(`browser: ${error instanceof Error ? error.message : String(error)}`),
    );
  };
  return {
    page,
    provider: provider.name,
    touch() {
      cancel?.();
      if (settings.idleSeconds > 0) cancel = after(settings.idleSeconds * 1000, () => void close());
    },
    isOpen: () => !isClosed && page.isOpen?.() !== false,
    close,
  };
}

/** A page of a browser that only says where it is: opened by a provider that opens pages of others. */
async function overThere(
  provider: BrowserProvider,
  session: Parameters<BrowserProvider["open"]>[0],
  source: ProviderSource,
): Promise<{ readonly page: BrowserPage; close(): Promise<void> }> {
  const opener = (await source.providers("browser")).find((one) => one !== provider && one.opensElsewhere === true);
  if (opener === undefined)
    throw new Error(
      `${provider.name} gives a browser by its address, and no provider is there that opens pages of it: enable browser/chromium`,
    );
  const link = await provider.connect?.(session);
  if (link === undefined) throw new Error(`${provider.name} gave no browser`);
  try {
    const page = await opener.open({ ...session, endpoint: link.url });
    return { page, close: () => page.close().finally(() => link.close()) };
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** Why the browser must not load an address. What a page itself makes (`data:`, `blob:`) and empty pages pass. */
export async function refusal(
  url: string,
  { allowPrivate }: BrowserSettings,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (/^(about:blank|data:|blob:)/i.test(url)) return undefined;
  const target = await guardedTarget(url.replace(/^ws(s?):/i, "http$1:"), {
    signal,
    unknownNamesPass: true,
    allowHosts: allowPrivate ? ["*"] : [],
  });
  if (!("reason" in target)) return undefined;
  return `${url} is not opened: ${target.reason}. Where that is meant, set browser.allow_private_urls: true`;
}
