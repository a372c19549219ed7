import { clipped, textColumns } from "#host";

/** Rows as aligned columns, two spaces apart; the last column is cut to the width. */
export function table(rows: readonly (readonly string[])[], width: number): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => textColumns(row[column] ?? ""))),
  );
  return rows
    .map((row) => {
      let line = "";
      for (const [column, text] of row.entries()) {
        const last = column === row.length - 1;
        line += last
          ? clipped(text, Math.max(10, width - textColumns(line)))
          : `${text}${" ".repeat((widths[column] ?? 0) - textColumns(text) + 2)}`;
      }
      return line.trimEnd();
    })
    .join("\n");
}

/** `2026-11-30 18:50` in the machine's time zone. */
export function localTime(epochMs: number): string {
  const date = new Date(epochMs);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
