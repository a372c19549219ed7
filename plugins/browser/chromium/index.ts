import { type BrowserPage, definePlugin } from "talaria/plugin";
import { firstText, mapping } from "../../service.ts";
import { chromiumPage } from "./chromium-page.ts";
import { executables, findExecutable, findPlaywright } from "./installation.ts";
import type { Refuses } from "./session-window.ts";
import { sharedBrowser } from "./shared-browser.ts";

export default definePlugin((context) => {
  const { config, settings, environment, home } = context;
  const section = mapping(settings["browser"]);
  const wanted = firstText(config["executable"], section["executable"], environment["AGENT_BROWSER_EXECUTABLE_PATH"]);
  const find = () => findExecutable(wanted === "" ? executables(environment) : [wanted]);
  const setup = `install Chromium or Chrome (or name it in browser.executable), and: npm install --prefix ${home} playwright-core`;
  const browser = sharedBrowser({
    async launching() {
      const [executablePath, playwright] = await Promise.all([find(), findPlaywright(home)]);
      if (executablePath === undefined)
        throw new Error(`no Chromium was found${wanted === "" ? "" : ` at ${wanted}`}: ${setup}`);
      if (playwright === undefined)
        throw new Error(`the package playwright-core was not found: npm install --prefix ${home} playwright-core`);
      return { executablePath, playwright };
    },
    headless: config["headless"] !== false,
    sandbox: config["sandbox"] !== false && process.getuid?.() !== 0,
    allowsPrivate:
      section["allow_private_urls"] === true || mapping(settings["security"])["allow_private_urls"] === true,
  });
  /** A page of a browser that another provider gave; the connection goes with the page. */
  const elsewhere = async (endpoint: string, refuses: Refuses): Promise<BrowserPage> => {
    const playwright = await findPlaywright(home);
    if (playwright === undefined)
      throw new Error(`the package playwright-core was not found: npm install --prefix ${home} playwright-core`);
    const remote = await playwright.chromium.connectOverCDP(endpoint, { timeout: 60_000 });
    try {
      const page = await chromiumPage(remote.contexts()[0] ?? (await remote.newContext()), refuses);
      const close = async (): Promise<void> => {
        await page.close().finally(() => remote.close());
      };
      return { ...page, close };
    } catch (error) {
      await remote.close();
      throw error;
    }
  };
  context.onUnload(() => browser.close());
  context.registerBrowserProvider({
    name: "chromium",
    label: "Chromium of this machine",
    setup,
    available: async () => (await find()) !== undefined && (await findPlaywright(home)) !== undefined,
    opensElsewhere: true,
    async open({ refuses, signal, endpoint }) {
      if (endpoint !== undefined) return elsewhere(endpoint, refuses);
      const running = await browser.running();
      signal.throwIfAborted();
      return chromiumPage(await running.newContext({ viewport: { width: 1280, height: 800 } }), refuses);
    },
  });
});
