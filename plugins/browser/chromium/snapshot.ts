/** Roles that can be used, and those by which a reader finds the way. */
const used = new Set(
  "link button textbox searchbox checkbox radio combobox listbox option menuitem menuitemcheckbox menuitemradio tab switch slider spinbutton treeitem".split(
    " ",
  ),
);
const signs = new Set("heading dialog alertdialog alert status iframe img".split(" "));

/**
 * A snapshot of Playwright's as the model reads it: references as `@e3`, and only on what can be used. Not `full`: without
 * plain text and containers.
 */
export function readable(snapshot: string, full: boolean): string {
  const lines = snapshot.split("\n").flatMap((line): readonly Line[] => {
    const [, indent = "", content] = /^(\s*)- (.*)$/.exec(line) ?? [];
    if (content === undefined) return full ? [{ depth: 0, text: line }] : [];
    const role = /^'?([a-z]+)/.exec(content)?.[1] ?? "";
    const isUsed = used.has(role) || content.includes("[cursor=pointer]");
    if (!full && !isUsed && !signs.has(role)) return [];
    const reference = isUsed || role === "iframe" ? "@$1" : "";
    const text = content.replace(/\[ref=((?:f\d+)?e\d+)\]/, reference).replace(/ ?\[cursor=pointer\]/, "");
    return [{ depth: indent.length, text: text.replaceAll(/ {2,}/g, " ").replace(/ (:|$)/, "$1") }];
  });
  return outlined(full ? lines : lines.map(withoutColon)).join("\n");
}

interface Line {
  readonly depth: number;
  readonly text: string;
}

const withoutColon = (line: Line): Line => ({ ...line, text: line.text.replace(/:$/, "") });

/** Lines indented by the lines above them that are still there. */
function outlined(lines: readonly Line[]): readonly string[] {
  const above: number[] = [];
  return lines.map(({ depth, text }) => {
    while (above.length > 0 && (above.at(-1) ?? 0) >= depth) above.pop();
    above.push(depth);
    return `${"  ".repeat(above.length - 1)}- ${text}`;
  });
}
