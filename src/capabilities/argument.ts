/** Arguments as models send them: numbers and booleans may come as text. Each reader gives `undefined` for what is absent or of no use. */
export type Arguments = Readonly<Record<string, unknown>>;

export function textArgument(args: Arguments, key: string): string | undefined {
  const value = args[key];
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return undefined;
}

export function numberArgument(args: Arguments, key: string): number | undefined {
  const value = args[key];
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}

/** A whole number inside `[least, most]`; `fallback` where none was given. */
export function countArgument(
  args: Arguments,
  key: string,
  bounds: { readonly least: number; readonly most: number; readonly fallback: number },
): number {
  const value = numberArgument(args, key);
  if (value === undefined) return bounds.fallback;
  return Math.min(bounds.most, Math.max(bounds.least, Math.trunc(value)));
}

export function booleanArgument(args: Arguments, key: string): boolean | undefined {
  const value = args[key];
  if (typeof value === "boolean") return value;
  if (value === 1 || value === "1" || (typeof value === "string" && /^(true|yes)$/i.test(value))) return true;
  if (value === 0 || value === "0" || (typeof value === "string" && /^(false|no)$/i.test(value))) return false;
  return undefined;
}

/** A list of texts; one text alone, or a list written as JSON, is taken too. */
export function textListArgument(args: Arguments, key: string): readonly string[] {
  const value = listArgument(args, key) ?? args[key];
  if (typeof value === "string" && value !== "") return [value];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string" && item !== "") : [];
}

/** A list, also where it was sent as JSON text; `undefined` for everything else. */
export function listArgument(args: Arguments, key: string): readonly unknown[] | undefined {
  const value = args[key];
  if (Array.isArray(value)) return value;
  if (typeof value !== "string" || !value.trimStart().startsWith("[")) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
