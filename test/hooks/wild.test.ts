import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { bash, command, edit, group, type HookHouse, hookHouse, say, writeFile } from "./hook-fixture.ts";

const root = '"$CLAUDE_PROJECT_DIR"';

/** Scripts as people write them: what each one does to `touch ran` and to a written `a.py`. */
async function wild(arrange: (house: HookHouse) => object, event = "PreToolUse", matcher = "*") {
  const house = await hookHouse();
  house.settings({ [event]: [group(matcher, arrange(house))] });
  const steps = [bash("touch ran"), writeFile("a.py", "x=1\n"), say("done")];
  const turn = await house.turn({ steps });
  return { house, turn };
}

test("a formatter with bash and jq, quoted by $CLAUDE_PROJECT_DIR", async () => {
  const { house, turn } = await wild(
    (on) => {
      on.write(
        ".claude/hooks/format.sh",
        '#!/usr/bin/env bash\nset -euo pipefail\nfile=$(jq -r \'.tool_input.file_path // empty\')\n[[ "$file" == *.py ]] || exit 0\necho "# formatted" >> "$file"\n',
      );
      return command(`${root}/.claude/hooks/format.sh`, { timeout: 30 });
    },
    "PostToolUse",
    "Write|Edit|MultiEdit",
  );
  expect(house.read("a.py")).toBe("x=1\n# formatted\n");
  expect(turn.notices).toEqual([]);
});

test("a pipeline of jq in one line", async () => {
  const { house } = await wild(
    () => command(`jq -r '"\\(.tool_input.command) - \\(.tool_input.description // "No description")"' >> log.txt`),
    "PreToolUse",
    "Bash",
  );
  expect(house.read("log.txt")).toBe("touch ran - No description\n");
});

test("a guard in Python that reads its input and exits with 2", async () => {
  const { house, turn } = await wild((on) => {
    on.write(
      ".claude/hooks/guard.py",
      'import json, re, sys\ntry:\n    data = json.load(sys.stdin)\nexcept json.JSONDecodeError as e:\n    print(f"Error: {e}", file=sys.stderr); sys.exit(1)\nif data.get("tool_name") != "Bash": sys.exit(0)\nif re.search(r"\\btouch\\b", data["tool_input"]["command"]):\n    print("• use git instead", file=sys.stderr)\n    sys.exit(2)\n',
    );
    return command(`python3 ${root}/.claude/hooks/guard.py`);
  });
  expect(house.has("ran")).toBe(false);
  expect(house.has("a.py")).toBe(true);
  expect(turn.results[0]).toContain("• use git instead");
});

test("a logger in Node that reads by events", async () => {
  const { house, turn } = await wild(
    (on) => {
      on.write(
        "log.js",
        'const fs = require("fs"); let d = "";\nprocess.stdin.on("data", c => d += c).on("end", () => { const e = JSON.parse(d); fs.appendFileSync(process.env.CLAUDE_PROJECT_DIR + "/log.txt", e.tool_name + "\\n"); console.log("logged", e.session_id); });\n',
      );
      return command(`node ${root}/log.js`);
    },
    "PostToolUse",
    "",
  );
  expect(house.read("log.txt")).toBe("Bash\nWrite\n");
  expect(turn.sent).not.toContain("logged");
});

test("a wrapper that prints lines before its JSON decides nothing", async () => {
  const { house, turn } = await wild(() => command(`echo 'npm notice'; echo '{"decision":"block","reason":"no"}'`));
  expect(house.has("ran")).toBe(true);
  expect(turn.notices).toEqual([]);
});

test("colours and a blank line around JSON", async () => {
  const { house } = await wild(() =>
    command(`printf '\\n  {"decision":"block","reason":"no"}  \\n\\n'; printf '\\033[31mred\\033[0m' >&2`),
  );
  expect(house.has("ran")).toBe(false);
});

test("standard error in colours comes to the model", async () => {
  const { turn } = await wild(() => command(`printf '\\033[31mred words\\033[0m\\n' >&2; exit 2`));
  expect(turn.results[0]).toContain("red words");
});

test("a notifier that is not on this machine is told of and goes on", async () => {
  const { house, turn } = await wild(() => command("notify-send-none 'Claude' 'done'"), "Stop");
  expect(house.has("ran")).toBe(true);
  expect(turn.status).toBe(0);
  expect(turn.notices.join("\n")).toContain("notify-send-none");
});

test("a notifier with a fallback says nothing", async () => {
  const { turn } = await wild(
    () => command("command -v notify-send-none >/dev/null 2>&1 && notify-send-none hi || true"),
    "Stop",
  );
  expect(turn.notices).toEqual([]);
});

test.each([["nohup sleep 20 >/dev/null 2>&1 &"], ["(sleep 20) &"], ["setsid sleep 20 & disown"]])(
  "a script that leaves something behind is over when it ends: %s",
  async (line) => {
    const started = Date.now();
    const { house } = await wild(() => command(line), "PreToolUse", "Bash");
    expect(house.has("ran")).toBe(true);
    expect(Date.now() - started).toBeLessThan(15_000);
  },
);

test("a check of git before the end, and the turn goes on until it is content", async () => {
  const house = await hookHouse();
  execFileSync("git", ["init", "-q"], { cwd: house.project });
  house.write(
    "check.sh",
    '#!/bin/bash\ninput=$(cat)\n[ "$(jq -r .stop_hook_active <<<"$input")" = true ] && exit 0\nif [ -n "$(git status --porcelain)" ]; then\n  jq -n \'{decision: "block", reason: "commit first"}\'\nfi\n',
  );
  house.settings({ Stop: [group("", command(`${root}/check.sh`))] });
  const turn = await house.turn({ steps: [say("one"), say("two")] });
  expect(house.server.requests).toHaveLength(2);
  expect(turn.sent).toContain("commit first");
});

test("an edit is told with its old and new text", async () => {
  const house = await hookHouse();
  house.write("a.txt", "one\n");
  house.settings({
    PreToolUse: [
      group("Edit|MultiEdit", command("jq -r '.tool_input.old_string + \">\" + .tool_input.new_string' > seen.txt")),
    ],
  });
  await house.turn({ steps: [edit("a.txt", "one", "two"), say("done")] });
  expect(house.read("seen.txt")).toBe("one>two\n");
});

test("a pattern of MCP names leaves other tools alone, and so does a name of a server without its tools", async () => {
  for (const matcher of ["mcp__.*", "mcp__memory", "mcp__*"]) {
    const { house } = await wild(() => command("touch asked"), "PreToolUse", matcher);
    expect([matcher, house.has("asked"), house.has("ran")]).toEqual([matcher, false, true]);
  }
});

test("shell hooks of config.yaml: a list with matcher, timeout and ~", async () => {
  const house = await hookHouse();
  house.write(
    "~/.hermes/agent-hooks/no.sh",
    '#!/bin/bash\nread -r -d "" payload\ncmd=$(jq -r .tool_input.command <<<"$payload")\nif [[ $cmd == *touch* ]]; then printf \'{"decision": "block", "reason": "no touching"}\\n\'; else printf "{}\\n"; fi\n',
  );
  const config = house.read("~/.talaria/config.yaml");
  house.write(
    "~/.talaria/config.yaml",
    `${config}hooks:\n  pre_tool_call:\n    - matcher: "terminal"\n      command: "~/.hermes/agent-hooks/no.sh"\n      timeout: 10\n`,
  );
  const turn = await house.turn({ steps: [bash("touch ran"), say("done")] });
  expect(house.has("ran")).toBe(false);
  expect(turn.results[0]).toContain("no touching");
});
