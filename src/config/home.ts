import { join, resolve } from "node:path";
import {
  type Environment,
  ensureDirectory,
  fileFacts,
  isHostError,
  mayWrite,
  environment as ownEnvironment,
  readStart,
  resolvePath,
  userHome,
} from "#host";
import { ConfigError } from "./error.ts";

/** Talaria's directory and how it was found. Rules: docs/reference/home.md. */
export interface Home {
  /** Absolute. */
  readonly path: string;
  readonly from: "--home" | "TALARIA_HOME" | "HERMES_HOME" | "default";
  readonly exists: boolean;
  /** False where another user's home may only be read: commands that read still work. */
  readonly isWritable: boolean;
  /** Hermes lives here: its files are left alone, our store has another name. */
  readonly isHermes: boolean;
  /** `~/.hermes` beside our own home: hooks and plugins are read from it, too. */
  readonly second: string | undefined;
}

export interface HomeSearch {
  /** The value of `--home`. */
  readonly option?: string;
  readonly environment?: Environment;
  /** The folder that a relative path starts from. */
  readonly cwd: string;
}

type Choice = Pick<Home, "path" | "from" | "second">;

const isDirectory = async (path: string): Promise<boolean> => (await fileFacts(path))?.kind === "directory";

async function choose({ option, environment = ownEnvironment(), cwd }: HomeSearch): Promise<Choice> {
  const { TALARIA_HOME: talaria, HERMES_HOME: hermes } = environment;
  if (option !== undefined) return { path: resolvePath(option, cwd), from: "--home", second: undefined };
  if (talaria) return { path: resolvePath(talaria, cwd), from: "TALARIA_HOME", second: undefined };
  if (hermes) return { path: resolvePath(hermes, cwd), from: "HERMES_HOME", second: undefined };
  const own = join(userHome(environment), ".talaria");
  const other = join(userHome(environment), ".hermes");
  const [hasOwn, hasOther] = await Promise.all([isDirectory(own), isDirectory(other)]);
  if (hasOwn) return { path: own, from: "default", second: hasOther ? other : undefined };
  return { path: hasOther ? other : own, from: "default", second: undefined };
}

/** In the head of an SQLite file: its first words, and at byte 68 whose it is. */
const sqliteWords = "SQLite format 3\0";
const ownApplication = 0x54414c41;

/** Whether the store in a home was made by Hermes. Ours carries our mark in its head. */
async function holdsHermesStore(home: string): Promise<boolean> {
  const head = await readStart(join(home, "state.db"), 72);
  if (head === undefined || head.length < 72 || head.toString("latin1", 0, 16) !== sqliteWords) return false;
  return head.readUInt32BE(68) !== ownApplication;
}

/** Finds the home without creating anything. Throws `no_home` where it is a file or may not be entered. */
export async function findHome(search: HomeSearch): Promise<Home> {
  const choice = await choose(search).catch((error: unknown) => {
    throw unusable("home", search.option ?? "", error);
  });
  const { path, from } = choice;
  try {
    const facts = await fileFacts(path);
    if (facts !== undefined && facts.kind !== "directory") {
      throw new ConfigError(
        "no_home",
        `the home ${path} (${describeSource(from)}) is not a directory; name another one`,
      );
    }
    const exists = facts !== undefined;
    const named = from === "HERMES_HOME" || path === resolve(userHome(search.environment), ".hermes");
    const isHermes = named || (exists && (await holdsHermesStore(path)));
    return { ...choice, exists, isHermes, isWritable: exists ? await mayWrite(path) : true };
  } catch (error) {
    throw unusable(describeSource(from), path, error);
  }
}

const describeSource = (from: Home["from"]): string =>
  from === "default" ? "the usual place" : from === "--home" ? "from --home" : `from $${from}`;

function unusable(source: string, path: string, error: unknown): unknown {
  if (!isHostError(error)) return error;
  return new ConfigError("no_home", `the home ${path} (${source}) cannot be used: ${error.message}`, error);
}

/** Creates the home and its `logs/` where they are missing. Throws `not_writable` where that is refused. */
export async function prepareHome(home: Home): Promise<void> {
  try {
    await ensureDirectory(home.path, 0o700);
    await ensureDirectory(join(home.path, "logs"), 0o700);
  } catch (error) {
    if (!isHostError(error)) throw error;
    const hint = "set TALARIA_HOME to a folder of your own";
    throw new ConfigError("not_writable", `the home ${home.path} cannot be written: ${error.message}; ${hint}`, error);
  }
}

/** Where things are in a home. */
export const homeFile = {
  config: (home: Home): string => join(home.path, "config.yaml"),
  environment: (home: Home): string => join(home.path, ".env"),
  log: (home: Home): string => join(home.path, "logs", "agent.log"),
  store: (home: Home): string => join(home.path, home.isHermes ? "talaria.db" : "state.db"),
} as const;
