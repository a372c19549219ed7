import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { pluginFixture, serviceFixture } from "./plugin-fixture.ts";
import { programOnPath } from "./tts/espeak/speech.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const signal = new AbortController().signal;
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUg==", "base64");

async function openAi(section: string) {
  const service = await serviceFixture(({ path }) => {
    if (path === "/v1/audio/speech") return { type: "audio/mpeg", body: Buffer.from("ID3 sound") };
    if (path === "/v1/audio/transcriptions") return { body: JSON.stringify({ text: " hello there ", language: "en" }) };
    if (path === "/v1/images/generations")
      return { body: JSON.stringify({ data: [{ b64_json: png.toString("base64") }] }) };
    return { status: 404, body: "{}" };
  });
  const config = { [section]: { openai: { base_url: `${service.address}/v1`, api_key: "k-1", model: "m-1" } } };
  const fixture = await pluginFixture(config);
  closing.push(service.close, fixture.close);
  return { ...service, ...fixture };
}

test("OpenAI speaks", async () => {
  const { provider, asked } = await openAi("tts");
  const openai = await provider("tts", "openai");
  const { bytes, mediaType } = await openai.synthesize({ text: "hi", voice: "nova", speed: 1.5, signal });
  expect({ mediaType, sound: Buffer.from(bytes).toString() }).toEqual({ mediaType: "audio/mpeg", sound: "ID3 sound" });
  expect(asked[0]?.headers.authorization).toBe("Bearer k-1");
  expect(JSON.parse(String(asked[0]?.body))).toMatchObject({
    voice: "nova",
    input: "hi",
    speed: 1.5,
    response_format: "mp3",
  });
});

test("OpenAI transcribes a file, also for the runtime", async () => {
  const { home, provider, runtime, asked } = await openAi("stt");
  const file = join(home, "note.ogg");
  await writeFile(file, "OggS sound");
  const openai = await provider("transcription", "openai");
  expect(await openai.transcribe({ file, language: "en", signal })).toEqual({ text: "hello there", language: "en" });
  const form = String(asked[0]?.body);
  expect(form).toContain('name="file"; filename="note.ogg"');
  expect(form).toMatch(/name="language"\r\n\r\nen/);
  expect(await runtime.transcribe(file, signal)).toEqual({ text: "hello there", language: "en", provider: "openai" });
  expect(String(asked[1]?.body)).toMatch(/name="model"\r\n\r\nm-1/);
  expect(await runtime.transcribe(join(home, "none.ogg"), signal)).toEqual({
    problem: expect.stringContaining("it is no file"),
  });
});

test("OpenAI makes a picture of the size that was asked for", async () => {
  const { provider, asked } = await openAi("image_gen");
  const openai = await provider("image", "openai");
  const made = await openai.generate({ prompt: "a cat", aspectRatio: "portrait", model: "m-2", signal });
  expect(made).toEqual({ bytes: png, mediaType: "image/png" });
  expect(JSON.parse(String(asked[0]?.body))).toMatchObject({ model: "m-2", prompt: "a cat", size: "1024x1536" });
});

const espeak = (await programOnPath("espeak-ng", process.env)) ?? (await programOnPath("espeak", process.env));

test.skipIf(espeak === undefined)("eSpeak speaks a WAV file with true lengths (needs espeak-ng)", async () => {
  const fixture = await pluginFixture();
  closing.push(fixture.close);
  const provider = await fixture.provider("tts", "espeak");
  const { bytes } = await provider.synthesize({ text: "--version; hello", signal });
  const file = Buffer.from(bytes);
  expect(file.toString("latin1", 0, 4)).toBe("RIFF");
  expect(file.readUInt32LE(4)).toBe(file.length - 8);
  expect(file.length).toBeGreaterThan(10_000);
  await expect(provider.synthesize({ text: "x", voice: "-w/tmp/x", signal })).rejects.toThrow("there is no voice -w");
});

test("without the program eSpeak says what to install", async () => {
  const fixture = await pluginFixture({}, { PATH: "/nowhere" });
  closing.push(fixture.close);
  const provider = await fixture.provider("tts", "espeak");
  expect(await provider.available?.()).toBe(false);
  await expect(provider.synthesize({ text: "x", signal })).rejects.toThrow(/install espeak-ng/);
});
