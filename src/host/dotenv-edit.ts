import { parseDotenv } from "./dotenv.ts";
import { HostError } from "./error.ts";
import { readTextIfExists, writeAtomic } from "./files.ts";
import { withLock } from "./lock.ts";

/** Sets a variable in a `.env` file that only its owner may read; all other lines stay as they are. */
export function setDotenv(file: string, name: string, value: string): Promise<void> {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new HostError("invalid_path", `'${name}' is no name of an environment variable`);
  return withLock(`${file}.lock`, async () => {
    const before = (await readTextIfExists(file))?.text ?? "";
    const line = `${name}=${written(value)}`;
    const isSet = new RegExp(`^[^\\S\\n]*(?:export[^\\S\\n]+)?${name}[^\\S\\n]*=`);
    const lines = before === "" ? [] : before.replace(/\r?\n$/, "").split(/\r?\n/);
    const rest = lines.filter((one) => !isSet.test(one));
    const text = `${[...rest, line].join("\n")}\n`;
    if (parseDotenv(text).values[name] !== value)
      throw new HostError("io", `${file}: ${name} could not be written: correct the file first (a quote is open)`);
    await writeAtomic(file, text, { mode: 0o600, sync: true });
  });
}

/** The value so that reading gives it back: as it is, else in single quotes, which take all but a backslash before a quote. */
function written(value: string): string {
  if (/^[A-Za-z0-9_./:@%+=,-]*$/.test(value)) return value;
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
