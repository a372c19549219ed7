import { basename, join } from "node:path";
import { nearest } from "#config";
import { environment, fileFacts, isInside, realPath } from "#host";
import { type Candidate, discoverPlugins, type InstallPlace, type NpmPlace, readProvenance } from "#plugins";
import { type House, openHouse } from "../house.ts";
import { pluginPlaces } from "../plugins/plugin-house.ts";

/** The plugins of a home as files, without any of their code. */
export interface PluginDesk {
  readonly house: House;
  readonly cwd: string;
  readonly candidates: readonly Candidate[];
  /** Manifests that cannot be read, one sentence each. */
  readonly problems: readonly string[];
  readonly install: InstallPlace & NpmPlace;
  /** The one that a person means: a key, a manifest's name, or the last part of a key where only one has it. Throws else. */
  find(name: string): Candidate;
}

export async function openPluginDesk(place: {
  readonly home: string | undefined;
  readonly cwd: string;
}): Promise<PluginDesk> {
  const house = await openHouse({ ...place, environment: environment() });
  const { candidates, problems } = await discoverPlugins(await pluginPlaces(house, place.cwd));
  const home = house.home.path;
  return {
    house,
    cwd: place.cwd,
    candidates,
    problems,
    install: { home, plugins: join(home, "plugins"), environment: house.environment },
    find: (name) => findPlugin(candidates, problems, name),
  };
}

function findPlugin(candidates: readonly Candidate[], problems: readonly string[], name: string): Candidate {
  const exact = candidates.find(({ key }) => key === name) ?? candidates.find(({ manifest }) => manifest.name === name);
  if (exact !== undefined) return exact;
  const leaves = candidates.filter(({ key }) => basename(key) === name);
  if (leaves.length > 1)
    throw new Error(
      `several plugins are called '${name}': ${leaves.map(({ key }) => key).join(", ")}: name one of them`,
    );
  if (leaves[0] !== undefined) return leaves[0];
  const broken = problems.find((problem) => problem.split(": ", 1)[0]?.endsWith(`/${name}/plugin.yaml`));
  if (broken !== undefined) throw new Error(broken);
  const near = nearest(
    name,
    candidates.flatMap(({ key, manifest }) => [key, manifest.name]),
  );
  const hint = near === undefined ? "'talaria plugins list' shows all" : `did you mean '${near}'?`;
  throw new Error(`there is no plugin '${name}'; ${hint}`);
}

/** Where a plugin came from and who may change it. */
export type Origin =
  | { readonly kind: "bundled" | "project" | "python" | "hand" | "second-home" }
  | { readonly kind: "npm"; readonly package: string }
  | { readonly kind: "git" | "folder" | "archive"; readonly from: string; readonly commit?: string };

export async function originOf({ source, code }: Candidate, { install }: PluginDesk): Promise<Origin> {
  if (source === "bundled" || source === "project") return { kind: source };
  if (!("folder" in code)) return { kind: "python" };
  const { folder } = code;
  if (source === "entrypoint") return { kind: "npm", package: folder.slice(folder.lastIndexOf("node_modules/") + 13) };
  if (!isInside(folder, install.plugins)) return { kind: "second-home" };
  const provenance = await readProvenance(folder).catch(() => undefined); // told when it is updated
  if (provenance !== undefined) {
    const { address, commit } = provenance;
    const from = `${address.kind === "git" ? address.url : address.path}${address.subfolder ? `#${address.subfolder}` : ""}`;
    return { kind: address.kind, from, ...(commit === undefined ? {} : { commit }) };
  }
  const isClone = (await fileFacts(join(folder, ".git"))) !== undefined;
  return isClone ? { kind: "git", from: await realPath(folder) } : { kind: "hand" };
}
