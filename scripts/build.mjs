// Bundles the doors and the program into dist/. With --types it also emits declarations, as the published package needs.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

/** dist name → source */
const doors = {
  main: "src/cli/main.ts",
  index: "src/index.ts",
  kernel: "src/kernel/index.ts",
  plugin: "src/plugin.ts",
  testing: "src/testing.ts",
  "plugin-doors": "src/plugins/typescript/preload.ts",
  "plugin-host": "src/plugins/isolate/isolated-host.ts",
};
/** Bundled plugins are built beside the doors, with which they share code. */
const plugins = Object.fromEntries(
  globSync("plugins/**/index.ts").map((source) => [source.replaceAll("\\", "/").replace(/\.ts$/, ""), source]),
);
const entryPoints = {
  ...Object.fromEntries(Object.entries(doors).filter(([, source]) => existsSync(source))),
  ...plugins,
};

/** The providers' package makes `Headers` for every request: ours, so that Node's whole web client is not loaded for that. */
const plainHeaders = {
  name: "plain-headers",
  setup(build) {
    build.onLoad({ filter: /@ai-sdk[\\/]provider-utils[\\/]dist[\\/]index\.js$/ }, ({ path }) => {
      const from = JSON.stringify(join(root, "src/host/plain-headers.ts"));
      const contents = `import { PlainHeaders as Headers } from ${from};\n${readFileSync(path, "utf8")}`;
      return { contents, loader: "js" };
    });
  },
};

/** Schemas speak English here; the other forty languages would be read and compiled at each start. */
const englishSchemas = {
  name: "english-schemas",
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
      loader: "js",
    }));
  },
};

/**
 * Node answers an import of one of its modules with all exports of it, for which it reads every one: `fs`, `net`, `http`
 * and `process` then load their streams and web clients. Asked for by name they load what is used: 20 ms of each start.
 */
function withoutFacades(file, count) {
  let seen = 0;
  const code = readFileSync(file, "utf8").replaceAll(
    /(?<=^|[;}\n])import(\{[^{}"]*\}| [\w$]+ )from("node:[\w/]+");/g,
    (_, names, path) => {
      seen += 1;
      return `const${names.replaceAll(/ as /g, ":")}=globalThis.process.getBuiltinModule(${path});`;
    },
  );
  if (seen !== count) throw new Error(`${file}: ${seen} of ${count} imports of Node's modules were found`);
  return code;
}

rmSync("dist", { recursive: true, force: true });
const { metafile } = await build({
  entryPoints,
  outdir: "dist",
  bundle: true,
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  format: "esm",
  platform: "node",
  target: "node22.19",
  conditions: ["talaria-source"],
  minifySyntax: true,
  minifyWhitespace: true,
  plugins: [plainHeaders, englishSchemas],
  legalComments: "linked",
  define: { TALARIA_VERSION: JSON.stringify(JSON.parse(readFileSync("package.json", "utf8")).version) },
  logLevel: "warning",
  metafile: true,
  // Native parts are looked up at run time, so that the program works without them.
  external: ["@lydell/node-pty", "@vscode/ripgrep"],
  // CommonJS dependencies inside an ES module bundle need a `require`.
  banner: {
    js: 'const require = globalThis.process.getBuiltinModule("node:module").createRequire(import.meta.url);',
  },
});
for (const [file, { imports }] of Object.entries(metafile.outputs)) {
  const ofNode = imports.filter(({ path, kind }) => path.startsWith("node:") && kind === "import-statement");
  if (ofNode.length > 0) writeFileSync(file, withoutFacades(file, ofNode.length));
}
// What lies beside the code: manifests, skills, Python, texts.
for (const file of globSync("plugins/**/*").filter((path) => statSync(path).isFile() && !/\.[cm]?ts$/.test(path)))
  cpSync(file, join("dist", file));
execFileSync(process.execPath, ["--conditions=talaria-source", "scripts/plugin-index.ts"], { stdio: "inherit" });
if (process.argv.includes("--types")) {
  execFileSync(process.execPath, ["node_modules/typescript7/bin/tsc", "-p", "tsconfig.types.json"], {
    stdio: "inherit",
  });
}
