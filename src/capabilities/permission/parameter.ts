const longestPattern = 40;
const longestValue = 2_000;

/** The value of `${name…}` for the operations that only cut or rewrite it; as it is for all others. */
export function operated(value: string, operation: string): string {
  if (operation === "" || operation.length > longestPattern || value.length > longestValue) return value;
  const [, start, length] = /^: *(-?\d+)(?::(\d+))?$/.exec(operation) ?? [];
  if (start !== undefined)
    return value.slice(Number(start)).slice(0, length === undefined ? undefined : Number(length));
  if (/^,,?$/.test(operation)) return value.toLowerCase();
  if (/^\^\^?$/.test(operation)) return value.toUpperCase();
  return operation.startsWith("/") ? replacedIn(value, operation) : cutFrom(value, operation);
}

function cutFrom(value: string, operation: string): string {
  const [, edge = "", cut = ""] = /^(##?|%%?)(.*)$/s.exec(operation) ?? [];
  return edge === "" ? value : value.replace(globbed(cut, edge.startsWith("#") ? "start" : "end"), "");
}

function replacedIn(value: string, operation: string): string {
  const [, all = "", from = "", to = ""] = /^\/(\/?)([^/]*)(?:\/(.*))?$/s.exec(operation) ?? [];
  const found = globbed(from, "anywhere");
  return from === "" ? value : value.replace(all === "" ? found : new RegExp(found.source, "gs"), () => to);
}

/** Few stars only: a pattern must not take long to look for. */
function globbed(pattern: string, place: "start" | "end" | "anywhere"): RegExp {
  if ((pattern.match(/\*/g)?.length ?? 0) > 2) return /(?!)/;
  const text = pattern.replace(/[\\^$.*+?()[\]{}|]/g, (sign) =>
    sign === "*" ? ".*?" : sign === "?" ? "." : `\\${sign}`,
  );
  return new RegExp(place === "start" ? `^(?:${text})` : place === "end" ? `(?:${text})$` : text, "s");
}
