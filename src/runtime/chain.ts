import type { TurnContext } from "#agent";
import { filesystem, terminal, todo } from "#capabilities";
import { redact } from "#host";
import type { Layer } from "#kernel";
import type { House } from "./house.ts";

/** Puts every ability into its slot. The kernel's blueprint says in which order they stand. */
export function addCapabilities(
  layer: Layer<TurnContext>,
  { home, config }: House,
  shimDirectory: string | undefined,
): void {
  const { settings } = config;
  layer.add(filesystem({ home: home.path, readCharacters: settings.file_read_max_chars }));
  layer.add(
    terminal({
      home: home.path,
      shimDirectory,
      redact: settings["security.redact_secrets"] ? redact : (text) => text,
      timeoutSeconds: settings["terminal.timeout"],
      longestTimeoutSeconds: settings["terminal.max_foreground_timeout"],
      output: {
        bytes: settings["tool_output.max_bytes"],
        lines: settings["tool_output.max_lines"],
        lineCharacters: settings["tool_output.max_line_length"],
      },
    }),
  );
  layer.add(todo());
}
