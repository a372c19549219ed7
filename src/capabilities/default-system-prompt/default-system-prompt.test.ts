import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TurnContext, TurnEvent } from "#agent";
import { defaultSystemPrompt } from "./default-system-prompt.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "talaria-prompt-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function session(options: { readonly cwd?: string; readonly clock?: { time: number } } = {}) {
  const clock = options.clock ?? { time: Date.UTC(2026, 0, 2, 12) };
  const emitted: TurnEvent[] = [];
  const states = new Map<string, unknown>();
  const context = {
    cwd: options.cwd ?? folder,
    model: "gpt-x",
    provider: "openai",
    surface: { emit: (event: TurnEvent) => emitted.push(event) },
    state: (slot: string, create: () => unknown) => {
      if (!states.has(slot)) states.set(slot, create());
      return states.get(slot);
    },
  } as unknown as TurnContext;
  const settings = { agentHome: folder, system: "linux x64", shell: "/bin/bash", now: () => clock.time };
  const middleware = defaultSystemPrompt(settings);
  const prompt = async () => {
    await middleware.beforeAgent?.({} as never, context);
    return middleware.sections?.(context).join("\n\n") ?? "";
  };
  return { prompt, emitted, clock, context };
}

test("the prompt says where the agent is and with which model", async () => {
  const text = await session().prompt();
  for (const line of [
    `Working folder: ${folder}`,
    "Git repository: no",
    "System: linux x64",
    "Shell: /bin/bash",
    "Date at the start of this session: 2026-01-02",
    "Model: gpt-x",
    "Provider: openai",
    "You are Talaria",
  ])
    expect(text).toContain(line);
});

test("a folder inside a repository is in a repository", async () => {
  await mkdir(join(folder, ".git"));
  await mkdir(join(folder, "a", "b"), { recursive: true });
  expect(await session({ cwd: join(folder, "a", "b") }).prompt()).toContain("Git repository: yes");
});

test("it stays the same to the byte while time, folder and files change", async () => {
  const { prompt, clock, context } = session();
  const first = await prompt();
  clock.time += 1e9;
  context.cwd = "/";
  await writeFile(join(folder, "SOUL.md"), "You are somebody else.");
  expect(await prompt()).toBe(first);
});

test("SOUL.md takes the place of the character and of nothing else", async () => {
  await writeFile(join(folder, "SOUL.md"), "You are Hermes, swift of foot.\n");
  const text = await session().prompt();
  expect(text.startsWith("You are Hermes, swift of foot.\n\n# How to work")).toBe(true);
  expect(text).not.toContain("You are Talaria");
});

test.each([
  ["binary", Buffer.from([0, 1, 2, 0, 255])],
  ["empty", Buffer.from(" \n")],
])("a SOUL.md that is %s changes nothing", async (_, bytes) => {
  await writeFile(join(folder, "SOUL.md"), bytes);
  expect(await session().prompt()).toContain("You are Talaria");
});

test("a SOUL.md that cannot be read is reported, a very long one is cut", async () => {
  await mkdir(join(folder, "SOUL.md"));
  const { prompt, emitted } = session();
  expect(await prompt()).toContain("You are Talaria");
  expect(emitted).toContainEqual(expect.objectContaining({ type: "notice", text: expect.stringContaining("SOUL.md") }));
  await rm(join(folder, "SOUL.md"), { recursive: true });
  await writeFile(join(folder, "SOUL.md"), "x".repeat(50_000));
  expect(await session().prompt()).toContain("the rest of SOUL.md is left out");
});
