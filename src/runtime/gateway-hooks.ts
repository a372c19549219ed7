import { join } from "node:path";
import { nearest } from "#config";
import { encodeGateway, named, namesOf, rows } from "#kernel";
import {
  type GatewayHooks,
  gatewayHooks,
  type HandlerLoader,
  type HandlerRun,
  moduleHandlers,
  pythonHandlers,
  readModule,
} from "#plugins";
import { type House, openHouse } from "./house.ts";
import { closePython, pythonOf, settlePython } from "./python/python-house.ts";
import type { Runtime } from "./runtime.ts";

type Context = Readonly<Record<string, unknown>>;

const nothing = (): void => undefined;

/** Lines for the person who watches. */
export interface Told {
  readonly problem: (line: string) => void;
  /** What a handler in Python printed. */
  readonly print: (line: string) => void;
  /** Makes an agent for a handler that wants one, where no program runs. */
  readonly runtime?: () => Promise<Runtime>;
}

/** The gateway's hooks of a house, loaded: nothing else in the program loads them. */
export function openGatewayHooks(house: House, cwd: string, told: Told): Promise<GatewayHooks> {
  const { home, log } = house;
  const python: HandlerLoader = (hook) =>
    pythonHandlers(pythonOf(house, { cwd, print: told.print, ...(told.runtime && { runtime: told.runtime }) }))(hook);
  return gatewayHooks({
    roots: [home.path, ...(home.second === undefined ? [] : [home.second])].map((root) => join(root, "hooks")),
    loaders: { typescript: moduleHandlers((file) => readModule(file, { fresh: false })), python },
    log(level, line) {
      log.write(level, line);
      if (level !== "info") told.problem(line);
    },
  });
}

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
  place: { readonly home: string | undefined; readonly cwd: string; readonly print?: (line: string) => void },
  { event, context, limitMs }: { readonly event: string; readonly context?: Context; readonly limitMs: number },
): Promise<HandFired> {
  const house = await openHouse({ ...place });
  let made: Promise<Runtime> | undefined;
  const runtime = (): Promise<Runtime> => {
    made ??= import("./create-runtime.ts").then(({ createRuntime }) =>
      createRuntime({ home: house.home.path, cwd: place.cwd, environment: house.environment, version: "hooks emit" }),
    );
    return made;
  };
  const hooks = await openGatewayHooks(house, place.cwd, {
    problem: nothing,
    print: place.print ?? nothing,
    runtime,
  });
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
    await settlePython(house, limitMs);
    await hooks.close();
    await closePython(house);
    const program = await made?.catch(() => undefined); // whoever asked for it was told
    await program?.close("shutdown");
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
