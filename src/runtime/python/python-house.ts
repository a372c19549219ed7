import { join } from "node:path";
import { isTruthy, variable } from "#host";
import {
  type InterpreterSearch,
  type PythonHost,
  pythonHost,
  type RegistrationCache,
  registrationCache,
} from "#plugins";
import type { House } from "../house.ts";
import { programFolder } from "../plugins/program-folder.ts";
import { agentServices } from "./agent-services.ts";
import { pythonServices, type RunningProgram } from "./python-services.ts";

const hosts = new WeakMap<House, PythonHost>();

/** The Python host of a house: plugins and gateway hooks share its process, which starts with the first of them. */
export function pythonOf(house: House, program: RunningProgram): PythonHost {
  const known = hosts.get(house);
  if (known !== undefined) return known;
  const { log } = house;
  const host = pythonHost({
    ...interpreterSearch(house, program.cwd),
    program: pythonProgram(),
    cwd: program.cwd,
    services: { ...pythonServices(house, program), ...agentServices(house, program.cwd, program.runtime) },
    log: (level, logger, text) => log.write(level, `${logger}: ${text}`),
    print(line) {
      log.write("info", `printed by a Python plugin: ${line}`);
      program.print?.(line);
    },
  });
  hosts.set(house, host);
  return host;
}

const pythonProgram = (): string => join(programFolder(), "python");

/** What Python plugins registered when they were last loaded; undefined where that is not to be remembered. */
export function rememberedRegistrations(house: House, cwd: string): RegistrationCache | undefined {
  if (!house.config.settings["plugins.remember_registrations"]) return undefined;
  const place = { ...interpreterSearch(house, cwd), program: pythonProgram(), cwd };
  return registrationCache(place, (message) => house.log.write("debug", message));
}

/** Where a house looks for its Python. */
export function interpreterSearch({ home, environment, config }: House, cwd: string): InterpreterSearch {
  return {
    configured: config.settings["python.path"],
    home: home.path,
    project: isTruthy(variable("ENABLE_PROJECT_PLUGINS", environment)) ? cwd : undefined,
    environment,
  };
}

/** Waits until what handlers began in threads and tasks is done, for at most that long. */
export async function settlePython(house: House, limitMs: number): Promise<void> {
  const host = hosts.get(house);
  const signal = AbortSignal.timeout(limitMs);
  await host?.operateIfRunning("settle", { seconds: limitMs / 1000 }, { signal }).catch((error: unknown) => {
    house.log.warning(`handlers in Python still run: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/** Ends the host of a house, where one was made. */
export async function closePython(house: House): Promise<void> {
  const host = hosts.get(house);
  hosts.delete(house);
  await host?.close();
}
