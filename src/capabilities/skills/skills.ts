import type { Tool, ToolOutcome, TurnContext } from "#agent";
import { nearest } from "#config";
import { fileFacts, isHostError, readText } from "#host";
import type { Middleware } from "#kernel";
import { textArgument } from "../argument.ts";
import { answer, failure } from "../outcome.ts";
import { frontMatter, linkedFiles, skillPlace, within } from "./skill-folder.ts";

/** A skill that a plugin serves. */
export interface ServedSkill {
  /** The manifest's name of its plugin. */
  readonly plugin: string;
  readonly name: string;
  /** Of its `SKILL.md`, or of the folder in which that is. */
  readonly path: string;
  readonly description: string;
}

/** Bytes of one file of a skill. */
const largestFile = 2_000_000;

const parameters = {
  type: "object",
  properties: {
    name: { type: "string", description: "The skill as plugin:name." },
    file_path: { type: "string", description: "A file of the skill, relative to its folder; absent: its SKILL.md." },
  },
  required: ["name"],
} as const;

/** Slot `skills`: `skill_view` for what plugins serve. Read anew at each call; nothing of it is listed in the prompt. */
export function skills(served: () => readonly ServedSkill[]): Middleware<TurnContext> {
  const tool: Tool = {
    name: "skill_view",
    toolset: "skills",
    description:
      "Loads a skill: instructions for a kind of task, with the files that belong to it. Use it when a hook, a tool or the person names a skill as plugin:name; then read the linked files that you need with file_path.",
    parameters,
    readOnly: true,
    concurrency: "parallel",
    available: () => served().length > 0,
    run: (args) => viewed(served(), textArgument(args, "name") ?? "", textArgument(args, "file_path") ?? ""),
  };
  return { slot: "skills", tools: () => [tool] };
}

async function viewed(all: readonly ServedSkill[], given: string, file: string): Promise<ToolOutcome> {
  const skill = found(all, given.trim());
  if ("error" in skill) return failure(skill.error, { success: false, ...skill.more });
  const qualified = `${skill.plugin}:${skill.name}`;
  try {
    const { folder, main } = await skillPlace(skill.path);
    const path = file === "" ? main : await within(folder, file);
    if (path === undefined)
      return failure(`'${file}' is not inside the folder of the skill ${qualified}`, { success: false });
    if ((await fileFacts(path))?.kind !== "file") {
      const files = await linkedFiles(folder);
      const near = nearest(file, files);
      const hint = near === undefined ? "" : `; did you mean '${near}'?`;
      return failure(`the skill ${qualified} has no file '${file || "SKILL.md"}'${hint}`, { success: false, files });
    }
    const { text } = await readText(path, { maxBytes: largestFile });
    if (file !== "") return answer({ success: true, name: qualified, file, content: text });
    const siblings = all.filter(({ plugin, name }) => plugin === skill.plugin && name !== skill.name);
    return answer({
      success: true,
      name: qualified,
      description: skill.description || frontMatter(text, "description"),
      content: text,
      skill_dir: folder,
      linked_files: await linkedFiles(folder),
      ...(siblings.length === 0 ? {} : { see_also: siblings.map(({ plugin, name }) => `${plugin}:${name}`) }),
    });
  } catch (error) {
    if (!isHostError(error)) throw error;
    return failure(`the skill ${qualified} cannot be read: ${error.message}`, { success: false });
  }
}

type Missing = { readonly error: string; readonly more?: Readonly<Record<string, unknown>> };

/** The part before the first colon is the plugin. */
function found(all: readonly ServedSkill[], given: string): ServedSkill | Missing {
  const colon = given.indexOf(":");
  const names = all.map(({ plugin, name }) => `${plugin}:${name}`);
  if (colon < 0) {
    const near = names.find((name) => name.endsWith(`:${given}`)) ?? nearest(given, names);
    const hint = near === undefined ? "" : `; did you mean '${near}'?`;
    return { error: `'${given}' is no skill: write plugin:name${hint}`, more: { available: names } };
  }
  const [plugin, name] = [given.slice(0, colon), given.slice(colon + 1)];
  if (!/^[\w-]+$/.test(plugin) || name === "") return { error: `'${given}' is no skill: write plugin:name` };
  const exact = all.findLast((skill) => skill.plugin === plugin && skill.name === name);
  if (exact !== undefined) return exact;
  const ofPlugin = names.filter((one) => one.startsWith(`${plugin}:`));
  const near = nearest(given, names);
  const hint = near === undefined ? "" : `; did you mean '${near}'?`;
  if (ofPlugin.length > 0)
    return { error: `the plugin '${plugin}' has no skill '${name}'${hint}`, more: { available: ofPlugin } };
  return { error: `no plugin '${plugin}' that serves skills is enabled${hint}`, more: { available: names } };
}
