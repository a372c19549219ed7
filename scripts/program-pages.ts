import { slashCommands } from "../src/cli/chat/slash.ts";
import type { Command } from "../src/cli/command.ts";
import { commands } from "../src/cli/commands.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

function commandSection(command: Command, path: readonly string[]): readonly string[] {
  const words = [...path, command.name].join(" ");
  const usage = [
    "talaria",
    words,
    ...(command.options?.length ? ["[options]"] : []),
    ...(command.arguments ? [command.arguments] : []),
  ];
  const rows = (command.options ?? []).map(({ flags, about, values }) => {
    const allowed = values ? ` (${values.join(", ")})` : "";
    return `| \`${cell(flags)}\` | ${cell(about)}${about.includes(values?.[0] ?? "\0") ? "" : allowed} |`;
  });
  return [
    `${"#".repeat(path.length + 3)} talaria ${words}`,
    "",
    `${command.about}.`,
    "",
    ...(command.load ? ["```", usage.join(" "), "```", ""] : []),
    ...(rows.length > 0 ? ["| option | |", "| --- | --- |", ...rows, ""] : []),
    ...(command.commands ?? []).flatMap((child) => commandSection(child, [...path, command.name])),
  ];
}

const cliHead = `# The command line

Written by \`npm run generate\` from the table in \`src/cli/commands.ts\`; do not edit.

\`talaria\` without a command is \`talaria chat\`. \`--home <folder>\` before the command, else \`TALARIA_HOME\`, else \`~/.talaria\`, is the
[home](home.md). \`--help\` works after every command, \`--version\` prints the version. The keys of \`config.yaml\` are in
[config.md](config.md), the chat's own commands in [chat.md](chat.md), the events of \`run --json\` in [run-json.md](run-json.md).

## Exit status

| status | |
| --- | --- |
| 0 | done |
| 1 | an error: of the model, the home, the store; a problem found by \`doctor\` or \`config check\` |
| 2 | the command line was wrong; nothing was done |
| 3 | \`run\`: the model's provider or a hook refused |
| 4 | \`run\`: the iterations were used up before the work was done |
| 130 | \`run\`: interrupted by Ctrl-C (SIGINT); 143 by SIGTERM, 129 by SIGHUP |
| 141 | \`run\`: the reader of standard output went away before the answer was complete |

## Standard input and output

- \`run\` adds a pipe or a file on standard input to the task, between \`<stdin>\` and \`</stdin>\`; without words it is the task. A pipe that
  says nothing for 3 s (a socket: 50 ms) is left alone; \`--stdin\` waits for its end, \`--no-stdin\` never looks.
- Where standard output is no terminal, \`run\` writes the delivered answer to it and nothing else; tool calls, notices and errors go to
  standard error. Tables are not cut to a width.
- At a terminal \`run\` asks about dangerous commands as the chat does. Where nobody can be asked, and with \`--json\`, they are refused
  unless a hook, the allow-list or \`--yolo\` lets them run ([permission.md](permission.md)).
- Colour needs a terminal; \`NO_COLOR\` and \`TERM=dumb\` switch it off, \`FORCE_COLOR\` on.
- A first interrupt stops the turn: tools end with all their children, hooks hear the end, what was said is stored. A second one waits for
  no hook.

## Environment

| variable | |
| --- | --- |
| \`TALARIA_HOME\` | the home |
| \`TALARIA_NODE\` | a Node binary for the launcher ([launcher.md](launcher.md)) |
| \`TALARIA_NO_LOCAL_SERVERS\` | do not look for model servers on this machine |
| \`OPENAI_BASE_URL\`, \`ANTHROPIC_BASE_URL\`, \`GEMINI_BASE_URL\` | the address of a provider, with the key in \`…_API_KEY\` |
| \`EDITOR\`, \`VISUAL\` | the editor of \`config edit\` |

Keys may stand in \`.env\` of the home; the environment wins.
`;

const chatHead = `# The chat

Written by \`npm run generate\` from the table in \`src/cli/chat/slash.ts\`; do not edit.

\`talaria\` opens a chat in the folder where it is started. A line is a message; a line that begins with a slash and a word is a command.
A line such as \`/etc/hosts\` is a message.

## Keys

| key | |
| --- | --- |
| Ctrl-C | while a turn runs: stops it, with the processes of its tools; at a question of permission: the same, nothing runs |
| | at the prompt with something typed: throws it away |
| | at an empty prompt: says how to leave; pressed again, it leaves |
| Ctrl-D | at an empty prompt: leaves |
| arrow up, arrow down | lines of this chat and of earlier ones, kept in \`chat-history\` of the home |
| tabulator | completes a command |

## While a turn runs

What is typed then is taken as \`display.busy_input_mode\` says: \`interrupt\` (the default) stops the turn and takes the message, \`queue\` takes
it when the turn is done, \`steer\` slips it to the model as a note after the next tool. \`/queue\` and \`/steer\` do so whatever the setting says.
Commands that change the conversation have to wait.

## Permission

A dangerous command is shown exactly as it will run, control characters written out, and waits for one of these words or its first letter:

| answer | |
| --- | --- |
| \`once\`, also \`yes\` | this call |
| \`session\` | all of its kind in this session |
| \`always\` | for good: its key is added to \`command_allowlist\` in \`config.yaml\` |
| \`deny\`, also \`no\` | it does not run, and the model is told |

No answer within \`approvals.timeout\` seconds is no consent. What was typed before the question is thrown away. Questions of several
sub-agents come one after another. What is never allowed is never asked about ([permission.md](permission.md)).

## Before something is put away

Where something was said, \`/new\` and \`/undo\` ask first: \`once\` (also \`yes\`) does it, \`always\` does it and never asks again
(\`approvals.destructive_slash_confirm: false\`), anything else leaves all as it is.

## What is shown

| setting | |
| --- | --- |
| \`display.streaming: false\` | each message of the model appears when it is whole |
| \`display.show_reasoning: true\` | what the model thinks appears before what it says, faint; \`/reasoning show\` and \`hide\` for this chat |
| \`display.tool_progress\` | \`all\` tool calls; \`new\`: of several of one tool in a row the first, and failures; \`verbose\`: with arguments and results; \`off\`: none; \`/verbose\` for this chat |
| \`display.show_cost: true\` | tokens and cost at the end of each turn |
| \`display.timestamps: true\` | the time when a turn begins and ends, in \`timezone\` |
| \`display.bell_on_complete: true\` | a terminal rings when a turn has ended |

They hold for \`talaria run\`, too, which prints all but the answer to standard error when it writes into a pipe. \`--json\` is not changed by them.

## From a pipe

Each line of standard input is a message or a command, taken in order; nobody is asked, so a dangerous command is refused, and \`/new\` and
\`/undo\` act at once.

## Commands

| command | |
| --- | --- |
`;

/** docs/reference/cli.md */
export const cliPage = (): string =>
  `${[cliHead, "## Commands", "", ...commands.flatMap((command) => commandSection(command, []))].join("\n").trimEnd()}\n`;

/** docs/reference/chat.md */
export function chatPage(): string {
  const rows = slashCommands.map(({ name, argument, about, aliases }) => {
    const also = aliases ? ` Also ${aliases.map((alias) => `\`/${alias}\``).join(", ")}.` : "";
    return `| \`/${name}${argument ? ` ${cell(argument)}` : ""}\` | ${cell(about)}${also} |`;
  });
  return `${chatHead}${rows.join("\n")}\n`;
}
