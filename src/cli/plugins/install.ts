import { type Offer, type PluginDesk, type PluginReport, pluginDesk } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { askPerson } from "../hooks/ask-person.ts";
import { printJson } from "../hooks/open-desk.ts";
import { switchOption } from "../options.ts";
import { withPlugins } from "./open-plugins.ts";
import { registered } from "./plugin-state.ts";
import { shownReview } from "./shown-review.ts";

type Room = Awaited<ReturnType<typeof pluginDesk>>;
type Installed = Awaited<ReturnType<Offer["accept"]>>;

/** What belongs to one `talaria plugins install`. */
interface Job {
  readonly room: Room;
  readonly desk: PluginDesk;
  readonly input: CommandInput;
  readonly context: CommandContext;
  say(text: string): void;
}

/** `talaria plugins install <from>`: gets it, shows it, asks; nothing of it runs before it is enabled. */
export async function install(input: CommandInput, context: CommandContext): Promise<number> {
  const room = await pluginDesk();
  const desk = await room.openPluginDesk(context);
  const quiet = switchOption(input, "json");
  const say = (text: string): void => context.terminal[quiet ? "writeError" : "write"](text);
  const job: Job = { room, desk, input, context, say };
  const offer = await room.offerPlugin(desk, input.arguments[0] ?? "");
  if (offer.warning !== undefined) context.terminal.writeError(`! ${offer.warning}\n`);
  say(shownReview(offer.review));
  const installed = await taken(offer, job);
  if (installed === undefined) return exitStatus.refused;
  say(`${installed.name} is in ${installed.folder}\n`);
  for (const name of installed.examples) say(`  made ${name} from ${name}.example\n`);
  await askVariables(offer, job);
  if (installed.afterInstall !== undefined) say(`\n${installed.afterInstall.trim()}\n\n`);
  const enabled = await maybeEnable(offer, installed, job);
  if (quiet)
    printJson(context, { name: installed.name, folder: installed.folder, review: offer.review, ...enabled.told });
  return enabled.status;
}

/** Puts the plugin in its place, where nothing is in the way. */
async function taken(offer: Offer, { input, context }: Job): Promise<Installed | undefined> {
  try {
    if (offer.exists && !switchOption(input, "force"))
      throw new Error(
        `a plugin '${offer.name}' is there already: --force takes its place, 'talaria plugins update ${offer.name}' gets its newest`,
      );
    if (offer.review.warnings.length > 0 && !(await agreed(input, context, "Install it in spite of that?", true))) {
      await offer.refuse();
      context.terminal.writeError("nothing is installed\n");
      return undefined;
    }
  } catch (error) {
    await offer.refuse();
    throw error;
  }
  return offer.accept();
}

async function agreed(
  input: CommandInput,
  { terminal }: CommandContext,
  question: string,
  withoutPerson: boolean,
): Promise<boolean> {
  if (switchOption(input, "yes")) return true;
  const ask = askPerson(terminal);
  if (ask === undefined) return withoutPerson;
  const answer = await ask(question, ["y", "N"]);
  return ["y", "yes"].includes(answer?.trim().toLowerCase() ?? "");
}

/** Variables that the plugin wants: asked for at a terminal and kept in the home's `.env`; an empty answer leaves one out. */
async function askVariables({ review }: Offer, { room, desk, context, say }: Job): Promise<void> {
  const missing = room.missingVariables(review, desk);
  if (missing.length === 0) return;
  const { terminal } = context;
  if (!terminal.interactive) {
    const names = missing.map(({ name, url }) => (url === undefined ? name : `${name} (${url})`));
    say(`It wants ${names.join(", ")}: set them in ${desk.house.home.path}/.env\n`);
    return;
  }
  for (const { name, description, url } of missing) {
    const about = [description, url].filter((one) => one !== undefined).join(", ");
    const editor = terminal.lines({ history: [], complete: () => [] });
    const value = await editor.read(`${name}${about === "" ? "" : ` (${about})`}, empty for later: `);
    editor.close();
    if (value !== undefined && value.trim() !== "") await room.keepVariable(desk, name, value.trim());
  }
}

interface Enabled {
  readonly status: number;
  readonly told: { readonly enabled: boolean; readonly registers?: PluginReport; readonly error?: string };
}

async function maybeEnable({ review }: Offer, { name }: Installed, job: Job): Promise<Enabled> {
  const { room, input, context, say } = job;
  const choice = input.options["enable"];
  const isWanted =
    choice === true || (choice !== false && (await agreed(input, context, `Enable ${name} now?`, false)));
  if (!isWanted) {
    say(`It is not enabled; 'talaria plugins enable ${name}' does that.\n`);
    return { status: exitStatus.success, told: { enabled: false } };
  }
  if (review.warnings.length > 0 && !switchOption(input, "yes") && !context.terminal.interactive) {
    context.terminal.writeError(
      `${name} is installed and not enabled, because of what is marked with ! above: look at it, then 'talaria plugins enable ${name}'\n`,
    );
    return { status: exitStatus.refused, told: { enabled: false } };
  }
  const { desk, candidate } = await room.installedPlugin(job.desk, name);
  await room.enablePlugin(desk, candidate);
  await room.reloadElsewhere(desk, candidate);
  const report = await withPlugins(context, async (plugins) => plugins.find(candidate.key));
  if (report?.loaded === true || report?.enabled === true) {
    say(`It is enabled${registered(report) === "" ? "" : `: ${registered(report)}`}.\n`);
    return { status: exitStatus.success, told: { enabled: true, registers: report } };
  }
  const error = report?.error ?? "plugins are not loaded now";
  context.terminal.writeError(`${name} is enabled, but could not be loaded: ${error}\n`);
  return { status: exitStatus.error, told: { enabled: true, error } };
}
