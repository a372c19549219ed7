import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { discoverPlugins, winners } from "./discovery.ts";
import type { Candidate } from "./manifest.ts";
import { kindOfSource } from "./manifest-reader.ts";

function tree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "talaria-discovery-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

async function found(root: string) {
  const { candidates, problems } = await discoverPlugins({
    bundled: join(root, "bundled"),
    home: join(root, "home"),
    secondHome: join(root, "second"),
    project: join(root, "project"),
    packages: [join(root, "home/node_modules"), join(root, "beside")],
    pythonPackages: async () => [join(root, "site-packages")],
  });
  return {
    rows: candidates.map(({ key, source, manifest }) => `${key} ${source} ${manifest.version}`),
    candidates,
    problems,
  };
}

const manifest = (name: string, version: string, more = ""): string => `name: ${name}\nversion: ${version}\n${more}`;

test("a later source takes the place of an earlier one with the same key, where that stood", async () => {
  const root = tree({
    "bundled/a/plugin.yaml": manifest("one", "0.0.1"),
    "bundled/b/plugin.yaml": manifest("two", "0.0.1"),
    "bundled/platforms/irc/plugin.yaml": manifest("irc-platform", "0.0.1", "kind: platform\n"),
    "second/plugins/one/plugin.yml": manifest("one", "0.0.2"),
    "home/plugins/one/plugin.yaml": manifest("one", "0.0.3"),
    "home/plugins/platforms/irc/plugin.yaml": manifest("mine", "0.0.3"),
    "project/.hermes/plugins/two/plugin.yaml": manifest("two", "0.0.4"),
    "project/.talaria/plugins/two/plugin.yaml": manifest("two", "0.0.5"),
    "home/node_modules/talaria-three/package.json":
      '{"name":"talaria-three","version":"0.0.6","keywords":["talaria-plugin"]}',
    "beside/talaria-three/package.json": '{"name":"talaria-three","version":"0.0.7","keywords":["talaria-plugin"]}',
    "beside/@ada/talaria-plugin-four/package.json":
      '{"name":"@ada/talaria-plugin-four","version":"0.0.7","keywords":["talaria-plugin"]}',
    "beside/other/package.json": '{"name":"other"}',
    "site-packages/x-1.dist-info/entry_points.txt":
      "[console_scripts]\nno = a:b\n[hermes_agent.plugins]\nthree = pack.age:plugin [extra]\nfive = mod\n",
    "site-packages/x-1.dist-info/METADATA": "Name: x\nVersion: 0.0.8\n",
  });
  expect((await found(root)).rows).toEqual([
    "one user 0.0.3",
    "two project 0.0.5",
    "platforms/irc user 0.0.3",
    "three entrypoint 0.0.8",
    "four entrypoint 0.0.7",
    "five entrypoint 0.0.8",
  ]);
});

test("folders without a manifest are categories, and are entered once; links are followed", async () => {
  const root = tree({
    "home/plugins/tts/openai/plugin.yaml": "name: openai\n",
    "home/plugins/stt/openai/plugin.yaml": "name: openai\n",
    "home/plugins/deep/deeper/deepest/plugin.yaml": "name: lost\n",
    "home/plugins/own/plugin.yaml": "name: own\n",
    "home/plugins/own/inner/plugin.yaml": "name: inner\n",
    "home/plugins/file.txt": "no plugin",
    "home/plugins/.git/x/plugin.yaml": "name: hidden\n",
    "elsewhere/plugin.yaml": "name: linked\n",
  });
  symlinkSync(join(root, "elsewhere"), join(root, "home/plugins/zz"));
  expect((await found(root)).candidates.map(({ key }) => key)).toEqual(["own", "stt/openai", "tts/openai", "linked"]);
});

test.each([
  ["broken YAML", "name: [\n"],
  ["a list", "- a\n"],
  [
    "too many aliases",
    `a: &a [x, x, x, x, x, x, x, x, x]\n${"bcdefgh".replaceAll(/./g, (key) => `${key}: &${key} [${`*${String.fromCharCode(key.charCodeAt(0) - 1)}, `.repeat(9)}]\n`)}`,
  ],
])("a manifest that is %s leaves its plugin out, and no other", async (_what, text) => {
  const root = tree({ "home/plugins/bad/plugin.yaml": text, "home/plugins/good/plugin.yaml": "name: good\n" });
  const { candidates, problems } = await found(root);
  expect(candidates.map(({ key }) => key)).toEqual(["good"]);
  expect(problems).toEqual([expect.stringContaining(join(root, "home/plugins/bad/plugin.yaml"))]);
});

test.each([
  ["", "from register_memory_provider import x", "exclusive"],
  ["", "class X(MemoryProvider): ...", "exclusive"],
  ["", "register_provider(ProviderProfile())", "model-provider"],
  ["", "register_provider(x)", "standalone"],
  ["kind: standalone\n", "class X(MemoryProvider): ...", "standalone"],
  ["kind: ' BACKEND '\n", "", "backend"],
  ["kind: 7\n", "", "standalone"],
  ["kind: strange\n", "", "standalone"],
])("the kind of %j over %j is %s", async (declared, source, kind) => {
  const root = tree({ "home/plugins/x/plugin.yaml": `name: x\n${declared}`, "home/plugins/x/__init__.py": source });
  const { candidates, problems } = await found(root);
  expect(candidates.map((one) => one.manifest.kind)).toEqual([kind]);
  expect(problems.join()).toContain(declared.includes("strange") ? "there is no kind 'strange'" : "");
});

test("the kind is looked for in the first 8,192 characters only", async () => {
  const root = tree({
    "home/plugins/x/plugin.yaml": "name: x\n",
    "home/plugins/x/index.ts": `${"é".repeat(8192)}MemoryProvider`,
  });
  expect((await found(root)).candidates[0]?.manifest.kind).toBe("standalone");
  expect(kindOfSource("registerMemoryProvider")).toBe("exclusive");
});

test("the winner of a key is the last one, in the place of the first", () => {
  const candidate = fc.record({ key: fc.constantFrom("a", "b", "c", "d"), version: fc.nat() });
  fc.assert(
    fc.property(fc.array(candidate), (given) => {
      const won = winners(given as unknown as readonly Candidate[]) as unknown as typeof given;
      expect(won.map(({ key }) => key)).toEqual([...new Set(given.map(({ key }) => key))]);
      for (const one of won) expect(one).toBe(given.findLast(({ key }) => key === one.key));
    }),
  );
});

test.each(["1.0", "1.10", "2", "1.2.3"])("the version %s is kept as it is written", async (version) => {
  const root = tree({ "home/plugins/one/plugin.yaml": `${manifest("one", version)}pip_dependencies: {}\n` });
  expect((await found(root)).rows).toEqual([`one user ${version}`]);
});
