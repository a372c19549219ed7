import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keyPaths } from "#config";

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Product code outside the room that holds the table. */
const sources: readonly string[] = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|-fixture\.ts$/.test(file))
  .map((file) => join("src", file))
  .filter((file) => !file.startsWith(join("src", "config")) && !file.includes(`${join("models", "testing")}`))
  .map((file) => readFileSync(file, "utf8"));

/** `model:` is read as a section, too: names of it that the reader asks for. */
const choice = readFileSync("src/models/choice.ts", "utf8");

/** How a key's value can be had: `settings["a.b"]`, a path with a part put in, `settings.name`, `{ name } = settings`, the section `model`. */
function isRead(path: string, texts: readonly string[]): boolean {
  const parts = path.split(".");
  const filled = parts.slice(1, -1).map((_, index) => {
    const around = parts.map((part, place) => (place === index + 1 ? "\\$\\{\\w+\\}" : escaped(part)));
    return `ettings\\[\`${around.join("\\.")}\`\\]`;
  });
  const single = parts.length > 1 ? [] : [`ettings\\.${path}\\b`, `\\{[^{}]*\\b${path}\\b[^{}]*\\} = [\\w.]*settings;`];
  const taken = `\\{[^{}]*"${escaped(path)}": \\w+[^{}]*\\} = [\\w.]*settings;`;
  const direct = new RegExp([`ettings\\["${escaped(path)}"\\]`, taken, ...filled, ...single].join("|"));
  if (texts.some((text) => direct.test(text))) return true;
  return (
    parts[0] === "model" &&
    new RegExp(`(\\bread\\.\\w+\\(|Section\\)\\[)"${escaped(parts.slice(1).join("."))}"`).test(choice)
  );
}

/** Settings that are read in the room of the table itself. */
const exceptions: Readonly<Record<string, string>> = {
  "terminal.backend": "only `local` is built: src/config/not-built.ts tells of any other value",
};

const unread = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => exceptions[path] === undefined && !isRead(path, sources));

describe("every setting of the table", () => {
  test("is read by the program: one that nothing reads is a promise that is not kept", () => {
    expect(sources.length).toBeGreaterThan(200);
    expect(unread(keyPaths)).toEqual([]);
    expect(Object.keys(exceptions).filter((path) => isRead(path, sources))).toEqual([]);
  });

  test.each(["planted", "agent.planted", "model.planted", "tool_loop_guardrails.warn_after.planted", "agent.max_turn"])(
    "a planted %s would be found out",
    (path) => {
      expect(unread([...keyPaths, path])).toEqual([path]);
    },
  );
});
