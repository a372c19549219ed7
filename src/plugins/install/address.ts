import { basename } from "node:path";
import { fileFacts, resolvePath } from "#host";
import { InstallError } from "./error.ts";

/** Where a plugin is got from (docs/reference/plugin-install.md). */
export type Address =
  | { readonly kind: "folder"; readonly path: string; readonly subfolder?: string }
  | { readonly kind: "archive"; readonly path: string; readonly subfolder?: string }
  | { readonly kind: "git"; readonly url: string; readonly ref?: string; readonly subfolder?: string }
  | { readonly kind: "npm"; readonly spec: string };

/** Reads what a person typed. Rejects with `bad_address` for what is none. */
export async function readAddress(text: string, cwd: string): Promise<Address> {
  const typed = text.trim();
  if (typed === "" || typed.startsWith("-")) throw badAddress(typed);
  if (typed.startsWith("npm:")) return npmAddress(typed.slice(4));
  if (/^(?:https?|ssh|git|file):\/\//.test(typed) || /^[\w.-]+@[\w.-]+:/.test(typed)) return gitAddress(typed);
  const [path = "", fragment] = splitOnce(typed, "#");
  const isPath = /^(?:[./~]|[A-Za-z]:[\\/])/.test(path);
  const local = await localAddress(path, fragment, cwd);
  if (local !== undefined) return local;
  if (isPath || isArchive(path))
    throw new InstallError("not_found", `there is neither a folder nor an archive at ${resolvePath(path, cwd)}`);
  if (typed.startsWith("@")) return npmAddress(typed);
  const [owner = "", repository = "", ...rest] = path.split("/");
  if (repository === "") return npmAddress(typed);
  if (![owner, repository].every((part) => /^[\w.-]+$/.test(part))) throw badAddress(typed);
  const subfolder = fragment ?? rest.join("/");
  const url = `https://github.com/${owner}/${repository.replace(/\.git$/, "")}.git`;
  return { kind: "git", url, ...inside(subfolder) };
}

const badAddress = (text: string): InstallError =>
  new InstallError(
    "bad_address",
    `'${text}' names no plugin: give a folder, a .tgz, an npm package, a git address or owner/repository[/folder]`,
  );

const isArchive = (path: string): boolean => /\.(?:tgz|tar\.gz|tar)$/i.test(path);

function splitOnce(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** A subfolder as a field; none where it is empty. Whether it stays inside is checked once it is there. */
function inside(subfolder: string | undefined): { readonly subfolder?: string } {
  const trimmed = subfolder?.replace(/^\/+|\/+$/g, "") ?? "";
  return trimmed === "" ? {} : { subfolder: trimmed };
}

async function localAddress(path: string, fragment: string | undefined, cwd: string): Promise<Address | undefined> {
  if (path === "") return undefined;
  const full = resolvePath(path, cwd);
  const facts = await fileFacts(full);
  if (facts?.kind === "directory") return { kind: "folder", path: full, ...inside(fragment) };
  if (facts?.kind === "file" && isArchive(full)) return { kind: "archive", path: full, ...inside(fragment) };
  if (facts?.kind === "file") throw new InstallError("bad_address", `${full} is a file, but no .tgz, .tar.gz or .tar`);
  return undefined;
}

function npmAddress(spec: string): Address {
  if (!/^(?:@[\w.~-]+\/)?[\w.~-]+(?:@[^\s/]+)?$/.test(spec) || spec.startsWith(".")) throw badAddress(spec);
  return { kind: "npm", spec };
}

function gitAddress(typed: string): Address {
  const [address, fragment] = splitOnce(typed, "#");
  const tree = /^(https?:\/\/[^/]+\/[^/]+\/[^/]+?)(?:\.git)?\/(?:-\/)?tree\/([^/]+)(?:\/(.*))?$/.exec(address);
  if (tree !== null)
    return {
      kind: "git",
      url: `${tree[1]}.git`,
      ref: decodeURIComponent(tree[2] ?? ""),
      ...inside(fragment ?? tree[3]),
    };
  const inGit = /^(.*\.git)\/(.+)$/.exec(address);
  if (inGit !== null) return { kind: "git", url: inGit[1] ?? "", ...inside(fragment ?? inGit[2]) };
  return { kind: "git", url: address, ...inside(fragment) };
}

/** The last part of an address: the name of a plugin whose manifest names none. */
export function lastPart(address: Exclude<Address, { kind: "npm" }>): string {
  const whole = address.subfolder ?? (address.kind === "git" ? address.url : address.path);
  return basename(whole.replace(/[:\\]/g, "/").replace(/\/+$/, "")).replace(/\.(?:git|tgz|tar\.gz|tar)$/i, "");
}

/** What is dubious about the way there. */
export function addressWarning(address: Address): string | undefined {
  if (address.kind !== "git") return undefined;
  if (address.url.startsWith("http://")) return `${address.url} is not encrypted: whoever is on the way can change it`;
  if (address.url.startsWith("git://")) return `${address.url} is neither encrypted nor checked`;
  return address.url.startsWith("file://") ? `${address.url} is on this machine: it is copied as it is now` : undefined;
}
