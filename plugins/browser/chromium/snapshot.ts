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
  const lines = snapshot.split("\n").map((line) => readLine(line, full));
  return outlined(full ? lines : lines.map((line) => ({ ...line, text: line.text.replace(/:$/, "") }))).join("\n");
}

interface Line {
  readonly depth: number;
  readonly text: string;
  readonly isKept: boolean;
}

function readLine(line: string, full: boolean): Line {
  const [, indent = "", content] = /^(\s*)- (.*)$/.exec(line) ?? [];
  if (content === undefined) return { depth: 0, text: line, isKept: full };
  const role = /^'?([a-z]+)/.exec(content)?.[1] ?? "";
  const isUsed = used.has(role) || content.includes("[cursor=pointer]");
  const reference = isUsed || role === "iframe" ? "@$1" : "";
  const text = content.replace(/\[ref=((?:f\d+)?e\d+)\]/, reference).replace(/ ?\[cursor=pointer\]/, "");
  return {
    depth: indent.length,
    text: text.replaceAll(/ {2,}/g, " ").replace(/ (:|$)/, "$1"),
    isKept: full || isUsed || signs.has(role),
  };
}

/** The lines that are kept, indented by those above them that are kept, too. */
function outlined(lines: readonly Line[]): readonly string[] {
  const above: Line[] = [];
  return lines.flatMap((line) => {
    while ((above.at(-1)?.depth ?? -1) >= line.depth) above.pop();
    const indent = "  ".repeat(above.filter(({ isKept }) => isKept).length);
    above.push(line);
    return line.isKept ? [`${indent}- ${line.text}`] : [];
  });
}
