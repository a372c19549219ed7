import type { Browser } from "playwright-core";
import type { Playwright } from "./installation.ts";

export interface BrowserOptions {
  /** Finds what is needed; throws with what to install. */
  readonly launching: () => Promise<{ readonly executablePath: string; readonly playwright: Playwright }>;
  readonly headless: boolean;
  readonly sandbox: boolean;
  /** False: the browser itself knows no private address, so that no redirect reaches one either. */
  readonly allowsPrivate: boolean;
}

/** One browser for all sessions, started when the first of them needs it and again when it has ended. */
export interface SharedBrowser {
  running(): Promise<Browser>;
  close(): Promise<void>;
}

const privateHosts = [
  "10.*",
  "192.168.*",
  "169.254.*",
  ...Array.from({ length: 16 }, (_, index) => `172.${16 + index}.*`),
  "metadata.google.internal",
];

export function sharedBrowser(options: BrowserOptions): SharedBrowser {
  let started: Promise<Browser> | undefined;
  return {
    running() {
      started ??= launched(options).then(
        (browser) => {
          browser.on("disconnected", () => {
            started = undefined;
          });
          return browser;
        },
        (error: unknown) => {
          started = undefined;
          throw error;
        },
      );
      return started;
    },
    async close() {
      const browser = await started?.catch(() => undefined); // it never ran
      started = undefined;
      await browser?.close();
    },
  };
}

async function launched({ launching, headless, sandbox, allowsPrivate }: BrowserOptions): Promise<Browser> {
  const { executablePath, playwright } = await launching();
  const rules = privateHosts.map((host) => `MAP ${host} ~NOTFOUND`).join(", ");
  try {
    return await playwright.chromium.launch({
      executablePath,
      headless,
      chromiumSandbox: sandbox,
      timeout: 60_000,
      args: ["--disable-dev-shm-usage", ...(allowsPrivate ? [] : [`--host-resolver-rules=${rules}`])],
    });
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    const hint = /sandbox/i.test(words) ? '; in a container set plugins.entries."browser/chromium".sandbox: false' : "";
    throw new Error(`${executablePath} could not be started: ${words.split("\n", 1)[0]}${hint}`, { cause });
  }
}
