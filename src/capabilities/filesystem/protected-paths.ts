import { fileFacts, isInside, resolvePath, userHome, writeTarget } from "#host";
import type { FilesystemSettings } from "./settings.ts";

/** Files and folders with keys, or that run at login or with the rights of the system (docs/reference/tools.md). */
const ofPerson = [
  ".ssh",
  ".aws",
  ".azure",
  ".gnupg",
  ".kube",
  ".docker",
  ".config/gh",
  ".config/gcloud",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".profile",
  ".zshrc",
  ".zprofile",
  ".zshenv",
  ".zlogin",
  ".netrc",
  ".pgpass",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
];

const ofSystem = [
  "/etc",
  "/boot",
  "/dev",
  "/proc",
  "/sys",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/usr/bin",
  "/usr/sbin",
  "/usr/lib",
  "/var/run/docker.sock",
  "/run/docker.sock",
  "/private/etc",
  "/System",
];

const ofHome = [".env", "config.yaml", "auth.json", "shell-hooks-allowlist.json", "state.db", "talaria.db", "keys"];

/** Says why a file is not written, or `undefined` when it may be. Links are followed before it is judged. */
export async function writeRefusal(path: string, settings: FilesystemSettings): Promise<string | undefined> {
  const target = await realPath(path);
  const shown = target === path ? path : `${path} (which is ${target})`;
  const blocked = protectedPaths(settings).find(
    (candidate) => isInside(target, candidate) || isInside(path, candidate),
  );
  if (blocked !== undefined) {
    return `${shown} is protected: ${blocked} is not written by file tools. Ask the person to change it.`;
  }
  const roots = settings.writableRoots;
  if (roots !== undefined && !roots.some((root) => isInside(target, root))) {
    return `${shown} lies outside the folders that may be written: ${roots.join(", ")}.`;
  }
  return undefined;
}

/** Where a write would end: all links followed, also those that lead to nothing yet. */
async function realPath(path: string): Promise<string> {
  const above = resolvePath("..", path);
  if (above === path) return path;
  const name = path.slice(above === "/" ? 1 : above.length + 1);
  const facts = await fileFacts(above);
  if (facts !== undefined && facts.kind !== "directory") return path;
  const plain = resolvePath(name, facts === undefined ? await realPath(above) : await writeTarget(above));
  const target = await writeTarget(plain);
  return target === plain || (await fileFacts(target)) !== undefined ? target : realPath(target);
}

function protectedPaths(settings: FilesystemSettings): string[] {
  const person = userHome();
  return [
    ...ofPerson.map((name) => resolvePath(name, person)),
    ...ofHome.map((name) => resolvePath(name, settings.home)),
    ...ofSystem,
    ...(settings.protectedPaths ?? []),
  ];
}
