import type { BrowserContext, Page } from "playwright-core";

export type Refuses = ((url: string) => Promise<string | undefined>) | undefined;

/** The page that a session looks at, and what it wrote. */
export interface SessionWindow {
  /** What a click opened in a new window is the page from then on, until it is closed. */
  page(): Page;
  /** What pages wrote to the console, as `type: text`; the latest 500. */
  messages(clear: boolean): readonly string[];
  /** Why the latest address was not loaded. */
  refusal(): string | undefined;
  forget(): void;
}

const mostMessages = 500;

export async function sessionWindow(context: BrowserContext, refuses: Refuses): Promise<SessionWindow> {
  const written: string[] = [];
  let refused: string | undefined;
  let current: Page;
  const say = (type: string, text: string): void => {
    written.push(`${type}: ${text}`);
    if (written.length > mostMessages) written.shift();
  };
  const watch = (page: Page): void => {
    current = page;
    page.on("console", (message) => say(message.type(), message.text()));
    page.on("pageerror", (error) => say("exception", error.message));
    page.on("dialog", (dialog) => {
      say("dialog", `${dialog.type()}: ${dialog.message()}`);
      (dialog.type() === "alert" ? dialog.accept() : dialog.dismiss()).catch(() => undefined); // the page has gone
    });
    page.on("close", () => {
      current = context.pages().at(-1) ?? current;
    });
  };
  context.on("page", watch);
  if (refuses !== undefined) {
    await context.route("**/*", async (route) => {
      const why = await refuses(route.request().url()).catch(String);
      if (why !== undefined && route.request().isNavigationRequest()) refused = why;
      const settled = why === undefined ? route.continue() : route.abort("blockedbyclient");
      await settled.catch(() => undefined); // the page has gone
    });
  }
  current = await context.newPage();
  return {
    page: () => current,
    messages(clear) {
      const told = [...written];
      if (clear) written.length = 0;
      return told;
    },
    refusal: () => refused,
    forget() {
      refused = undefined;
    },
  };
}
