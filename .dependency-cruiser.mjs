/** Which rooms a room may enter. ARCHITECTURE.md shows the same picture. */
export const mayEnter = {
  kernel: [],
  host: [],
  config: ["host"],
  trace: ["kernel", "host", "config"],
  sessions: ["kernel", "host", "config"],
  models: ["kernel", "host", "config"],
  hooks: ["kernel", "config", "host", "trace"],
  plugins: ["kernel", "config", "host", "trace"],
  agent: ["kernel", "models", "sessions", "trace"],
  capabilities: ["kernel", "host", "config", "agent", "sessions", "models", "plugins"],
  gateway: ["kernel", "agent", "sessions", "trace", "host", "config"],
  runtime: ["*"],
  cli: ["runtime", "config", "host", "kernel", "agent", "models", "sessions", "trace"],
};
/** Rooms of which another room may know the types only. */
const typesOnly = {
  capabilities: ["agent", "sessions", "models", "plugins"],
  cli: ["kernel", "agent", "models", "sessions", "trace"],
};

const product = "\\.test\\.ts$|-fixture\\.ts$";
const rooms = Object.keys(mayEnter);

const directions = rooms
  .filter((room) => !mayEnter[room].includes("*"))
  .map((room) => ({
    name: `${room}-stays-in-its-layer`,
    severity: "error",
    from: { path: `^src/${room}/`, pathNot: product },
    to: { path: `^src/(?!(${[room, ...mayEnter[room]].join("|")})/)` },
  }));

const shapes = Object.entries(typesOnly).map(([room, others]) => ({
  name: `${room}-knows-shapes-only`,
  severity: "error",
  from: { path: `^src/${room}/`, pathNot: product },
  to: { path: `^src/(${others.join("|")})/`, dependencyTypesNot: ["type-only"] },
}));

export default {
  forbidden: [
    ...directions,
    ...shapes,
    {
      name: "enter-by-the-door",
      comment: "Another room is imported as #room, never by a path into it.",
      severity: "error",
      from: { path: "^src/([^/]+)/", pathNot: product },
      to: { path: "^src/([^/]+)/(?!index\\.ts$)", pathNot: "^src/$1/" },
    },
    {
      name: "kernel-is-pure",
      comment: "The kernel knows zod as a type and nothing else, not even Node.",
      severity: "error",
      from: { path: "^src/kernel/", pathNot: product },
      to: { dependencyTypes: ["npm", "npm-dev", "npm-optional", "core"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "kernel-knows-zod-only",
      severity: "error",
      from: { path: "^src/kernel/", pathNot: product },
      to: { path: "node_modules/(?!zod/)" },
    },
    {
      name: "only-the-host-touches-the-machine",
      severity: "error",
      from: { path: "^src/(?!host/)", pathNot: `${product}|/testing/` },
      to: { path: "^(node:)?(child_process|fs|fs/promises|net|http|https|worker_threads|tty|cluster|dgram)$" },
    },
    {
      name: "a-capability-knows-no-other-capability",
      severity: "error",
      from: { path: "^src/capabilities/([^/]+)/", pathNot: product },
      to: { path: "^src/capabilities/([^/]+)/", pathNot: "^src/capabilities/$1/" },
    },
    {
      name: "plugins-and-examples-come-in-by-the-doors",
      severity: "error",
      from: { path: "^(plugins|examples)/", pathNot: product },
      to: { path: "^src/", pathNot: "^src/((index|plugin|testing)\\.ts$|kernel/index\\.ts$)" },
    },
    {
      name: "no-circles",
      severity: "error",
      from: { path: "^src/" },
      comment: "Shapes count too: what two files share stands in a third.",
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      severity: "error",
      from: { path: "^(src|plugins|examples)/" },
      to: { couldNotResolve: true },
    },
    {
      name: "no-orphans",
      severity: "error",
      from: { orphan: true, path: "^src/", pathNot: ["^src/[^/]+\\.ts$", product] },
      to: {},
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      conditionNames: ["talaria-source", "import", "node", "default"],
      exportsFields: ["exports"],
      extensions: [".ts", ".js", ".mjs", ".cjs", ".json"],
    },
    doNotFollow: { path: "node_modules" },
  },
};
