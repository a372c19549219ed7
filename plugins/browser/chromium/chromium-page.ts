import type { BrowserContext, Locator, Page } from "playwright-core";
import type { BrowserPage } from "talaria/plugin";
import { type Refuses, sessionWindow } from "./session-window.ts";
import { readable } from "./snapshot.ts";

const loadMs = 45_000;
const actMs = 10_000;
/** How long a page that is there already is waited for to become whole. */
const settleMs = 3_000;

const pictures = `[...document.images].filter(({ src }) => src !== "" && !src.startsWith("data:"))
  .map(({ src, alt, naturalWidth: width, naturalHeight: height }) => ({ src, alt, width, height }))`;

/** A page in a browser context of its own: cookies and storage are those of one session. */
export async function chromiumPage(context: BrowserContext, refuses: Refuses): Promise<BrowserPage> {
  const window = await sessionWindow(context, refuses);
  const { page } = window;
  const settled = (signal: AbortSignal): Promise<void> =>
    page()
      .waitForLoadState("load", { timeout: settleMs, signal })
      .catch(() => signal.throwIfAborted()); // a page may load for ever
  const place = async () => ({ url: page().url(), title: await page().title() });
  return {
    isOpen: () => !page().isClosed() && context.browser()?.isConnected() === true,
    async navigate(url, signal) {
      window.forget();
      await page()
        .goto(url, { waitUntil: "domcontentloaded", timeout: loadMs, signal })
        .catch((error: unknown) => {
          throw new Error(window.refusal() ?? brief(error), { cause: error });
        });
      await settled(signal);
      return place();
    },
    snapshot: async ({ full, signal }) =>
      readable(await page().ariaSnapshot({ mode: "ai", signal, timeout: loadMs }), full),
    async click(reference, signal) {
      await act(page(), reference, (element) => element.click({ timeout: actMs, signal }));
      await settled(signal);
    },
    type: (reference, text, signal) =>
      act(page(), reference, (element) => element.fill(text, { timeout: actMs, signal })),
    async press(key, signal) {
      signal.throwIfAborted();
      await page().keyboard.press(key).catch(raise);
      await settled(signal);
    },
    async scroll(direction) {
      await page().evaluate(`scrollBy(0, ${direction === "up" ? -0.8 : 0.8} * innerHeight)`);
    },
    async back(signal) {
      await page().goBack({ waitUntil: "domcontentloaded", timeout: loadMs, signal }).catch(raise);
      return place();
    },
    async console({ expression, clear }) {
      if (expression !== undefined) return { messages: [], result: await page().evaluate(expression).catch(raise) };
      return { messages: window.messages(clear) };
    },
    images: () => page().evaluate(pictures),
    screenshot: async ({ fullPage, signal }) => ({
      bytes: await page().screenshot({ fullPage, type: "png", signal }),
      mediaType: "image/png",
    }),
    close: () => context.close(),
  };
}

async function act(page: Page, reference: string, action: (element: Locator) => Promise<void>): Promise<void> {
  const name = reference.replace(/^@/, "");
  if (!/^(f\d+)?e\d+$/.test(name)) throw new Error(`${reference} is no reference of a snapshot, such as @e5`);
  const element = page.locator(`aria-ref=${name}`);
  const count = await element.count().catch(() => 0); // references of an earlier snapshot are not known any more
  if (count === 0) throw new Error(`there is no ${reference} on the page: take a new browser_snapshot`);
  await action(element).catch(raise);
}

/** Without the log of steps that Playwright adds. */
function brief(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return (words.split(/\nCall log:|\n={3,}/, 1)[0] ?? words).replace(/^(page|locator|keyboard)\.\w+: /, "").trim();
}

function raise(error: unknown): never {
  throw new Error(brief(error), { cause: error });
}
