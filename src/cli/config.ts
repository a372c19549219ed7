import {
  describeOrigin,
  describeProblem,
  type KeyPath,
  keyAt,
  keyPaths,
  nearestPath,
  parseSetting,
  setKey,
  splitPath,
  unsetKey,
} from "#config";
import { environment, redactValue, runInTerminal } from "#host";
import { type House, openHouse } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus, UsageError } from "./command.ts";
import { switchOption } from "./options.ts";
import { table, tableWidth } from "./table.ts";

function house({ home, cwd }: CommandContext, readOnly: boolean): Promise<House> {
  return openHouse({ home, cwd, readOnly });
}

function known(path: string): KeyPath {
  if (keyAt(path)) return path as KeyPath;
  const inside = keyPaths.filter((key) => key.startsWith(`${path}.`));
  if (inside.length > 0) throw new UsageError(`'${path}' holds several settings: ${inside.join(", ")}`);
  const near = nearestPath(path);
  throw new UsageError(
    `there is no setting '${path}'${near === undefined ? "; 'talaria config get' lists them" : `; did you mean '${near}'?`}`,
  );
}

/** `talaria config get [key]`: values in force with where each came from. */
export async function get(input: CommandInput, context: CommandContext): Promise<number> {
  const { config } = await house(context, true);
  const { terminal } = context;
  const [path] = input.arguments;
  const shown = (path === undefined ? keyPaths : [known(path)]).map((each) => ({
    key: each,
    value: keyAt(each)?.secret && config.settings[each] !== undefined ? "***" : redactValue(config.settings[each]),
    from: describeOrigin(config.originOf(each)),
  }));
  if (switchOption(input, "json"))
    terminal.write(`${JSON.stringify(path === undefined ? shown : shown[0], null, 2)}\n`);
  else if (path !== undefined) terminal.write(`${text(shown[0]?.value)}\n`);
  else
    terminal.write(
      `${table(
        shown.map(({ key, value, from }) => [key, text(value), from]),
        tableWidth(terminal),
      )}\n`,
    );
  return exitStatus.success;
}

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** `talaria config set <key> <value>`. */
export async function set(input: CommandInput, context: CommandContext): Promise<number> {
  const [path = "", value = ""] = input.arguments;
  const opened = await house(context, false);
  await setValue(opened, known(path), value);
  context.terminal.write(`${opened.config.file}: ${path} is set\n`);
  return exitStatus.success;
}

/** Changes one value; comments, order and quotes of the file are kept. */
export async function setValue({ config }: House, path: KeyPath, value: string): Promise<void> {
  await setKey(config.file, splitPath(path), await parseSetting(path, value));
}

export async function unset(input: CommandInput, context: CommandContext): Promise<number> {
  const [path = ""] = input.arguments;
  const { config } = await house(context, false);
  const was = await unsetKey(config.file, splitPath(known(path)));
  context.terminal.write(`${config.file}: ${path} ${was ? "is taken out" : "did not stand there"}\n`);
  return exitStatus.success;
}

/** `talaria config edit`: the file in `$VISUAL` or `$EDITOR`, then what is wrong with it. */
export async function edit(input: CommandInput, context: CommandContext): Promise<number> {
  const { config } = await house(context, false);
  const { VISUAL, EDITOR } = environment();
  const status = await runInTerminal(`${VISUAL || EDITOR || "vi"} "$1"`, config.file);
  if (status !== 0) throw new Error(`the editor ended with status ${status}; ${config.file} is as the editor left it`);
  return check(input, context);
}

/** `talaria config check`: status 1 when something is wrong. */
export async function check(input: CommandInput, context: CommandContext): Promise<number> {
  const { config } = await house(context, true);
  const { terminal } = context;
  if (switchOption(input, "json")) terminal.write(`${JSON.stringify(config.problems, null, 2)}\n`);
  else if (config.problems.length === 0)
    terminal.write(`${config.file}: ${config.exists ? "nothing is wrong" : "not there; the defaults are in force"}\n`);
  else terminal.write(`${config.problems.map(describeProblem).join("\n")}\n`);
  return config.problems.length === 0 ? exitStatus.success : exitStatus.error;
}

export async function path(_input: CommandInput, context: CommandContext): Promise<number> {
  context.terminal.write(`${(await house(context, true)).config.file}\n`);
  return exitStatus.success;
}
