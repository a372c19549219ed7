import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { command, group, type HookHouse, hookHouse, say } from "./hook-fixture.ts";

const specific = (more: object): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...more } });
const answer = (more: object): string => `echo '${specific(more)}'`;

/** What a rule does once it has noted that it was asked. */
const deeds = {
  silent: "true",
  note: answer({ additionalContext: "noted" }),
  exit2: "echo no >&2; exit 2",
  deny: answer({ permissionDecision: "deny", permissionDecisionReason: "no" }),
  ask: answer({ permissionDecision: "ask", permissionDecisionReason: "sure?" }),
  allow: answer({ permissionDecision: "allow" }),
  fails: "echo oh >&2; exit 1",
  rewrites: answer({ permissionDecision: "allow", updatedInput: { command: "echo rewritten" } }),
  guards: "grep -q rewritten && { echo 'not what was said' >&2; exit 2; }; true",
  halts: `echo '{"continue": false, "stopReason": "enough"}'`,
} as const;

interface Ruled {
  readonly place: "user" | "project" | "local";
  readonly matcher: string | undefined;
  readonly condition: string | undefined;
  readonly deed: keyof typeof deeds;
  readonly shadow: boolean;
  readonly closes: boolean;
}

const often = <T>(usual: T, ...rare: readonly T[]) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...rare) });

const rule: fc.Arbitrary<Ruled> = fc.record({
  place: fc.constantFrom("user", "project", "local"),
  matcher: often<string | undefined>(undefined, "Bash", "Write", "Edit|Write", "Ba.*h", "Bas"),
  condition: often<string | undefined>(undefined, "Bash(echo *)", "Bash(ls *)"),
  deed: fc.constantFrom(...(Object.keys(deeds) as (keyof typeof deeds)[])),
  shadow: often(false, true),
  closes: often(false, true),
});
const configuration = fc.record({
  rules: fc.array(rule, { minLength: 2, maxLength: 6 }),
  parallel: often(false, true),
  said: fc.constantFrom("echo hello", "ls ."),
});

interface Configuration {
  readonly rules: readonly Ruled[];
  readonly parallel: boolean;
  readonly said: string;
}

function configure(house: HookHouse, { rules, parallel }: Configuration): void {
  for (const place of ["user", "project", "local"] as const) {
    const own = rules.flatMap((one, at) => {
      if (one.place !== place) return [];
      const more = {
        ...(one.condition === undefined ? {} : { if: one.condition }),
        ...(one.shadow ? { mode: "shadow" } : {}),
        ...(one.closes ? { onFailure: "block" } : {}),
      };
      const ran = `echo ${at} >> "$CLAUDE_PROJECT_DIR/ran"`;
      return [group(one.matcher, command(`${ran}; ${deeds[one.deed]}`, more))];
    });
    house.settings({ PreToolUse: own }, place, parallel ? { parallel } : {});
  }
}

interface Explained {
  readonly rules: readonly { readonly deed: string; readonly runs: boolean; readonly stage: string | null }[];
  readonly answer: {
    readonly verdict?: { readonly decision: string };
    readonly halt?: string;
    readonly args?: { readonly command: string };
  } | null;
}

const numberOf = ({ deed }: { readonly deed: string }): number => Number(/echo (\d+) >>/.exec(deed)?.[1]);
const asked = ({ rules }: Explained): readonly number[] =>
  rules
    .filter(({ runs }) => runs)
    .map(numberOf)
    .sort();

function noted(house: HookHouse): readonly number[] {
  const ran = house.has("ran") ? house.read("ran").match(/\d+/g) : [];
  house.write("ran", "");
  return [...new Set(ran)].map(Number).sort();
}

async function explained(house: HookHouse, ...words: readonly string[]): Promise<Explained> {
  const file = ["--payload-file", `${house.project}/payload.json`, "--accept-hooks", "--json"];
  return JSON.parse((await house.program("hooks", "explain", "PreToolUse", ...file, ...words)).stdout) as Explained;
}

describe("what explain says is what then happens", () => {
  for (const [at, given] of fc.sample(configuration, { numRuns: 16, seed: 20_260_101 }).entries()) {
    const title = given.rules.map(
      ({ deed, matcher = "*", shadow }) => `${deed}(${matcher}${shadow ? ", shadow" : ""})`,
    );
    test(`${at}: ${given.said} past ${title.join(" ")}${given.parallel ? ", parallel" : ""}`, async () => {
      const house = await hookHouse();
      configure(house, given);
      house.write("payload.json", JSON.stringify({ tool_name: "Bash", tool_input: { command: given.said } }));

      const expected = await explained(house);
      expect(noted(house)).toEqual([]);
      const fired = await explained(house, "--run");
      expect(noted(house)).toEqual(asked(fired));
      const turn = await house.turn({
        steps: [{ calls: [{ name: "terminal", args: { command: given.said } }] }, say("done")],
      });
      expect(noted(house)).toEqual(asked(fired));

      const { verdict, halt, args } = fired.answer ?? {};
      const runs = halt === undefined && (verdict === undefined || verdict.decision === "allow");
      const started = turn.events.find(({ type }) => type === "tool-start");
      expect(started !== undefined).toBe(runs);
      if (runs) expect(started?.["args"]).toMatchObject(args ?? { command: given.said });
      if (given.rules.some(({ deed }) => deed === "rewrites")) return;
      const reachable = fired.rules.filter(({ runs, stage }) => runs || stage === "order");
      const stillAsked = asked(expected).filter((one) => reachable.map(numberOf).includes(one));
      expect(asked(expected)).toEqual(stillAsked);
      expect(stillAsked).toEqual(expect.arrayContaining([...asked(fired)]));
    });
  }
});

test("a rule behind a refusal is shown as not reached, and without --run each is looked at alone", async () => {
  const house = await hookHouse();
  house.settings({ PreToolUse: [group("Bash", command("echo no >&2; exit 2"), command("echo later"))] });
  const words = ["hooks", "explain", "PreToolUse", "--for-tool", "Bash", "--accept-hooks"];
  const ran = (await house.program(...words, "--run")).stdout;
  expect(ran).toMatch(/echo later.*\n\s+is left out \(order\): the event was over after echo no/);
  expect(ran).toContain("together: ");
  const looked = (await house.program(...words)).stdout;
  expect(looked.match(/is asked/g)).toHaveLength(2);
  expect(looked).toContain("each as if those before it had no opinion; --run asks them in order");
});
