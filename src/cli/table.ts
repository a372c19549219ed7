import { clipped, type Terminal, textColumns } from "#host";

/** Columns of a table: those of the terminal; a program that reads a pipe gets every line whole. */
export function tableWidth({ outputIsTerminal, columns }: Terminal): number {
  return outputIsTerminal ? columns : Number.POSITIVE_INFINITY;
}

/** Rows as aligned columns, two spaces apart; the last column is cut to the width. */
export function table(rows: readonly (readonly string[])[], width: number): string {
  return aligned(rows, width, (text, room) => [clipped(text, room)]);
}

/** The same, with the last column broken into lines where it is too long. */
export function wrappedTable(rows: readonly (readonly string[])[], width: number): string {
  return aligned(rows, width, wrapped);
}

function aligned(
  rows: readonly (readonly string[])[],
  width: number,
  fit: (text: string, room: number) => readonly string[],
): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => textColumns(row[column] ?? ""))),
  );
  const lines = rows.flatMap((row) => {
    const before = row
      .slice(0, -1)
      .map((text, column) => `${text}${" ".repeat((widths[column] ?? 0) - textColumns(text) + 2)}`);
    const head = before.join("");
    const room = Math.max(10, width - textColumns(head));
    return fit(row.at(-1) ?? "", room).map(
      (text, index) => (index === 0 ? head : " ".repeat(textColumns(head))) + text,
    );
  });
  return lines.map((line) => line.trimEnd()).join("\n");
}

function wrapped(text: string, room: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && textColumns(longer) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
