import { expect, test } from "vitest";
import { run } from "../program-fixture.ts";
import { bash, hookHouse, say } from "./hook-fixture.ts";

test("processes that grant consent at the same time lose nothing and write nothing twice", async () => {
  const house = await hookHouse();
  const config = house.read("~/.talaria/config.yaml");
  const commands = Array.from({ length: 6 }, (_, at) => `sh -c "echo ${at} >> ${house.project}/ran"`);
  const hooks = commands.map((one) => `    - command: ${JSON.stringify(one)}`).join("\n");
  house.write("~/.talaria/config.yaml", `${config}hooks:\n  pre_tool_call:\n${hooks}\n`);
  for (let at = 0; at < 3; at += 1) house.server.push(() => bash("true"));
  house.server.push(...Array.from({ length: 3 }, () => say("done")));
  const runs = [1, 2, 3].map(() => run(["run", "--accept-hooks", "go"], { home: house.home, cwd: house.project }));
  for (const { status, stderr } of await Promise.all(runs)) expect({ status, stderr }).toMatchObject({ status: 0 });
  const { approvals } = JSON.parse(house.read("~/.talaria/shell-hooks-allowlist.json")) as {
    readonly approvals: readonly { readonly event: string; readonly command: string }[];
  };
  expect(approvals.map(({ command }) => command).sort()).toEqual([...commands].sort());
  const again = await house.program("hooks", "list", "--json");
  const held = (JSON.parse(again.stdout) as readonly { readonly held: string | null }[]).filter((one) => one.held);
  expect(held).toEqual([]);
});
