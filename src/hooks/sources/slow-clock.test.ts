import { writeFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { commandsOf, machine, withCommand } from "./source-files-fixture.ts";
import { watchSources } from "./watch-sources.ts";

/** A file system whose clock ticks every 20 ms. */
vi.mock("#host", async (original) => {
  const host = await original<typeof import("#host")>();
  const tick = (time: number): number => Math.floor(time / 20) * 20;
  const fileFacts = async (path: string) => {
    const facts = await host.fileFacts(path);
    return facts && { ...facts, modifiedMs: tick(facts.modifiedMs), changedMs: tick(facts.changedMs) };
  };
  return { ...host, fileFacts };
});

test("edits within one tick of the file system's clock are seen", async () => {
  using on = machine();
  const content = (round: number): string => JSON.stringify(withCommand(String(round).padStart(3, "0")));
  const file = on.write("~/.claude/settings.json", content(0));
  const watch = await watchSources(on.search, { projectTrusted: () => true, freshMs: 0 });
  for (let round = 1; round <= 60; round += 1) {
    writeFileSync(file, content(round));
    await watch.refresh();
    expect(commandsOf(watch.current())).toEqual([String(round).padStart(3, "0")]);
  }
});
