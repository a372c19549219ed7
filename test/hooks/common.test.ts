import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bash, command, edit, group, hookHouse, say, writeFile } from "./hook-fixture.ts";

const root = '"$CLAUDE_PROJECT_DIR"';
const denial = (reason: string) =>
  JSON.stringify({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason },
  });

type Case = readonly [name: string, text: string];

/** What each command makes of a call of its own, all in one turn: what the model was told, or that the call ran. */
async function judged(
  cases: readonly Case[],
): Promise<{ readonly verdicts: Readonly<Record<string, string>>; readonly notices: readonly string[] }> {
  const house = await hookHouse();
  house.write("answer.json", denial("no way"));
  const callOf = (at: number): string => `touch ran ${at}`;
  const rules = cases.map(([, text], at) => command(text, { if: `Bash(${callOf(at)})` }));
  house.settings({ PreToolUse: [group("Bash", ...rules)] });
  const calls = cases.map((_, at) => ({ name: "terminal", args: { command: callOf(at) } }));
  const turn = await house.turn({ steps: [{ calls }, say("done")] });
  const ends = turn.events.filter(({ type }) => type === "tool-end");
  const verdicts = cases.map(([name], at) => [
    name,
    ends[at]?.["status"] === "blocked" ? String(ends[at]?.["result"]) : "ran",
  ]);
  return { verdicts: Object.fromEntries(verdicts), notices: turn.notices };
}

const each = (cases: readonly Case[], what: unknown) => Object.fromEntries(cases.map(([name]) => [name, what]));

const readers: readonly Case[] = [
  ["cat", `test "$(cat | jq -r .tool_input.command)" = "touch ran 0" && exit 2`],
  ["/dev/stdin", `test "$(cat /dev/stdin | jq -r .tool_name)" = Bash && exit 2`],
  ["a redirection of /dev/stdin", `test "$(jq -r .tool_name < /dev/stdin)" = Bash && exit 2`],
  ["/proc/self/fd/0", `test "$(jq -r .tool_name /proc/self/fd/0)" = Bash && exit 2`],
  [
    "read, line by line",
    `set -e; while IFS= read -r line; do all="$all$line"; done; echo "$all" | jq -e '.tool_name == "Bash"' > /dev/null; exit 2`,
  ],
  ["read under set -e", `set -e; read -r line; echo "$line" | jq -e .tool_name > /dev/null; exit 2`],
  ["read with a time limit", `read -t 5 -r line; echo "$line" | jq -e .tool_name > /dev/null && exit 2`],
  [
    "mapfile",
    `bash -c 'mapfile -t lines; [ \${#lines[@]} -ge 1 ] && echo "\${lines[*]}" | jq -e .tool_name >/dev/null && exit 2'`,
  ],
  ["only when it is no terminal", `if [ ! -t 0 ]; then cat > /dev/null; exit 2; fi`],
  [
    "Python, all of it",
    `python3 -c 'import json, sys; d = json.loads(sys.stdin.read()); sys.exit(2 if d["tool_name"] == "Bash" else 0)'`,
  ],
  [
    "Python, a line",
    `python3 -c 'import json, sys; sys.exit(2 if json.loads(sys.stdin.readline())["tool_name"] == "Bash" else 0)'`,
  ],
  [
    "Python, by select",
    `python3 -c 'import select, sys; r, _, _ = select.select([sys.stdin], [], [], 5); sys.exit(2 if r and "Bash" in sys.stdin.read() else 0)'`,
  ],
  [
    "Python, by its file",
    `python3 -c 'import json; d = json.load(open("/dev/stdin")); raise SystemExit(2 if d["tool_name"] == "Bash" else 0)'`,
  ],
  [
    "Node, descriptor 0",
    `node -e 'const d = JSON.parse(require("fs").readFileSync(0, "utf8")); process.exit(d.tool_name === "Bash" ? 2 : 0)'`,
  ],
  [
    "Node, /dev/stdin",
    `node -e 'const d = JSON.parse(require("fs").readFileSync("/dev/stdin", "utf8")); process.exit(d.tool_name === "Bash" ? 2 : 0)'`,
  ],
  [
    "Node, for await",
    `node --input-type=module -e 'let t = ""; for await (const c of process.stdin) t += c; process.exitCode = JSON.parse(t).tool_name === "Bash" ? 2 : 0'`,
  ],
  [
    "Node, readline",
    `node -e 'require("readline").createInterface({ input: process.stdin }).on("line", (l) => process.exit(JSON.parse(l).tool_name === "Bash" ? 2 : 0))'`,
  ],
  ["Perl", `perl -e 'local $/; exit(<STDIN> =~ /"tool_name": ?"Bash"/ ? 2 : 0)'`],
  ["awk", `awk '/touch ran/ { found = 1 } END { exit found ? 2 : 0 }'`],
  ["grep alone", `grep -q 'touch ran' && exit 2; exit 0`],
  [
    "a heredoc as the program",
    `input=$(cat) python3 - <<'EOF'\nimport json, os, sys\nsys.exit(2 if json.loads(os.environ["input"])["tool_name"] == "Bash" else 0)\nEOF`,
  ],
  [
    "a copy for two readers",
    `tee copy.json | jq -e .tool_name > /dev/null && jq -e .session_id copy.json > /dev/null && exit 2`,
  ],
];

test("a hook may read its input in any way", async () => {
  const { verdicts, notices } = await judged(readers);
  expect(verdicts).toEqual(each(readers, expect.stringContaining("error")));
  expect(notices).toEqual([]);
});

const refusals: readonly Case[] = [
  ["standard error", "echo first >&2; echo second >&2; exit 2"],
  ["/dev/stderr", "echo first > /dev/stderr; echo second > /dev/stderr; exit 2"],
  ["/dev/stderr behind standard error", "echo first >&2; echo second >> /dev/stderr; exit 2"],
  ["tee to /dev/stderr", "printf 'first\\nsecond\\n' | tee /dev/stderr > /dev/null; exit 2"],
  [
    "Python's sys.exit with a text, which is status 1, turned into 2",
    `python3 -c 'import sys; print("first", file=sys.stderr); sys.exit("second")' || exit 2`,
  ],
  [
    "Node's console.error and process.exit",
    `node -e 'console.error("first"); console.error("second"); process.exit(2)'`,
  ],
  ["two programs at the same time", "(echo first >&2) & wait; (echo second >&2) & wait; exit 2"],
];

test("a hook may refuse on standard error in any way", async () => {
  const { verdicts, notices } = await judged(refusals);
  expect(verdicts).toEqual(each(refusals, expect.stringContaining("first\\nsecond")));
  expect(notices).toEqual([]);
});

const denials: readonly Case[] = [
  ["echo", `echo '${denial("no way")}'`],
  ["a file", `cat ${root}/answer.json`],
  ["a heredoc", `cat <<'JSON'\n${denial("no way")}\nJSON`],
  ["jq -n, over many lines", `jq -n '${denial("no way")}'`],
  ["/dev/stdout", `echo '${denial("no way")}' > /dev/stdout`],
  ["tee", `echo '${denial("no way")}' | tee log.json`],
  [
    "Python over many lines",
    `python3 -c 'import json; print(json.dumps(json.loads(open("answer.json").read()), indent=4))'`,
  ],
  ["Node without a line end", `node -e 'process.stdout.write(require("fs").readFileSync("answer.json"))'`],
  ["words on standard error beside it", `echo 'DEBUG: deciding' >&2; cat answer.json`],
  ["a byte order mark before it", `printf '\\357\\273\\277'; cat answer.json`],
  ["an exit status of its own", `cat answer.json; exit 1`],
  ["the old form", `echo '{"decision": "block", "reason": "no way"}'`],
  ["a background job that holds the output", `cat answer.json; sleep 30 &`],
];

test("a hook may write its answer in any way", async () => {
  const { verdicts, notices } = await judged(denials);
  expect(verdicts).toEqual(each(denials, expect.stringContaining("no way")));
  expect(notices).toEqual([]);
});

describe("settings as people write them", () => {
  const guards: readonly (readonly [name: string, matcher: string, text: string, more?: object])[] = [
    [
      "a guard of files, as in the manual",

      "Edit|Write",
      `python3 -c "import json, sys; data=json.load(sys.stdin); path=data.get('tool_input',{}).get('file_path',''); sys.exit(2 if any(p in path for p in ['.env', 'package-lock.json', '.git/']) else 0)"`,
    ],
    [
      "a case of bash",

      "Write",
      `f=$(jq -r .tool_input.file_path); case "$f" in */.env|*.pem) echo "secret: $f" >&2; exit 2;; esac`,
    ],
    [
      "a matcher over many tools",

      "Read|Edit|MultiEdit|Write|NotebookEdit|Glob|Grep",
      `jq -e '.tool_input.file_path | endswith(".env") | not' > /dev/null || exit 2`,
    ],
    ["a regular expression", "^(Write|Edit.*)$", "exit 2"],
    ["a condition on a path", "", "exit 2", { if: "Edit(.env)" }],
    ["a condition on a path anywhere", "Write", "exit 2", { if: "Write(**/.env)" }],
    ["exec form", "Write", "bash", { args: ["-c", "exit 2"] }],
    ["a wrong program with onFailure", "Write", "not-a-program-anywhere", { onFailure: "block" }],
  ];
  for (const [name, matcher, text, more = {}] of guards)
    test(name, async () => {
      const house = await hookHouse();
      house.settings({ PreToolUse: [group(matcher, command(text, more))] });
      await house.turn({ steps: [writeFile(".env", "A=1"), writeFile("b.txt", "b"), say("done")] });
      expect(house.has(".env")).toBe(false);
    });

  test("a guard of git push by 'if' hears of it in every disguise, and of nothing else", async () => {
    const house = await hookHouse();
    house.settings({ PreToolUse: [group("Bash", command("echo asked >> asked; exit 2", { if: "Bash(git push *)" }))] });
    const pushes = [
      "git push origin main",
      "cd . && git push",
      "GIT_TRACE=0 git push -f",
      "true; git push --tags",
      "timeout 5 git push",
      "echo $(git push)",
    ];
    const others = ["git status", "echo 'git push'", "git pushx", "git log --grep push"];
    await house.turn({
      steps: [
        { calls: [...pushes, ...others].map((text) => ({ name: "terminal", args: { command: text } })) },
        say("done"),
      ],
    });
    expect(house.read("asked").trim().split("\n")).toHaveLength(pushes.length);
  });

  test("a formatter sees absolute paths after Write, Edit and MultiEdit, and what it does is read next", async () => {
    const house = await hookHouse();
    house.write("a.ts", "let a=1\nlet b=2\n");
    const prettier = `jq -r '.tool_input.file_path' | { read file_path; if echo "$file_path" | grep -q '^/.*\\.ts$'; then sed -i 's/=/ = /' "$file_path"; fi; }`;
    house.settings({ PostToolUse: [group("Edit|MultiEdit|Write", command(prettier))] });
    const reads = { calls: [{ name: "read_file", args: { path: "a.ts" } }] };
    const turn = await house.turn({
      steps: [edit("a.ts", "let a=1", "let c=3"), reads, writeFile("b.ts", "x=1"), say("done")],
    });
    expect(turn.results[1]).toContain("let c = 3");
    expect(house.read("b.ts")).toContain("x = 1");
  });

  test("a commit of everything at the end", async () => {
    const house = await hookHouse();
    const git = (...words: string[]) => execFileSync("git", words, { cwd: house.project, encoding: "utf8" });
    git("init", "-q");
    git("config", "user.email", "ada@example.org");
    git("config", "user.name", "Ada");
    const commit = `cd ${root} && git add -A && git diff --cached --quiet || git commit -q -m "auto: $(jq -r .session_id)"`;
    house.settings({ Stop: [group(undefined, command(commit, { timeout: 30 }))] });
    const turn = await house.turn({ steps: [writeFile("made.txt"), say("done")] });
    expect(turn.notices).toEqual([]);
    expect(git("log", "--format=%s")).toMatch(/^auto: \S+\n$/);
  });

  test("a suite of scripts for uv, one for each event, with flags and logs", async () => {
    const house = await hookHouse();
    const uv = join(house.home, "bin/uv");
    house.write("~/bin/uv", '#!/bin/sh\nshift\n[ "$1" = --script ] && shift\nexec python3 "$@"\n');
    expect(uv).toContain("/bin/uv");
    const script = `#!/usr/bin/env -S uv run --script
# /// script
# requires-python = ">=3.8"
# dependencies = []
# ///
import argparse, json, re, sys
from pathlib import Path

def main():
    try:
        parser = argparse.ArgumentParser()
        for flag in ("--log-only", "--validate", "--chat", "--notify", "--load-context"):
            parser.add_argument(flag, action="store_true")
        args = parser.parse_args()
        data = json.load(sys.stdin)
        name = data["hook_event_name"]
        if name == "PreToolUse" and re.search(r"\\brm\\s+.*-[a-z]*r[a-z]*f", data["tool_input"].get("command", "")):
            print("BLOCKED: Dangerous rm command detected and prevented", file=sys.stderr)
            sys.exit(2)
        log = Path("logs"); log.mkdir(parents=True, exist_ok=True)
        file = log / f"{name}.json"
        all = json.loads(file.read_text()) if file.exists() else []
        all.append(data)
        file.write_text(json.dumps(all, indent=2))
        if args.chat and "transcript_path" in data:
            chat = [json.loads(l) for l in open(data["transcript_path"]) if l.strip()]
            (log / "chat.json").write_text(json.dumps(chat, indent=2))
        if args.load_context:
            print(json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "branch: main"}}))
        if name == "UserPromptSubmit":
            print(f"Project: {Path.cwd().name}")
        sys.exit(0)
    except json.JSONDecodeError:
        sys.exit(0)
    except Exception:
        sys.exit(0)

if __name__ == "__main__":
    main()
`;
    house.write(".claude/hooks/all.py", script);
    const run = (flags: string) => [group("", command(`uv run $CLAUDE_PROJECT_DIR/.claude/hooks/all.py ${flags}`))];
    const direct = [group("", command("$CLAUDE_PROJECT_DIR/.claude/hooks/all.py"))];
    house.settings({
      PreToolUse: run(""),
      PostToolUse: direct,
      Notification: run("--notify"),
      Stop: run("--chat"),
      SubagentStop: run(""),
      UserPromptSubmit: run("--log-only"),
      PreCompact: run(""),
      SessionStart: run("--load-context"),
      SessionEnd: [group("", command("$CLAUDE_PROJECT_DIR/.claude/hooks/all.py", { timeout: 60 }))],
    });
    const steps = [
      bash("rm -rf build"),
      bash("echo fine"),
      { calls: [{ name: "delegate_task", args: { goal: "x" } }] },
      say("child"),
      say("done"),
    ];
    const env = { PATH: `${house.home}/bin:${process.env["PATH"]}` };
    const turn = await house.turn({ steps, env });
    expect(turn.notices).toEqual([]);
    expect(turn.results[0]).toContain("BLOCKED: Dangerous rm command");
    for (const text of ["branch: main", "Project: project"]) expect(turn.sent).toContain(text);
    const names = [
      "PreToolUse",
      "PostToolUse",
      "Stop",
      "SubagentStop",
      "UserPromptSubmit",
      "SessionStart",
      "SessionEnd",
    ];
    expect(names.filter((name) => !house.has(`logs/${name}.json`))).toEqual([]);
    const chat = JSON.parse(house.read("logs/chat.json")) as readonly { readonly type: string }[];
    expect(new Set(chat.map(({ type }) => type))).toEqual(new Set(["user", "assistant"]));
  });

  test("a loop that hands the same task back reads the last words of the transcript", async () => {
    const house = await hookHouse();
    const loop = `#!/bin/bash
set -euo pipefail
input=$(cat)
[[ -f .claude/loop.local.md ]] || exit 0
transcript=$(echo "$input" | jq -r '.transcript_path')
last=$(grep '"role":"assistant"' "$transcript" | tail -1 | jq -r '.message.content | map(select(.type == "text")) | map(.text) | join("\\n")')
if [[ "$last" == *"<promise>DONE</promise>"* ]]; then rm .claude/loop.local.md; exit 0; fi
jq -n --arg prompt "$(cat .claude/loop.local.md)" --arg msg "iteration" '{decision: "block", reason: $prompt, systemMessage: $msg}'
`;
    house.write(".claude/loop.sh", loop);
    house.write(".claude/loop.local.md", "make it work");
    house.settings({ Stop: [group(undefined, command(`${root}/.claude/loop.sh`))] });
    const turn = await house.turn({ steps: [say("not yet"), say("nearly"), say("ok <promise>DONE</promise>")] });
    expect(house.server.requests).toHaveLength(3);
    expect(turn.sent).toContain("make it work");
    expect(turn.notices).toEqual(["iteration", "iteration"]);
    expect(house.has(".claude/loop.local.md")).toBe(false);
  });

  test("a reminder once a session, kept in a file of the home", async () => {
    const house = await hookHouse();
    const reminder = `import json, os, sys
data = json.load(sys.stdin)
state = os.path.expanduser(f"~/.claude/warned_{data['session_id']}.json")
if "eval(" in data["tool_input"].get("content", "") and not os.path.exists(state):
    open(state, "w").write("[]")
    print("Security warning: eval", file=sys.stderr)
    sys.exit(2)
sys.exit(0)
`;
    house.write(".claude/warn.py", reminder);
    house.write("~/.claude/keep", "");
    house.settings({ PreToolUse: [group("Edit|Write|MultiEdit", command(`python3 ${root}/.claude/warn.py`))] });
    const turn = await house.turn({ steps: [writeFile("a.js", "eval(1)"), writeFile("a.js", "eval(1)"), say("done")] });
    expect(turn.results[0]).toContain("Security warning: eval");
    expect(house.read("a.js")).toBe("eval(1)");
  });

  test("http hooks with headers from the environment", async () => {
    const seen: { readonly headers: object; readonly body: string }[] = [];
    const web = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        seen.push({ headers: request.headers, body });
        response.setHeader("content-type", "application/json");
        response.end(denial("says the server"));
      });
    });
    await new Promise<void>((settle) => web.listen(0, "127.0.0.1", settle));
    onTestFinished(() => void web.close());
    const address = web.address();
    const port = typeof address === "object" ? address?.port : 0;
    const house = await hookHouse();
    const headers = { Authorization: "Bearer $MY_TOKEN", "X-Other": "${OTHER}-$UNLISTED", "X-Plain": "as it is" };
    const hook = {
      type: "http",
      url: `http://localhost:${port}/hook`,
      headers,
      allowedEnvVars: ["MY_TOKEN", "OTHER"],
      timeout: 30,
    };
    house.settings({ PreToolUse: [group("Bash", hook)] });
    const env = { MY_TOKEN: "t-123", OTHER: "other", UNLISTED: "secret" };
    const turn = await house.turn({ steps: [bash("touch ran"), say("done")], env });
    expect(turn.results[0]).toContain("says the server");
    expect(seen[0]?.headers).toMatchObject({
      authorization: "Bearer t-123",
      "x-other": "other-",
      "x-plain": "as it is",
    });
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ hook_event_name: "PreToolUse", tool_name: "Bash" });
  });

  test("keys that nobody knows, comments of other tools and a schema line cost nothing", async () => {
    const house = await hookHouse();
    house.write(
      ".claude/settings.json",
      JSON.stringify({
        $schema: "https://json.schemastore.org/claude-code-settings.json",
        permissions: { allow: ["Bash(npm run test:*)"], deny: ["Read(./.env)"] },
        env: { FOO: "bar" },
        statusLine: { type: "command", command: "x" },
        hooks: {
          PreToolUse: [
            {
              matcher: "Bash",
              description: "guard",
              hooks: [{ type: "command", command: "exit 2", description: "x", name: "y" }],
            },
            { hooks: "not a list" },
            { matcher: "Bash" },
          ],
          NoSuchEvent: [group("", command("exit 2"))],
          "": [],
        },
      }),
    );
    await house.turn({ steps: [bash("touch ran"), say("done")] });
    expect(house.has("ran")).toBe(false);
  });
});
