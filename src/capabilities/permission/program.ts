/** How a program that starts another one is written: which of its options take a value, and how many words come before the other. */
interface Wrapper {
  readonly valued?: string;
  readonly before?: number;
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  sudo: { valued: "ughpCrtTUDR" },
  doas: { valued: "uC" },
  env: { valued: "uC" },
  nice: { valued: "n" },
  ionice: { valued: "cn" },
  chrt: { before: 1 },
  taskset: { before: 1 },
  timeout: { valued: "ks", before: 1 },
  stdbuf: { valued: "ioe" },
  nohup: {},
  setsid: {},
  exec: { valued: "a" },
  command: {},
  builtin: {},
  time: { valued: "fo" },
  coproc: {},
  xargs: { valued: "nPILdaEs" },
  chroot: { before: 1 },
  busybox: {},
  toybox: {},
  strace: { valued: "oepsEP" },
  ltrace: { valued: "oep" },
  flock: { valued: "wE", before: 1 },
  unshare: {},
  setpriv: {},
  fakeroot: {},
  pkexec: {},
  watch: { valued: "n" },
  caffeinate: {},
  parallel: { valued: "jn" },
  proxychains: {},
  "systemd-run": { valued: "pu" },
  "systemd-inhibit": {},
  eatmydata: {},
  trap: { before: 0 },
  setarch: { before: 1 },
  linux32: {},
  linux64: {},
  numactl: { valued: "NmiCp" },
  prlimit: {},
  cgexec: { valued: "g" },
  chpst: { valued: "uUeb" },
  unbuffer: {},
  winpty: {},
};

/** Programs whose command comes after options that are too many to list: the first word that names one of these starts it. */
const containers =
  /^(docker|podman|nerdctl|kubectl|lxc|lxc-attach|nsenter|bwrap|firejail|proot|machinectl|distrobox|toolbox|wsl|ssh|mosh|adb)$/;
const started = /^(?:rm|dd|mkfs\S*|(?:ba|z|k|da|a|fi)?sh|eval)$/;

export const shells = /^(?:ba|z|k|da|a|fi|c|tc|mk|pdk)?sh$/;
export const remotes = /^(ssh|mosh|docker|podman|nerdctl|kubectl|lxc|lxc-attach|adb|machinectl|wsl)$/;
const interpreters = /^(python[\d.]*|pypy3?|perl|ruby|node|nodejs|deno|bun|php|lua|g?awk|mawk|osascript|tclsh|expect)$/;
const codeTakers =
  /^(eval|su|runuser|trap|tmux|screen|script|alias|at|batch|source|\.|find|fd|crontab|make|gdb|vim?|nvim|emacs)$/;
const databases =
  /^(mysql|mariadb|psql|sqlite3?|duckdb|clickhouse-client|sqlcmd|cqlsh|mongosh?|redis-cli|usql|pgcli|mycli)$/;
const readsData =
  /^(echo|printf|true|false|:|test|\[|\[\[|grep|egrep|fgrep|rg|ag|ack|sed|cat|less|more|head|tail|wc|sort|uniq|cut|tr|ls|tree|stat|file|which|type|man|info|help|whatis|apropos|gh|glab|hub|jq|yq|curl|wget|mail|mutt|sendmail|notify-send|say|espeak|logger|wall|write|tee|touch|mkdir|basename|dirname|diff|cmp|date|sleep|read|export|declare|local|readonly|typeset|unset|set|hermes|talaria|claude|codex|gemini|ollama|llm|npm|pnpm|yarn|pip|cargo|go|apt|apt-get|dnf|brew|pytest|vitest|jest|rm|cp|mv|chmod|chown|ln|xclip|pbcopy|base64)$/;
const quietGit =
  /^(commit|tag|log|grep|show|stash|notes|merge|diff|add|blame|push|pull|fetch|checkout|switch|branch|status|revert|cherry-pick|mv|rm|restore|reset|describe|shortlog|ls-files)$/;

/**
 * What a program does with text in its arguments: `code` runs it as shell text, `literals` may run what its string
 * literals say, `data` never runs it, `unknown` might. `queries` are given to a database.
 */
export type Reading = "code" | "literals" | "queries" | "data" | "unknown";

export function readingOf(words: readonly string[]): Reading {
  const name = programName(words[0] ?? "");
  if (shells.test(name) || codeTakers.test(name) || name in wrappers || remotes.test(name)) return "code";
  if (interpreters.test(name)) return "literals";
  if (databases.test(name)) return "queries";
  if (name === "git") return isQuietGit(words) ? "data" : "code";
  return readsData.test(name) ? "data" : "unknown";
}

/** Git runs text only through settings given with `-c` and the options of some sub-commands. */
function isQuietGit(words: readonly string[]): boolean {
  const place = words.findIndex(
    (word, index) => index > 0 && !word.startsWith("-") && !/^-[cC]$/.test(words[index - 1] ?? ""),
  );
  const settings = words.slice(1, place).filter((word) => !word.startsWith("-"));
  return quietGit.test(words[place] ?? "") && !settings.some((setting) => runningSetting.test(setting));
}

const runningSetting = /^alias\.|pager|editor|command|fsmonitor|hooks|tool\.|helper|textconv|filter\.|program/i;

/** Programs that run, as shell text or queries, what is piped into them or what a here-document gives them. */
export function readsCode(words: readonly string[]): boolean {
  const name = programName(words[0] ?? "");
  return (
    shells.test(name) ||
    databases.test(name) ||
    /^(at|batch|ssh|parallel|source|\.|eval|xargs|su|docker|kubectl|podman|crontab|make)$/.test(name)
  );
}

/** A program's name without the folder it was called from; `./x` stays, since it is no system program. */
export function programName(word: string): string {
  if (!/^(?:\/|~\/)|(?:^|\/)\.\.\/(?:.*\/)?s?bin\/[^/]+$/.test(word)) return word;
  const name = word.split("/").at(-1) ?? word;
  if (!/[*?[]/.test(name)) return name;
  const shape = new RegExp(
    `^${name
      .replace(/[.+^${}()|\\]/g, "\\$&")
      .replace(/\*+/g, ".*")
      .replace(/\?/g, ".")}$`,
  );
  return guarded.find((known) => shape.test(known)) ?? name;
}

/** Programs that a pattern of file names may stand for. */
const guarded = [
  "rm",
  "dd",
  "mkfs",
  "shutdown",
  "reboot",
  "halt",
  "poweroff",
  "init",
  "telinit",
  "systemctl",
  "kill",
  "sh",
  "bash",
];

const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*\+?=/.test(word);

/** The command inside `sudo -u x env A=1 nice -n 5 …`; the same words where nothing is wrapped. */
export function unwrapped(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let rounds = 0; rounds < 12; rounds++) {
    const inner = unwrapOnce(rest);
    if (inner === rest || inner.length === 0) return rest;
    rest = inner;
  }
  return rest;
}

function unwrapOnce(words: readonly string[]): readonly string[] {
  const [first = ""] = words;
  if (isAssignment(first)) return words.slice(1);
  if (first.includes("$")) return withoutUnknown(words);
  if (programName(first) === "command" && /^-[a-zA-Z]*[vV]/.test(words[1] ?? "")) return words;
  const name = programName(first);
  if (name === "find" || name === "fd") return afterExec(words);
  if (containers.test(name)) {
    const place = words.findIndex((word, index) => index > 0 && started.test(programName(word)));
    return place < 0 ? words : words.slice(place);
  }
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  return wrapper === undefined ? words : words.slice(skipOptions(words, wrapper));
}

/** A variable of which the text says nothing is most likely empty. */
function withoutUnknown(words: readonly string[]): readonly string[] {
  const [first = "", ...rest] = words;
  const known = first.replace(/\$(?:[A-Za-z_]\w*|[\d@*])/g, "");
  if (known === first) return words;
  return known === "" ? rest : [known, ...rest];
}

function afterExec(words: readonly string[]): readonly string[] {
  const place = words.findIndex((word) => /^(-exec|-execdir|-ok|-okdir|-x|-X)$/.test(word));
  return place < 0 ? words : words.slice(place + 1);
}

const longValued =
  /^--(?:user|group|host|prompt|chdir|chroot|role|type|close-from|command-timeout|other-user|signal|kill-after|adjustment|unset|class|classdata|format|output|input|error|max-args|max-procs|max-lines|delimiter|arg-file|interval|unit|property|slice|description|working-directory|uid|gid|nice|setenv|cpunodebind|membind)$/;

const isFlag = (words: readonly string[], word: string): boolean =>
  word === "--user" && programName(words[0] ?? "") === "systemd-run";

function skipOptions(words: readonly string[], { valued = "", before = 0 }: Wrapper): number {
  let place = 1;
  for (; place < words.length; place++) {
    const word = words[place] ?? "";
    if (word === "--") return place + 1 + before;
    if (isAssignment(word)) continue;
    if (!word.startsWith("-")) break;
    if (word.length === 2 ? valued.includes(word.charAt(1)) : longValued.test(word) && !isFlag(words, word)) place++;
  }
  return place + before;
}

const running =
  /\b(?:system|popen|exec\w*|spawn\w*|subprocess|child_process|shell_exec|passthru|run|check_\w+)\b|`|%x|do shell script/;

/**
 * The string literals of a program text that may hand them to a shell, those of one list also as one command, and what
 * it removes by itself as the command that would.
 */
export function shellLiterals(code: string): readonly string[] {
  const removed = [...code.matchAll(removing)].map((found) => `rm -rf ${found[1]}`);
  if (!running.test(code)) return removed;
  const literals: string[] = [];
  let before = 0;
  for (const found of code.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`|%x[({[|]([^)}\]|]*)/gs)) {
    const literal = found[1] ?? found[2] ?? found[3] ?? found[4] ?? "";
    const listed = /^[\s,+.[]{1,20}$/.test(code.slice(before, found.index)) && literals.length > 0;
    literals.push(literal);
    if (listed) literals.push(`${literals.at(-2)} ${literal}`);
    before = found.index + found[0].length;
  }
  return [...removed, ...literals];
}

const removing =
  /\b(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_tree|removeSync|emptyDirSync)\s*\(?\s*(?:os\.path\.expanduser\()?["'`](\/[^"'`]*|~[^"'`]*)["'`]/g;
