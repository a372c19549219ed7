import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProviderKind, Providers } from "../provider.ts";
import { type Shop, shop } from "./python-fixture.ts";

/** How long a busy machine may take. */
const patience = { timeout: 30_000 };

const code = `
import json
from agent.web_search_provider import WebSearchProvider
from agent.image_gen_provider import ImageGenProvider, save_b64_image, success_response, error_response
from agent.video_gen_provider import VideoGenProvider
from agent.tts_provider import TTSProvider
from agent.transcription_provider import TranscriptionProvider
from agent.browser_provider import BrowserProvider
from agent.context_engine import ContextEngine
from gateway.platforms.base import BasePlatformAdapter, SendResult

class Web(WebSearchProvider):
    name = "searcher"
    def is_available(self): return True
    def supports_extract(self): return True
    def search(self, query, limit=5):
        if query == "fail":
            return {"success": False, "error": "no luck"}
        return {"success": True, "data": {"web": [{"title": query, "url": "https://a.test", "description": "d", "position": 1}][:limit]}}
    async def extract(self, urls, **kw):
        return [{"url": url, "title": "t", "content": "c", "raw_content": "r"} for url in urls]

class Image(ImageGenProvider):
    name = "painter"
    def generate(self, prompt, aspect_ratio="landscape", *, image_url=None, **kw):
        if prompt == "fail":
            return error_response(error="no paint")
        return success_response(image=str(save_b64_image("QUJD")), model="m", prompt=prompt, aspect_ratio=aspect_ratio, provider=self.name)

class Video(VideoGenProvider):
    name = "film"
    def generate(self, prompt, **kw):
        return {"success": True, "video": "https://v.test/%s" % kw["duration"]}

class Voice(TTSProvider):
    name = "speaker"
    def synthesize(self, text, output_path, *, voice=None, format="mp3", **extra):
        with open(output_path, "w") as file:
            file.write("%s %s %s" % (text, voice, format))
        return output_path

class Ears(TranscriptionProvider):
    name = "listener"
    def is_available(self): raise RuntimeError("broken")
    def transcribe(self, file_path, *, model=None, language=None, **extra):
        return {"success": True, "transcript": open(file_path).read(), "provider": self.name}

class Cloud(BrowserProvider):
    name = "cloud"
    def is_available(self): return False
    def create_session(self, task_id): return {"session_name": task_id, "bb_session_id": "b1", "cdp_url": "wss://c.test/" + task_id, "features": {}}
    def close_session(self, session_id): print("closed", session_id); return True
    def emergency_cleanup(self, session_id): pass

class Engine(ContextEngine):
    name = "short"
    def update_from_response(self, usage): self.last_prompt_tokens = usage["prompt_tokens"]
    def should_compress(self, prompt_tokens=None): return prompt_tokens > self.threshold_tokens
    def compress(self, messages, current_tokens=None):
        return messages[-1:]
    def on_session_reset(self): print("engine reset")

class Chat(BasePlatformAdapter):
    def __init__(self, config): super().__init__(config, "pigeon")
    async def connect(self): self._mark_connected(); return True
    async def disconnect(self): pass
    async def send(self, chat_id, content, reply_to=None, metadata=None):
        return SendResult(success=True, message_id=chat_id + content + self.config.extra["colour"])
    async def get_chat_info(self, chat_id): return {"name": chat_id, "type": "dm"}

def register(ctx):
    ctx.register_web_search_provider(Web())
    ctx.register_image_gen_provider(Image())
    ctx.register_video_gen_provider(Video())
    ctx.register_tts_provider(Voice())
    ctx.register_transcription_provider(Ears())
    ctx.register_browser_provider(Cloud())
    ctx.register_context_engine(Engine())
    ctx.register_web_search_provider(object())
    ctx.register_platform(name="pigeon", label="Pigeon", adapter_factory=lambda cfg: Chat(cfg), check_fn=lambda: True, emoji="🐦", setup_fn=lambda: None)
    ctx.register_auxiliary_task("summary", display_name="Summary", description="d", defaults={"timeout": 9})
`;

const memory = `from agent.memory_provider import MemoryProvider
class Notes(MemoryProvider):
    name = "notes"
    def __init__(self): self.kept = []
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): self.home = kwargs["hermes_home"]
    def get_tool_schemas(self): return [{"name": "recall", "parameters": {}}]
    def prefetch(self, query, *, session_id=""): return "about %s in %s" % (query, session_id)
    def sync_turn(self, user, assistant, *, session_id=""): self.kept.append([user, assistant])
    def on_session_switch(self, new_session_id, *, parent_session_id="", reset=False): self.kept.append([new_session_id, parent_session_id, reset])
    def handle_tool_call(self, tool_name, args, **kwargs): return {"kept": self.kept}
def register(ctx):
    ctx.register_memory_provider(Notes())
`;

let here: Shop;
beforeAll(async () => {
  here = shop();
  here.plugin("all", code);
  here.plugin("notes", memory);
  await here.plugins.discover();
  expect(here.errorOf("all")).toBeUndefined();
  await here.plugins.need("memory", "notes");
});
afterAll(() => here.close());

function provider<K extends ProviderKind>(kind: K): Providers[K] {
  const found = here.plugins.registry.of("provider").find(({ value }) => value.kind === kind);
  if (found === undefined) throw new Error(`no provider of kind ${kind}`);
  return found.value.provider as Providers[K];
}
const { signal } = new AbortController();

test("web: results, pages and the reason of a failure", async () => {
  const web = provider("web");
  expect([web.name, web.label, await web.available?.()]).toEqual(["searcher", "Searcher", true]);
  expect(await web.search?.("q", { limit: 3, signal })).toEqual([
    { title: "q", url: "https://a.test", description: "d" },
  ]);
  await expect(web.search?.("fail", { limit: 3, signal })).rejects.toThrow("no luck");
  expect(await web.extract?.(["https://x.test"], { signal })).toEqual([
    { url: "https://x.test", title: "t", content: "c" },
  ]);
  expect(here.logged.join("\n")).toContain("register_web ignored object, which is no WebSearchProvider");
});

test("pictures, films, voices and ears", async () => {
  const made = (await provider("image").generate({ prompt: "cat", aspectRatio: "square", signal })) as {
    readonly path: string;
  };
  expect(readFileSync(made.path, "utf8")).toBe("ABC");
  await expect(provider("image").generate({ prompt: "fail", aspectRatio: "square", signal })).rejects.toThrow(
    "no paint",
  );
  expect(await provider("video").generate({ prompt: "p", options: { duration: 5 }, signal })).toEqual({
    url: "https://v.test/5",
  });
  const sound = await provider("tts").synthesize({ text: "hello", voice: "v", signal });
  expect([Buffer.from(sound.bytes).toString(), sound.mediaType]).toEqual(["hello v mp3", "audio/mpeg"]);
  writeFileSync(join(here.home, "a.wav"), "said");
  expect(await provider("transcription").transcribe({ file: join(here.home, "a.wav"), signal })).toEqual({
    text: "said",
  });
  await expect(provider("transcription").available?.()).rejects.toThrow("broken");
});

test("a browser is reached over its address, and closed", async () => {
  expect(await provider("browser").available?.()).toBe(false);
  const session = await provider("browser").connect?.({ sessionId: "s1", signal });
  expect(session?.url).toBe("wss://c.test/s1");
  await session?.close();
  await expect.poll(() => here.printed, patience).toContain("closed b1");
});

test("memory keeps what it is told", async () => {
  const notes = provider("memory");
  await notes.initialize("s1", { platform: "cli" });
  expect(notes.toolSchemas()).toEqual([{ name: "recall", parameters: {} }]);
  expect(await notes.prefetch?.("tea", { sessionId: "s1" })).toBe("about tea in s1");
  await notes.syncTurn?.("u", "a", { sessionId: "s1", messages: [] });
  await notes.onSessionSwitch?.("s2", { parentSessionId: "s1", reset: true, rewound: false });
  expect(await notes.handleToolCall?.("recall", {})).toBe('{"kept": [["u", "a"], ["s2", "s1", true]]}');
  expect([notes.systemPromptBlock, notes.queuePrefetch, notes.onTurnStart, notes.onDelegation, notes.shutdown]).toEqual(
    Array(5).fill(undefined),
  );
});

test("a context engine takes the place of compaction, without the arguments that it does not know", async () => {
  const engine = here.plugins.registry.of("contextEngine")[0]?.value;
  expect(await engine?.shouldCompress(10, 100)).toBe(false);
  expect(await engine?.shouldCompress(80, 100)).toBe(true);
  const messages = [
    { role: "user", content: "a" },
    { role: "user", content: "b" },
  ];
  expect(await engine?.compress(messages, { currentTokens: 80, focusTopic: "x", signal })).toEqual([messages[1]]);
  await engine?.onSessionReset?.();
  await expect.poll(() => here.printed, patience).toContain("engine reset");
  expect([engine?.onSessionStart, engine?.onSessionEnd]).toEqual([undefined, undefined]);
});

test("a platform's adapter lives in Python", async () => {
  const platform = here.plugins.registry.of("platform")[0]?.value;
  expect(platform).toMatchObject({ name: "pigeon", label: "Pigeon", rest: { emoji: "🐦", pluginName: "all" } });
  expect(await platform?.check()).toBe(true);
  const adapter = (await platform?.adapterFactory({ enabled: true, colour: "grey" })) as {
    readonly methods: readonly string[];
    call(method: string, args: readonly unknown[]): Promise<unknown>;
  };
  expect(adapter.methods).toEqual(expect.arrayContaining(["connect", "disconnect", "send", "get_chat_info"]));
  expect(await adapter.call("connect", [])).toBe(true);
  expect(await adapter.call("send", ["c", "hi"])).toMatchObject({ success: true, message_id: "chigrey" });
});

test("an auxiliary task is registered over its defaults", () => {
  expect(here.plugins.registry.of("auxiliaryTask")[0]?.value).toMatchObject({
    key: "summary",
    defaults: { timeout: 9, provider: "auto" },
  });
});
