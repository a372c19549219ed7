import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { terminal } from "../terminal-fixture.ts";
import { bash, command, group, hookHouse, say, writeFile } from "./hook-fixture.ts";

const record = command("cat >> seen.jsonl");
const seenIn = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { readonly file_path: string; readonly event: string });

test("FileChanged tells of files that matchers name, and of no others", async () => {
  const house = await hookHouse();
  house.settings({ FileChanged: [group(".envrc|.env", record)] });
  await house.turn({
    steps: [writeFile(".env", "A=1"), bash("echo B=2 >> .env"), bash("rm .env; touch other"), say("done")],
  });
  expect(seenIn(house.read("seen.jsonl")).map(({ file_path, event }) => [file_path, event])).toEqual(
    ["add", "change", "unlink"].map((event) => [`${house.project}/.env`, event]),
  );
});

test("FileChanged tells of a change once where calls run side by side", async () => {
  const house = await hookHouse();
  house.settings({ FileChanged: [group("made.txt", record)] });
  const reads = ["a", "b", "c"].map((path) => ({ name: "read_file", args: { path } }));
  const steps = [{ calls: [{ name: "terminal", args: { command: "touch made.txt" } }, ...reads] }, say("done")];
  await house.turn({ steps });
  expect(seenIn(house.read("seen.jsonl")).map(({ event }) => event)).toEqual(["add"]);
});

test("FileChanged tells of files that hooks name, whoever changes them, also while the chat is idle", async () => {
  const house = await hookHouse();
  const watched = house.write("watched.txt", "one");
  const hookSpecificOutput = { hookEventName: "SessionStart", watchPaths: [watched] };
  house.write("start.json", JSON.stringify({ hookSpecificOutput }));
  const answer = JSON.stringify({ systemMessage: "it has changed" });
  house.settings({
    SessionStart: [group(undefined, command("cat start.json"))],
    FileChanged: [group(undefined, record), group("watched.txt", command(`echo '${answer}'`))],
  });
  house.server.push(say("first-answer"));
  const screen = terminal(["chat", "--accept-hooks"], { home: house.home, cwd: house.project, columns: 120 });
  await screen.sees("›");
  screen.type("go\r");
  await screen.sees("first-answer");
  house.write("watched.txt", "another");
  await screen.sees("it has changed");
  rmSync(watched);
  await screen.sees("it has changed");
  screen.type("/quit\r");
  expect(await screen.done).toBe(0);
  expect(seenIn(house.read("seen.jsonl")).map(({ event }) => event)).toEqual(["change", "unlink"]);
});

test("FileChanged is not told what its own hook does to the file, and an empty list takes the watched files away", async () => {
  const house = await hookHouse();
  house.write("made.txt", "one");
  house.write("none.json", JSON.stringify({ hookSpecificOutput: { hookEventName: "FileChanged", watchPaths: [] } }));
  house.write(
    "some.json",
    JSON.stringify({ hookSpecificOutput: { hookEventName: "SessionStart", watchPaths: ["extra.txt"] } }),
  );
  house.settings({
    SessionStart: [group(undefined, command("cat some.json"))],
    FileChanged: [group(undefined, record), group("made.txt", command("echo more >> made.txt; cat none.json"))],
  });
  await house.turn({
    steps: [bash("echo two > made.txt"), bash("sleep 0.7; touch extra.txt"), bash("sleep 0.7"), say("done")],
  });
  expect(seenIn(house.read("seen.jsonl")).map(({ file_path }) => file_path)).toEqual([`${house.project}/made.txt`]);
});

test("FileChanged is told of one file twenty times in ten seconds at most, and the log says so", async () => {
  const house = await hookHouse();
  house.settings({ FileChanged: [group("counter.txt|other.txt", record)] });
  const begun = performance.now();
  const appends = Array.from({ length: 25 }, (_, at) => ({
    name: "terminal",
    args: { command: `echo ${at} >> counter.txt` },
  }));
  await house.turn({ steps: [{ calls: appends }, bash("touch other.txt"), say("done")] });
  const told = seenIn(house.read("seen.jsonl")).map(({ file_path }) => file_path.split("/").at(-1));
  const ofCounter = told.filter((name) => name === "counter.txt").length;
  const windows = Math.ceil((performance.now() - begun) / 10_000);
  expect(ofCounter).toBeLessThanOrEqual(20 * windows);
  expect(told).toContain("other.txt");
  // On a machine that took longer there may have been nothing to leave out.
  if (windows > 1) return;
  expect(ofCounter).toBe(20);
  expect(house.read("~/.talaria/logs/agent.log")).toMatch(/counter\.txt/);
});
