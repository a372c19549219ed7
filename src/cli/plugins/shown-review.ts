import type { Offer } from "#runtime";

type Review = Offer["review"];

/** What a person should know before a plugin is let in. */
export function shownReview({ manifest, language, files, needs, says, registers, warnings }: Review): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const names = files.slice(0, 12).map(({ path }) => path);
  const more = files.length > names.length ? `, and ${files.length - names.length} more` : "";
  const environment = needs.environment.map(({ name, description }) =>
    description ? `${name} (${description})` : name,
  );
  const rows: readonly (readonly [string, string])[] = [
    ["about", manifest.description],
    ["author", manifest.author],
    ["kind", `${manifest.kind}, in ${language}`],
    ["files", `${files.length}, ${Math.ceil(bytes / 1024)} KiB: ${names.join(", ")}${more}`],
    ["says", [...says.tools.map((name) => `tool ${name}`), ...says.hooks.map((name) => `hook ${name}`)].join(", ")],
    ["calls", registers.join(", ")],
    ["variables", environment.join(", ")],
    ["npm", needs.npm.join(", ")],
    ["pip", needs.pip.join(", ")],
    ["programs", needs.external.join(", ")],
  ];
  const shown = rows.filter(([, text]) => text !== "").map(([name, text]) => `  ${name.padEnd(10)}${text}\n`);
  const careful = warnings.map((warning) => `  ! ${warning}\n`);
  return `${[manifest.name, manifest.version].join(" ").trimEnd()}\n${shown.join("")}${careful.join("")}`;
}
