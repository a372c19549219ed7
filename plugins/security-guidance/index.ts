import { definePlugin } from "talaria/plugin";
import { mapping, text } from "../service.ts";
import { type Finding, findings } from "./rules.ts";

/** Tools that write, with the argument that names the file and those that hold what is written. */
const writers: Readonly<Record<string, readonly [path: string, ...content: string[]]>> = {
  write_file: ["path", "content"],
  patch: ["path", "new_string", "patch"],
  skill_manage: ["file_path", "file_content", "new_string"],
};

const isOn = (value: unknown): boolean => value === true || /^(1|true|yes|on)$/i.test(text(value));

export default definePlugin((context) => {
  const { config, environment } = context;
  if (isOn(environment["SECURITY_GUIDANCE_DISABLE"])) return;
  const blocks = isOn(environment["SECURITY_GUIDANCE_BLOCK"]) || isOn(config["block"]);
  if (blocks) {
    context.registerHook("pre_tool_call", ({ toolName, args }) => {
      const found = scanned(toolName, args);
      if (found.length === 0) return undefined;
      return { action: "block", message: `security-guidance refuses to write this.\n${told(found)}` };
    });
    return;
  }
  context.registerHook("transform_tool_result", ({ toolName, args, result }) => {
    if (isFailure(result)) return undefined;
    const found = scanned(toolName, args);
    return found.length === 0 ? undefined : `${result}\n\n${told(found)}`;
  });
});

function scanned(tool: string, args: unknown): readonly Finding[] {
  const [path, ...contents] = writers[tool] ?? [];
  if (path === undefined) return [];
  const values = mapping(args);
  const written = contents.map((key) => values[key]).filter((value): value is string => typeof value === "string");
  return findings(text(values[path]), written.join("\n"));
}

function isFailure(result: string): boolean {
  if (!result.trimStart().startsWith("{")) return false;
  try {
    return Boolean(mapping(JSON.parse(result))["error"]);
  } catch {
    return false; // not every result is JSON
  }
}

const told = (found: readonly Finding[]): string =>
  [
    `⚠️ Security guidance: ${found.map(({ rule }) => rule).join(", ")}`,
    ...found.map(({ advice }) => `- ${advice}`),
    "Where this is safe here, say why in a comment of the code; else change it before you go on.",
  ].join("\n");
