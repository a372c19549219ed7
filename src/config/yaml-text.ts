import { parseYaml } from "./yaml.ts";

/** A small YAML file of others (a manifest) as plain values, read as `config.yaml` is; `problem` says where it is no YAML. Never throws. */
export async function parseYamlText(
  source: string,
): Promise<{ readonly value: unknown } | { readonly problem: string }> {
  const { document, counter } = await parseYaml(source);
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = counter.linePos(error.pos[0]);
    return { problem: `line ${line}, column ${col}: ${error.message}` };
  }
  try {
    return { value: document.toJS() as unknown };
  } catch (cause) {
    // An alias without its anchor, or so many of them that they would fill the memory.
    return { problem: cause instanceof Error ? cause.message : String(cause) };
  }
}
