import { describeProblem, homeFile } from "#config";
import { fileFacts, findProgram, mayWrite, nativePart, nodeVersion, redact } from "#host";
import type { Finding } from "./finding.ts";
import { type House, type HouseOptions, openHouse } from "./house.ts";
import { examinedServers } from "./mcp-servers.ts";
import { modelRoute } from "./model-route.ts";
import { openStore } from "./session-library.ts";
import { workplace } from "./workplace.ts";

type Examine = (house: House) => Promise<readonly Finding[]>;

/** Looks at everything that the program stands on. Changes nothing but an outdated store, as every start does. */
export async function examine(options: HouseOptions): Promise<readonly Finding[]> {
  const house = await openHouse(options);
  const found = await Promise.all(examinations.map((each) => each(house).catch((error: unknown) => [broken(error)])));
  return found.flat();
}

const examinations: readonly Examine[] = [node, home, settings, store, model, programs, examinedServers];

const broken = (error: unknown): Finding => ({
  about: "examination",
  state: "problem",
  detail: error instanceof Error ? error.message : String(error),
});

async function node(): Promise<readonly Finding[]> {
  return [{ about: "node", state: "ok", detail: nodeVersion() }];
}

async function home({ home }: House): Promise<readonly Finding[]> {
  const kind = home.isHermes ? "a home of Hermes's" : "a home of its own";
  if (await mayWrite(home.path)) return [{ about: "home", state: "ok", detail: `${home.path} (${kind})` }];
  const mend = "set TALARIA_HOME to a folder of your own, or change its owner; until then only reading commands work";
  return [{ about: "home", state: "problem", detail: `${home.path} cannot be written`, mend }];
}

async function settings(house: House): Promise<readonly Finding[]> {
  const { config } = house;
  const { warnings } = await workplace(house, { cwd: house.home.path });
  const found = [...config.problems.map(describeProblem), ...warnings];
  if (found.length === 0) {
    return [
      {
        about: "settings",
        state: "ok",
        detail: config.exists ? config.file : `${config.file} is not there; the defaults are in force`,
      },
    ];
  }
  return found.map((detail) => ({
    about: "settings",
    state: "warning",
    detail,
    mend: "talaria config edit",
  }));
}

async function store(house: House): Promise<readonly Finding[]> {
  const file = homeFile.store(house.home);
  const facts = await fileFacts(file);
  if (facts === undefined) return [{ about: "store", state: "ok", detail: `${file} is made with the first session` }];
  const opened = await openStore(house, !house.home.isWritable);
  try {
    const complaint = await opened.database.read((sql) =>
      String(Object.values(sql.get("PRAGMA quick_check(1)") ?? {})[0]),
    );
    if (complaint === "ok") return [{ about: "store", state: "ok", detail: `${file}` }];
    const mend = `keep a copy of ${file}, then: sqlite3 ${file} .recover | sqlite3 recovered.db`;
    return [{ about: "store", state: "problem", detail: `${file} is damaged: ${complaint}`, mend }];
  } finally {
    await opened.close();
  }
}

async function model(house: House): Promise<readonly Finding[]> {
  const { current } = await modelRoute(house);
  const name = `${current.provider}/${current.id}`;
  if (current.apiMode !== "offline")
    return [
      {
        about: "model",
        state: "ok",
        detail: `${name} at ${redact(current.baseUrl)}; 'talaria model --test' asks it for a word`,
      },
    ];
  const mend = "set a key such as OPENROUTER_API_KEY, start a local server, or 'talaria model provider/name'";
  return [{ about: "model", state: "warning", detail: "nothing is configured: the offline model answers", mend }];
}

async function programs(): Promise<readonly Finding[]> {
  const wanted = [
    {
      about: "shell",
      found: findProgram("bash") ?? findProgram("sh"),
      mend: "install bash: the terminal tool needs a shell",
    },
    {
      about: "search",
      found: (await nativePart("@vscode/ripgrep")) ? "ripgrep of the package" : findProgram("rg"),
      mend: "install ripgrep: search_files is slower without",
    },
    {
      about: "pseudo-terminals",
      found: (await nativePart("@lydell/node-pty")) ? "node-pty of the package" : undefined,
      mend: "npm install @lydell/node-pty: without it 'pty' of the terminal tool is refused",
    },
    { about: "git", found: findProgram("git"), mend: "install git: without it the agent cannot look at changes" },
  ];
  return wanted.map(({ about, found, mend }) =>
    found === undefined
      ? { about, state: "warning", detail: "not found", mend }
      : { about, state: "ok", detail: found },
  );
}
