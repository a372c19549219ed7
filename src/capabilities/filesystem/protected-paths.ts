import { isInside, resolvePath, userHome, writeTarget } from "#host";
import type { FilesystemSettings } from "./settings.ts";

/** Of the person: keys and logins, what shells run at their start, what starts at login. */
const ofPerson = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/gh",
  ".config/gcloud",
  ".netrc",
  ".pgpass",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".cargo/credentials.toml",
  ".password-store",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".config/fish/config.fish",
  ".config/autostart",
  ".config/systemd",
  "Library/LaunchAgents",
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
  "/run",
  "/var/run",
  "/var/spool/cron",
  "/private/etc",
  "/private/var/run",
  "/System",
  "/Library/LaunchDaemons",
];

/** Harmless beneath a protected place: the null device, shared memory, the folder of a person's own session. */
const exceptions = ["/dev/null", "/dev/shm", "/run/user"];

/** Of Talaria's home: its keys, and what says which commands may run. */
const ofHome = [
  ".env",
  "config.yaml",
  "cli-config.yaml",
  "auth.json",
  "shell-hooks-allowlist.json",
  "state.db",
  "talaria.db",
];

/** Says why a file is not written, or `undefined` when it may be. Links are followed before it is judged. */
export async function writeRefusal(path: string, settings: FilesystemSettings): Promise<string | undefined> {
  const target = await writeTarget(path);
  const shown = target === path ? path : `${path} (which is ${target})`;
  const places = await protectedPaths(settings);
  const blocked = places.find((place) => [path, target].some((candidate) => lies(candidate, place)));
  if (blocked !== undefined) {
    return `${shown} is protected: ${blocked} is not written by file tools. Ask the person to change it.`;
  }
  const roots = settings.writableRoots;
  if (roots !== undefined && !(await Promise.all(roots.map(writeTarget))).some((root) => isInside(target, root))) {
    return `${shown} lies outside the folders that may be written: ${roots.join(", ")}.`;
  }
  return undefined;
}

function lies(path: string, place: string): boolean {
  return isInside(path, place) && !exceptions.some((harmless) => isInside(path, harmless));
}

/** The places under their own names and, where a home is a link, under the one that it leads to. */
async function protectedPaths({ home, protectedPaths: further = [] }: FilesystemSettings): Promise<string[]> {
  const person = userHome();
  const [realPerson, realHome] = await Promise.all([writeTarget(person), writeTarget(home)]);
  return [
    ...[person, realPerson].flatMap((folder) => ofPerson.map((name) => resolvePath(name, folder))),
    ...[home, realHome].flatMap((folder) => ofHome.map((name) => resolvePath(name, folder))),
    ...ofSystem,
    ...further,
  ];
}
