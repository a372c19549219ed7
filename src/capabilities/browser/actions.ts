import type { ToolOutcome } from "#agent";
import { type Arguments, booleanArgument, textArgument } from "../argument.ts";
import { cacheFile, shortened } from "../cache.ts";
import { answer, failure } from "../outcome.ts";
import { bounded, reason } from "../provider-choice.ts";
import type { BrowserState } from "./open-page.ts";
import { type OpenPage, openPage, type PageOpening, refusal } from "./open-page.ts";

export type Action =
  | "browser_navigate"
  | "browser_snapshot"
  | "browser_click"
  | "browser_type"
  | "browser_scroll"
  | "browser_back"
  | "browser_press"
  | "browser_get_images"
  | "browser_console"
  | "browser_vision";

export interface BrowserCall extends PageOpening {
  readonly state: BrowserState;
}

const actionMs = 60_000;
/** Characters of a snapshot that the model sees. */
const snapshotCharacters = 15_000;
const mostImages = 100;
const mostMessages = 200;

const failed = (error: string): ToolOutcome => failure(error, { success: false });

/** Runs one of the browser's tools. Rejects only with the signal's reason. */
export async function act(action: Action, args: Arguments, call: BrowserCall): Promise<ToolOutcome> {
  try {
    if (action === "browser_navigate") return await navigate(args, call);
    const open = call.state.open;
    if (open?.isOpen() !== true) return failed("no page is open: call browser_navigate first");
    open.touch();
    return await bounded(actions[action](args, open, call), { what: action, ms: actionMs, signal: call.signal });
  } catch (error) {
    if (call.signal.aborted) throw error;
    return failed(reason(error));
  }
}

async function navigate(args: Arguments, call: BrowserCall): Promise<ToolOutcome> {
  const { settings, signal, state } = call;
  const given = textArgument(args, "url")?.trim() ?? "";
  if (given === "") return failed("url is missing: give the address to open");
  const url = /^([a-z][a-z\d+.-]*:\/\/|about:|data:)/i.test(given) ? given : `https://${given}`;
  const refused = await refusal(url, settings, signal);
  if (refused !== undefined) return failed(refused);
  if (state.open?.isOpen() !== true) {
    const opened = await openPage(call);
    if (typeof opened === "string") return failed(opened);
    state.open = opened;
  }
  const { open } = state;
  open.touch();
  const found = await bounded(open.page.navigate(url, signal), { what: `opening ${url}`, ms: actionMs, signal });
  const left = await refusal(found.url, settings, signal);
  if (left !== undefined) {
    await open.close();
    return failed(`the page led elsewhere: ${left}`);
  }
  return answer({ success: true, url: found.url, title: found.title, ...(await snapshot(open, false, call)) });
}

type Act = (args: Arguments, open: OpenPage, call: BrowserCall) => Promise<ToolOutcome>;

const actions: Readonly<Record<Exclude<Action, "browser_navigate">, Act>> = {
  browser_snapshot: async (args, open, call) =>
    answer({ success: true, ...(await snapshot(open, booleanArgument(args, "full") === true, call)) }),
  browser_click: async (args, { page }, { signal }) => {
    const ref = textArgument(args, "ref") ?? "";
    if (ref === "") return failed(missingReference);
    await page.click(reference(ref), signal);
    return answer({ success: true, clicked: reference(ref) });
  },
  browser_type: async (args, { page }, { signal }) => {
    const ref = textArgument(args, "ref") ?? "";
    const text = textArgument(args, "text");
    if (ref === "") return failed(missingReference);
    if (text === undefined) return failed("text is missing: give what is to be typed");
    await page.type(reference(ref), text, signal);
    return answer({ success: true, typed: text, element: reference(ref) });
  },
  browser_scroll: async (args, { page }, { signal }) => {
    const direction = textArgument(args, "direction")?.toLowerCase();
    if (direction !== "up" && direction !== "down") return failed("direction must be up or down");
    await page.scroll(direction, signal);
    return answer({ success: true, scrolled: direction });
  },
  browser_back: async (_args, { page }, { signal }) => answer({ success: true, ...(await page.back(signal)) }),
  browser_press: async (args, { page }, { signal }) => {
    const key = textArgument(args, "key") ?? "";
    if (key === "") return failed("key is missing: give the name of a key, such as Enter");
    await page.press(key, signal);
    return answer({ success: true, pressed: key });
  },
  browser_get_images: async (_args, { page }, { signal }) => {
    const images = await page.images(signal);
    return answer({ success: true, images: images.slice(0, mostImages), count: images.length });
  },
  browser_console: async (args, { page }, { signal }) => {
    const expression = textArgument(args, "expression");
    const clear = booleanArgument(args, "clear") === true;
    const { messages, result } = await page.console({ clear, signal, ...(expression ? { expression } : {}) });
    if (expression) return answer({ success: true, result: result ?? null, result_type: typeName(result) });
    const told = messages.slice(-mostMessages).map(readMessage);
    const errors = told
      .filter(({ type }) => type === "exception")
      .map(({ text }) => ({ message: text, source: "exception" }));
    const written = told.filter(({ type }) => type !== "exception").map((each) => ({ ...each, source: "console" }));
    const totals = { total_messages: written.length, total_errors: errors.length };
    return answer({ success: true, console_messages: written, js_errors: errors, ...totals });
  },
  browser_vision: async (args, open, call) => {
    const question = textArgument(args, "question")?.trim() || "Describe what the page shows.";
    const { settings, signal } = call;
    const shot = await open.page.screenshot({ fullPage: false, signal });
    const path = await cacheFile(settings.home, { folder: "screenshots", prefix: "browser_screenshot" }, shot);
    const marks = booleanArgument(args, "annotate") === true ? await snapshot(open, false, call) : {};
    const facts = { success: true, screenshot_path: path, media_tag: `MEDIA:${path}`, ...marks };
    const image = {
      type: "image",
      data: Buffer.from(shot.bytes).toString("base64"),
      mediaType: shot.mediaType,
    } as const;
    return {
      content: [{ type: "text", text: answer({ ...facts, question, note: "The screenshot is attached." }) }, image],
    };
  },
};

const missingReference = "ref is missing: give a reference of the snapshot, such as @e5";

/** With or without its sign: `e5` is `@e5`. */
const reference = (ref: string): string =>
  `@${ref
    .trim()
    .replace(/^[@[]+|\]$/g, "")
    .replace(/^ref=/, "")}`;

async function snapshot(
  { page }: OpenPage,
  full: boolean,
  { settings, signal }: BrowserCall,
): Promise<Readonly<Record<string, unknown>>> {
  const whole = await page.snapshot({ full, signal });
  const count = new Set(whole.match(/@e\d+/g)).size;
  const { text, path } = await shortened(settings.home, whole, { most: snapshotCharacters, prefix: "snapshot" });
  return { snapshot: text, element_count: count, ...(path === undefined ? {} : { snapshot_path: path }) };
}

function readMessage(message: string): { readonly type: string; readonly text: string } {
  const [, type = "log", text = message] = /^([a-z]+): ([\s\S]*)$/i.exec(message) ?? [];
  return { type: type.toLowerCase(), text };
}

const typeName = (value: unknown): string => {
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};
