import { join } from "node:path";
import { nearest } from "#config";
import { encodeGateway, named, namesOf, rows } from "#kernel";
import {
  type GatewayHooks,
  gatewayHooks,
  type HandlerLoader,
  type HandlerRun,
  moduleHandlers,
  readModule,
} from "#plugins";
import { type House, openHouse } from "./house.ts";

type Context = Readonly<Record<string, unknown>>;

/** The gateway's hooks of a house, loaded: nothing else in the program loads them. */
export function openGatewayHooks({ home, log }: House, tell: (line: string) => void): Promise<GatewayHooks> {
  return gatewayHooks({
    roots: [home.path, ...(home.second === undefined ? [] : [home.second])].map((root) => join(root, "hooks")),
    loaders: { typescript: moduleHandlers((file) => readModule(file, { fresh: false })), python: pythonHandlers },
    log(level, line) {
      log.write(level, line);
      if (level !== "info") tell(line);
    },
  });
}

const pythonHandlers: HandlerLoader = async ({ handler }) => {
  throw new Error(`${handler}: there is no Python host in this program`);
};

export interface HandFired {
  readonly event: string;
  readonly context: Context;
  readonly runs: readonly HandlerRun[];
  /** Hooks that were found, whatever they hear of. */
  readonly found: number;
  readonly problems: readonly string[];
  /** The event that was probably meant, where no hook heard of it and nothing is called so. */
  readonly meant?: string;
}

/** Fires a gateway event by hand and waits for the handlers. Without a context the event's example is told. */
export async function fireGatewayEvent(
  place: { readonly home: string | undefined; readonly cwd: string },
  { event, context, limitMs }: { readonly event: string; readonly context?: Context; readonly limitMs: number },
): Promise<HandFired> {
  const house = await openHouse({ ...place });
  const hooks = await openGatewayHooks(house, () => undefined);
  const told = context ?? exampleContext(event);
  try {
    const runs = await hooks.run(event, told, limitMs);
    const meant =
      runs.length === 0 && named("gateway", event) === undefined ? nearest(event, namesOf("gateway")) : undefined;
    const { problems } = hooks;
    return {
      event,
      context: told,
      runs,
      found: hooks.hooks.length,
      problems,
      ...(meant === undefined ? {} : { meant }),
    };
  } finally {
    await hooks.close();
    await house.log.flush();
  }
}

/** What the table tells of the event in its example, under the names of the wire. */
function exampleContext(event: string): Context {
  const row = named("gateway", event);
  if (row === undefined) return {};
  const { example } = rows[row.event].row;
  const command = event.slice(event.indexOf(":") + 1);
  const payload = row.event === "command:*" && command !== "*" ? { ...example, command, rawCommand: command } : example;
  return encodeGateway({ ...row, payload });
}
