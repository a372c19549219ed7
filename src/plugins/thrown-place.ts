/** Where in a plugin's folder an error arose, as `index.ts:3:5` or `__init__.py:3`: by its stack, or by Python's traceback. */
export function thrownPlace(error: unknown, folder: string): string | undefined {
  if (!(error instanceof Error) || error.stack === undefined || folder === "") return undefined;
  const inside = `${folder}/`;
  const frames = error.stack
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.includes(inside));
  const deepest = frames.findLast((line) => line.startsWith('File "'));
  const frame = deepest ?? frames.find((line) => line.startsWith("at "));
  if (frame === undefined) return undefined;
  const rest = frame.slice(frame.indexOf(inside) + inside.length);
  const [, file, line] =
    (deepest === undefined ? /^([^\n]*?)(:\d+:\d+)\)?$/ : /^([^"]*)", line (\d+)/).exec(rest) ?? [];
  if (file === undefined || line === undefined) return undefined;
  return deepest === undefined ? `${file.replace(/\?.*$/, "")}${line}` : `${file}:${line}`;
}
