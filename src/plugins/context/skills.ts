import { existsNow } from "#host";
import type { PluginSkill } from "../registration.ts";
import type { Undo } from "../registry.ts";
import { described, given, invalid, needsText } from "./checks.ts";
import type { ContextParts } from "./parts.ts";

/** Registers a skill under its bare name; it is served as `plugin:name`. */
export function registerSkill(
  skill: Omit<PluginSkill, "description"> & Partial<PluginSkill>,
  { scope }: ContextParts,
): Undo {
  const values = given("registerSkill", skill);
  const { name } = values;
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]+$/.test(name))
    throw invalid(`registerSkill: name may hold letters, digits, _ and - (no ':'), and is ${described(name)}`);
  const path = needsText("registerSkill", values, "path");
  if (!existsNow(path)) throw invalid(`registerSkill: there is no file ${path} for the skill '${name}'`);
  const { description } = skill;
  return scope.add("skill", { name, path, description: typeof description === "string" ? description : "" });
}
