import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { BrowserPage, TtsProvider } from "#plugins";
import { browser } from "./browser/browser.ts";
import { imageGen } from "./image-gen/image-gen.ts";
import { type ProviderFixture, providerFixture } from "./provider-fixture.ts";
import { joinedAudio } from "./speech/joined-audio.ts";
import { pieces } from "./speech/pieces.ts";
import { speech } from "./speech/speech.ts";
import { type TurnFixture, turnFixture } from "./turn-fixture.ts";
import { vision } from "./vision/vision.ts";

let turn: TurnFixture | undefined;
afterEach(async () => {
  await turn?.close();
  turn = undefined;
});
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

async function open(source: ProviderFixture, platform = "cli"): Promise<TurnFixture> {
  turn = await turnFixture((home) => [
    imageGen({ home, provider: undefined, modelOf: (name) => `${name}-model` }, source),
    speech(
      {
        home,
        speechProvider: undefined,
        transcriptionProvider: undefined,
        voiceOf: () => ({ voice: "v" }),
        listenerOf: () => ({}),
      },
      source,
    ),
    browser({ home, provider: undefined, allowPrivate: false, idleSeconds: 60 }, source),
    vision({ allowPrivate: false, asksAside: false }),
  ]);
  Object.assign(turn.context, { platform });
  return turn;
}

test("tools of which no provider is in sight are not offered", async () => {
  const { tool, context } = await open(
    providerFixture({ image: [{ name: "i", generate: async () => ({ url: "u" }) }] }),
  );
  const offered = ["image_generate", "text_to_speech", "browser_navigate"].map((name) =>
    tool(name).available?.(context),
  );
  expect(offered).toEqual([true, false, false]);
});

test("a picture is put into the cache under its true kind", async () => {
  const asked: unknown[] = [];
  const generate = async (request: object) => {
    asked.push(request);
    return { bytes: png, mediaType: "image/jpeg" };
  };
  const { call, folder } = await open(providerFixture({ image: [{ name: "one", generate }] }));
  const made = await call("image_generate", { prompt: "a cat", aspect_ratio: "round" });
  expect(made).toMatchObject({
    success: true,
    provider: "one",
    aspect_ratio: "landscape",
    media_tag: `MEDIA:${made["image"]}`,
  });
  expect(made["image"]).toMatch(new RegExp(`^${folder}/cache/images/img_[0-9a-f]{12}\\.png$`));
  expect(new Uint8Array(await readFile(made["image"]))).toEqual(png);
  expect(asked).toMatchObject([{ prompt: "a cat", model: "one-model" }]);
});

test.each([
  ["no picture", async () => ({ bytes: new Uint8Array([1, 2]), mediaType: "image/png" }), /no PNG/],
  ["nothing", async () => undefined as never, /gave no picture/],
  ["an error", () => Promise.reject(new Error("not allowed")), /one failed: not allowed/],
])("a provider that gives %s is told as such", async (_what, generate, error) => {
  const { call } = await open(providerFixture({ image: [{ name: "one", generate }] }));
  expect(await call("image_generate", { prompt: "a cat" })).toMatchObject({
    success: false,
    error: expect.stringMatching(error),
  });
});

const speaking = (more: Partial<TtsProvider> = {}): TtsProvider => ({
  name: "voice",
  synthesize: async ({ text }) => ({ bytes: Buffer.from(`<${text}>`), mediaType: "audio/mpeg" }),
  ...more,
});

test("a long text is spoken in pieces and joined", async () => {
  const { call, folder } = await open(providerFixture({ tts: [speaking({ longestText: 12 })] }));
  const made = await call("text_to_speech", { text: "One two. Three four. Five.", output_path: "talk/a.wav" });
  expect(made).toMatchObject({ success: true, provider: "voice", voice_compatible: false, chunk_count: 3 });
  expect(made["file_path"]).toBe(join(folder, "talk", "a.mp3"));
  expect(await readFile(made["file_path"], "utf8")).toBe("<One two.><Three four.><Five.>");
});

test("nothing but audio is ever written, and never above the folder", async () => {
  const { call, folder } = await open(providerFixture({ tts: [speaking()] }));
  for (const path of [".bashrc", "../x.mp3", "notes.md"])
    expect(await call("text_to_speech", { text: "x", output_path: path })).toMatchObject({ success: false });
  await expect(stat(join(folder, ".bashrc"))).rejects.toThrow("ENOENT");
});

test("a voice message is marked where the platform shows one", async () => {
  const ogg = speaking({ synthesize: async () => ({ bytes: Buffer.from("OggS"), mediaType: "audio/ogg" }) });
  const made = await (await open(providerFixture({ tts: [ogg] }), "telegram")).call("text_to_speech", { text: "hi" });
  expect(made["media_tag"]).toBe(`[[audio_as_voice]]\nMEDIA:${made["file_path"]}`);
});

test.each([
  ["One. Two.", 100, ["One. Two."]],
  ["aaaa bbbb cccc", 9, ["aaaa bbbb", "cccc"]],
  ["abcdefghij", 4, ["abcd", "efgh", "ij"]],
  ["  ", 4, []],
])("%j in pieces of %i is %j", (text, longest, expected) => {
  expect(pieces(text, longest)).toEqual(expected);
});

test("WAV files of one kind are joined under one head", () => {
  const wave = (samples: string): Buffer => {
    const data = Buffer.from(samples);
    const file = Buffer.alloc(44 + data.length);
    file.write("RIFF", 0).toString();
    file.writeUInt32LE(36 + data.length, 4);
    file.write("WAVEfmt ", 8);
    file.writeUInt32LE(16, 16);
    file.write("data", 36);
    file.writeUInt32LE(0xffffffff, 40);
    data.copy(file, 44);
    return file;
  };
  const [joined, ...rest] = joinedAudio(["abcd", "ef"].map((each) => ({ bytes: wave(each), mediaType: "audio/wav" })));
  expect(rest).toEqual([]);
  const file = Buffer.from(joined?.bytes ?? []);
  expect([file.readUInt32LE(4), file.readUInt32LE(40), file.toString("latin1", 44)]).toEqual([42, 6, "abcdef"]);
});

function fakePage(log: string[], more: Partial<BrowserPage> = {}): BrowserPage {
  return {
    navigate: async (url) => ({ url, title: "A page" }),
    snapshot: async ({ full }) => (full ? "x\n".repeat(20_000) : '- button "Go" @e3\n- link @e4'),
    click: async (reference) => void log.push(`click ${reference}`),
    type: async (reference, text) => void log.push(`type ${reference} ${text}`),
    press: async (key) => void log.push(`press ${key}`),
    scroll: async (direction) => void log.push(`scroll ${direction}`),
    back: async () => ({ url: "http://127.0.0.1/", title: "Before" }),
    console: async ({ expression }) =>
      expression ? { messages: [], result: [1] } : { messages: ["warning: careful", "exception: broken"] },
    images: async () => [{ src: "https://a/b.png", alt: "b" }],
    screenshot: async () => ({ bytes: png, mediaType: "image/png" }),
    close: async () => void log.push("closed"),
    ...more,
  };
}

test("a session has one page, which its tools use and which ends with it", async () => {
  const log: string[] = [];
  let opened = 0;
  const open1 = async () => {
    opened += 1;
    return fakePage(log);
  };
  const { call, close } = await open(providerFixture({ browser: [{ name: "b", open: open1 }] }));
  expect(await call("browser_click", { ref: "@e3" })).toMatchObject({
    error: expect.stringContaining("browser_navigate"),
  });
  expect(await call("browser_navigate", { url: "http://127.0.0.1:9/" })).toMatchObject({
    success: true,
    title: "A page",
    element_count: 2,
  });
  await call("browser_navigate", { url: "http://127.0.0.1:9/x" });
  expect(await call("browser_click", { ref: "[ref=e3]" })).toEqual({ success: true, clicked: "@e3" });
  expect(await call("browser_type", { ref: "e4", text: "hi" })).toEqual({ success: true, typed: "hi", element: "@e4" });
  expect(await call("browser_scroll", { direction: "left" })).toMatchObject({ success: false });
  const told = await call("browser_console", {});
  expect(told).toMatchObject({ total_messages: 1, total_errors: 1, js_errors: [{ message: "broken" }] });
  expect(await call("browser_console", { expression: "[1]" })).toEqual({
    success: true,
    result: [1],
    result_type: "array",
  });
  const full = await call("browser_snapshot", { full: true });
  expect((await readFile(full["snapshot_path"], "utf8")).length).toBe(40_000);
  await close();
  expect({ opened, log }).toEqual({ opened: 1, log: ["click @e3", "type @e4 hi", "closed"] });
  turn = undefined;
});

test("a browser that only gives its address has its pages opened by a provider that opens pages of others", async () => {
  const log: string[] = [];
  const refuse = async (): Promise<BrowserPage> => {
    throw new Error("it opens nothing itself");
  };
  const connect = async () => ({ url: "ws://127.0.0.1:9/cdp", close: async () => void log.push("let go") });
  const opener = {
    name: "opener",
    opensElsewhere: true,
    available: () => false,
    open: async ({ endpoint }: { readonly endpoint?: string }) => {
      log.push(`opened ${endpoint}`);
      return fakePage(log);
    },
  };
  const cloud = { name: "cloud", connect, open: refuse };
  const { call, close } = await open(providerFixture({ browser: [opener, cloud] }));
  expect(await call("browser_navigate", { url: "http://127.0.0.1:9/" })).toMatchObject({ success: true });
  await close();
  turn = undefined;
  expect(log).toEqual(["opened ws://127.0.0.1:9/cdp", "closed", "let go"]);
  const alone = await open(providerFixture({ browser: [cloud] }));
  expect(await alone.call("browser_navigate", { url: "http://127.0.0.1:9/" })).toMatchObject({
    success: false,
    error: expect.stringContaining("enable browser/chromium"),
  });
});

test("private addresses are not opened, neither directly nor by a page that leads there", async () => {
  const log: string[] = [];
  const navigate: BrowserPage["navigate"] = async () => ({ url: "http://10.0.0.1/admin", title: "" });
  const open1 = async () => fakePage(log, { navigate });
  const { call } = await open(providerFixture({ browser: [{ name: "b", open: open1 }] }));
  for (const url of ["http://169.254.169.254/latest", "file:///etc/passwd", "http://127.0.0.1:9/"])
    expect(await call("browser_navigate", { url })).toMatchObject({
      success: false,
      error: expect.stringContaining("is not opened"),
    });
  expect(log).toEqual(["closed"]);
});

test("pictures are attached for the model to see", async () => {
  const { tool, context, folder, call } = await open(providerFixture({}));
  await writeFile(join(folder, "a.png"), png);
  const run = { callId: "c", context, signal: context.signal, progress: () => undefined };
  const seen = await tool("vision_analyze").run({ image_url: "a.png", question: "what?" }, run);
  expect(seen).toMatchObject({
    content: [{ type: "text" }, { type: "image", data: Buffer.from(png).toString("base64"), mediaType: "image/png" }],
  });
  await writeFile(join(folder, "a.txt"), "text");
  expect(await call("vision_analyze", { image_url: "a.txt", question: "?" })).toMatchObject({
    error: expect.stringContaining("no PNG"),
  });
  expect(await call("vision_analyze", { image_url: "http://127.0.0.1:9/x.png", question: "?" })).toMatchObject({
    error: expect.stringContaining("not fetched"),
  });
});
