import { format } from "node:util";
import { captureConsole, captureStreams, claimUncaught, guardExit, watchdog } from "#host";
import { thrownText } from "./error.ts";
import { heldFile } from "./held-plugins.ts";
import { markEntries, occasion } from "./occasion.ts";
import { type PrintedText, printedText } from "./printed-text.ts";

export interface GuardPorts {
  /** The folder of this program: its frames are our own. */
  readonly program: string;
  readonly home: string;
  readonly log: (level: "info" | "warning", message: string, error?: unknown) => void;
  /** A line that a plugin printed. */
  readonly printed: (key: string, text: string) => void;
  /** Milliseconds of standing still after which the program is ended; 0: never. */
  readonly watchdogMs: number;
}

/** What keeps plugins in this process from ending, blocking or littering it (docs/reference/plugins.md). In force while plugins live. */
export interface PluginGuard {
  /** A plugin is about to be loaded from a folder. */
  watch(key: string, folder: string): void;
  close(): void;
}

type Folders = readonly (readonly [key: string, folder: string])[];

const ended =
  "talaria: the plugin {name} has stood still for {seconds} s{place}, so the program was ended. It is left out from now on.\n" +
  "  talaria run --resume {session} …    goes on with the session\n" +
  "  talaria plugins enable {name}    takes the plugin in again (so does a change of its file)\n";

export function pluginGuard({ program, home, log, printed, watchdogMs }: GuardPorts): PluginGuard {
  let folders: Folders = [];
  const dog = watchdogMs > 0 ? watchdog({ limitMs: watchdogMs, heldFile: heldFile(home), message: ended }) : undefined;
  const lines = new Map<string, PrintedText>();
  /** Shown by whoever runs a command of the plugin, else a line in the log and on the screen. False: no plugin is at work. */
  const told = (text: string, stream: "stdout" | "stderr"): boolean => {
    const { plugin, write } = occasion();
    if (plugin === undefined) return false;
    if (write !== undefined) {
      write(text, stream);
      return true;
    }
    const own = lines.get(plugin) ?? printedText((line) => printed(plugin, line));
    lines.set(plugin, own);
    own.add(text, stream);
    return true;
  };
  const undo = [
    guardExit((call, stack) => {
      const { isOwn, key = occasion().plugin } = suspect(stack, folders, program);
      if (isOwn || key === undefined) return undefined;
      log("warning", `plugin ${key} called ${call}: refused, a plugin cannot end the program`);
      return `${call} is refused: the plugin ${key} cannot end the program`;
    }),
    claimUncaught((error) => {
      const stack = error instanceof Error ? (error.stack ?? "") : "";
      const { isOwn, key = occasion().plugin } = suspect(stack, folders, program);
      if (isOwn || key === undefined) return false;
      log("warning", `plugin ${key}: an error that nobody caught: ${thrownText(error)}`, error);
      return true;
    }),
    captureConsole(
      (values) => format(...values),
      (text) => told(`${text}\n`, "stdout"),
    ),
    captureStreams(
      () => occasion().plugin !== undefined,
      (text, stream, stack) => !suspect(stack, folders, program).isOwn && told(text, stream),
    ),
    ...(dog === undefined ? [] : [markEntries(dog), () => dog.stop()]),
  ];
  return {
    watch(key, folder) {
      const others = folders.filter(([name]) => name !== key);
      folders = [...others, [key, folder] as const].sort((one, other) => other[1].length - one[1].length);
      dog?.watch({ name: key, folder });
    },
    close() {
      for (const one of undo) one();
      for (const own of lines.values()) own.end();
    },
  };
}

interface Whose {
  /** The nearest code is this program's own. */
  readonly isOwn: boolean;
  readonly key?: string;
}

/** Whose the nearest frame is. Frames of Node and of packages in between count for whoever called them. */
function suspect(stack: string, folders: Folders, program: string): Whose {
  for (const line of stack.split("\n").slice(1)) {
    const found = folders.find(([, folder]) => line.includes(`${folder}/`));
    if (found !== undefined) return { isOwn: false, key: found[0] };
    if (line.includes(`${program}/`)) return { isOwn: true };
  }
  return { isOwn: false };
}
