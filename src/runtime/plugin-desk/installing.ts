import { join } from "node:path";
import { homeFile } from "#config";
import { exists, setDotenv } from "#host";
import {
  type Address,
  addressWarning,
  type Candidate,
  InstallError,
  type Installed,
  installPackage,
  packageName,
  packageVersion,
  prepareInstall,
  prepareUpdate,
  type Review,
  readAddress,
  readPackagePlugin,
  removeInstalled,
  removePackage,
  review,
  updatePackage,
} from "#plugins";
import { openPluginDesk, originOf, type PluginDesk } from "./desk.ts";
import { forgetPlugin, reloadElsewhere } from "./switching.ts";

/** A plugin that was got and may be looked at; nothing of it has run. */
export interface Offer {
  readonly name: string;
  readonly review: Review;
  /** What is dubious about the way there. */
  readonly warning: string | undefined;
  /** One of this name is there already. */
  readonly exists: boolean;
  accept(): Promise<Installed>;
  refuse(): Promise<void>;
}

/** Gets what a person typed. Rejects with an `InstallError` that says what is wrong and what to do. */
export async function offerPlugin(desk: PluginDesk, typed: string): Promise<Offer> {
  const address = await readAddress(typed, desk.cwd);
  const warning = addressWarning(address);
  if (address.kind === "npm") return offerPackage(desk, address);
  const prepared = await prepareInstall(address, desk.install);
  return { ...prepared, warning, accept: prepared.commit, refuse: prepared.discard };
}

async function offerPackage({ install }: PluginDesk, { spec }: Extract<Address, { kind: "npm" }>): Promise<Offer> {
  const folder = join(install.home, "node_modules", packageName(spec));
  const wasThere = await exists(folder);
  await installPackage(spec, install);
  const [plugin] = await readPackagePlugin(folder);
  if (plugin === undefined) throw new InstallError("not_a_plugin", `${folder} holds no plugin`);
  const name = plugin.key;
  return {
    name,
    review: await review(folder, plugin),
    warning: undefined,
    exists: false,
    accept: async () => ({ name, folder, examples: [], carried: [], afterInstall: undefined }),
    refuse: async () => {
      if (!wasThere) await removePackage(packageName(spec), install);
    },
  };
}

export interface Update {
  readonly key: string;
  readonly state: "updated" | "same";
  readonly from: string;
  readonly to: string;
  /** Files of the person that were taken over. */
  readonly carried: readonly string[];
  /** What the new one needs and the old one did not. */
  readonly review: Review;
}

/** Gets a plugin anew from where it came from and puts it in its place; programs that run load it anew. */
export async function updatePlugin(desk: PluginDesk, candidate: Candidate): Promise<Update> {
  const { key, code, manifest } = candidate;
  const origin = await originOf(candidate, desk);
  const folder = "folder" in code ? code.folder : "";
  if (origin.kind === "npm") {
    const from = await packageVersion(origin.package, desk.install);
    await updatePackage(origin.package, desk.install);
    const to = await packageVersion(origin.package, desk.install);
    if (from !== to) await reloadElsewhere(desk, candidate);
    const read = await review(folder, candidate);
    return { key, state: from === to ? "same" : "updated", from, to, carried: [], review: read };
  }
  if (origin.kind === "bundled" || origin.kind === "python" || origin.kind === "second-home")
    throw new InstallError("no_origin", `${key} is ${whose(origin.kind)}`);
  const prepared = await prepareUpdate(folder, desk.install);
  const { version: to } = prepared.review.manifest;
  const told = { key, from: manifest.version, to, review: prepared.review };
  if (prepared.isSame) {
    await prepared.discard();
    return { ...told, state: "same", carried: [] };
  }
  const { carried } = await prepared.commit();
  await reloadElsewhere(desk, candidate);
  return { ...told, state: "updated", carried };
}

const whose = (kind: "bundled" | "python" | "second-home"): string =>
  ({
    bundled: "part of this program: it changes with it",
    python: "a Python package: use pip for it",
    "second-home": "in ~/.hermes, which is left alone: use hermes for it",
  })[kind];

/** Takes a plugin of the home away, and its name out of the configuration. */
export async function removePlugin(desk: PluginDesk, candidate: Candidate): Promise<string> {
  const origin = await originOf(candidate, desk);
  if (origin.kind === "npm") {
    await removePackage(origin.package, desk.install);
    await forgetPlugin(desk, candidate);
    return origin.package;
  }
  if (origin.kind === "bundled" || origin.kind === "python" || origin.kind === "second-home")
    throw new InstallError(
      "not_installed",
      `${candidate.key} is ${whose(origin.kind)}; 'talaria plugins disable' turns it off`,
    );
  const folder = "folder" in candidate.code ? candidate.code.folder : "";
  if (origin.kind === "project")
    throw new InstallError("not_installed", `${folder} belongs to the project: delete it there, or disable the plugin`);
  await removeInstalled(folder);
  await forgetPlugin(desk, candidate);
  return folder;
}

/** The variables that a plugin wants and nobody has set. */
export const missingVariables = ({ needs }: Review, { house }: PluginDesk): Review["needs"]["environment"] =>
  needs.environment.filter(({ name }) => (house.environment[name] ?? "") === "");

/** Keeps a variable in the home's `.env`. */
export const keepVariable = ({ house }: PluginDesk, name: string, value: string): Promise<void> =>
  setDotenv(homeFile.environment(house.home), name, value);

/** The installed plugin as discovery finds it now. */
export async function installedPlugin(
  desk: PluginDesk,
  name: string,
): Promise<{ desk: PluginDesk; candidate: Candidate }> {
  const anew = await openPluginDesk({ home: desk.house.home.path, cwd: desk.cwd });
  return { desk: anew, candidate: anew.find(name) };
}
