import { join } from "node:path";
import { type Agent, type AgentPorts, createAgent, type Session, type TurnContext } from "#agent";
import { after, environment, hermesShim, now, redact, sessionId, uuid } from "#host";
import { blueprint, createKernel, type Layer } from "#kernel";
import type { SqliteStore, Transcripts } from "#sessions";
import { spanStore, turnRecorder } from "#trace";
import { agentSettings } from "./agent-settings.ts";
import { auxiliary } from "./auxiliary.ts";
import { addCapabilities } from "./chain.ts";
import { childRoute } from "./child-route.ts";
import { claudeTranscripts } from "./claude-transcripts.ts";
import { eventJournal } from "./hooks/event-journal.ts";
import { hooks } from "./hooks.ts";
import { type House, openHouse } from "./house.ts";
import { kernelPorts } from "./kernel-ports.ts";
import { liveConfig } from "./live-config.ts";
import { withPrompts } from "./mcp-prompts.ts";
import { mcpServers } from "./mcp-servers.ts";
import { modelRoute, resumedRoute } from "./model-route.ts";
import { plugins } from "./plugins.ts";
import { presentation } from "./presentation.ts";
import { providerTools } from "./provider-tools.ts";
import { inhabit } from "./python/program-of-house.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";
import { sessionFiles } from "./session-files.ts";
import { openStore, retention, sessionLibrary } from "./session-library.ts";
import { talks } from "./talks.ts";
import { toldAgent } from "./told-agent.ts";
import { type TraceSinks, traceSinks } from "./trace-sinks.ts";
import { workplace } from "./workplace.ts";

/** Wires the rooms together. Rejects with a `ConfigError` or `SessionError` when there can be no home or no store. */
export async function createRuntime(given: RuntimeOptions): Promise<Runtime> {
  const house = await openHouse({
    home: given.home,
    cwd: given.cwd,
    toolsets: given.toolsets,
    environment: given.environment ?? environment(),
  });
  const { cwd, shell, warnings } = await workplace(house, given);
  const options = { ...given, cwd };
  const [store, shimDirectory] = await Promise.all([openStore(house, false), shim(house, options)]);
  const traces = traceSinks(house, spanStore(store.database, retention(house.config)), options.version);
  const { settings } = house.config;
  const journal = eventJournal(house.home.path, settings["trace.payloads"], (text) => house.log.warning(text));
  const layer = createKernel<TurnContext>(blueprint, kernelPorts(house.log, settings["trace.enabled"], journal));
  const bold = new Set<string>();
  const files = claudeTranscripts(house, store, options.version);
  const opened = new Set<Session>();
  const yolo = options.yolo ?? false;
  const servers = mcpServers(house, options);
  const { callTool } = servers;
  const place = { house, journal, cwd, transcripts: files, yolo, shimDirectory, callTool };
  const hooked = hooks(layer, place, options.hooks ?? {});
  const { environmentFiles } = hooked;
  addCapabilities(layer, house, { yolo, sessionYolo: (id) => bold.has(id), shell, shimDirectory, environmentFiles });
  layer.add(servers);
  const { talking, plugged, helping } = pluginParts(layer, house, options, (wanted) => open(wanted));
  const told = toldAgent(wiredAgent(house, store, traces, { layer, files, helping }), house.log, now);
  const agent = withPrompts(talking.around(plugged.around(hooked.around(told))), servers);
  const open: Runtime["open"] = opening(house, agent, opened);
  await Promise.all([hooked.ready(), plugged.ready()]);
  const runtime: Runtime = {
    home: house.home.path,
    isWritable: house.home.isWritable && !store.database.readOnly,
    cwd: options.cwd,
    ...presentation(house.config),
    store,
    agent,
    warnings: [...house.warnings, ...warnings, ...hooked.warnings, ...plugged.warnings],
    route: (reference) => modelRoute(house, reference),
    open,
    connected: async () => void (await Promise.all([servers.connected(), plugged.inUse?.look()])),
    toolsetTitle: (toolset) => plugged.inUse?.manager.toolsets().find(([key]) => key === toolset)?.[1],
    plugins: () => plugged.open(),
    ...(await providerTools(layer, house, plugged)),
    yolo: (id, wanted) => void (wanted ? bold.add(id) : bold.delete(id)),
    isYolo: (id) => bold.has(id),
    onWake: hooked.onWake,
    promptCommands: () => servers.prompts(),
    slashCommands: () => plugged.inUse?.slashCommands() ?? [],
    cliCommands: () => plugged.inUse?.cliCommands() ?? [],
    onMessage: talking.onMessage,
    drawTrace: sessionLibrary(store).drawTrace,
    log: (level, message) => house.log.write(level, message),
    async close(reason) {
      await closeSessions(opened, reason, house.log);
      const rest = [plugged.close, hooked.close, async () => servers.close(), () => journal.flush(), files.settled];
      for (const end of [...rest, traces.flush, () => store.close(), house.log.flush]) await end();
    },
  };
  inhabit(house, runtime);
  return runtime;
}

/** Plugins, the conversations that they act in, and what of them the loop uses. */
function pluginParts(
  layer: Layer<TurnContext>,
  house: House,
  { cwd, slashCommands = [] }: RuntimeOptions,
  open: Runtime["open"],
) {
  const talking = talks();
  const config = liveConfig(house);
  const { helper } = auxiliary(house, config);
  const openSession = () => open({ cwd, source: "plugin" });
  const reached = { house, config, auxiliary: { helper }, talks: talking, openSession };
  const plugged = plugins(layer, { ...reached, cwd, ownCommands: slashCommands });
  return { talking, plugged, helping: { helper, contextEngine: () => plugged.inUse?.contextEngine() } };
}

/** Opens sessions with the models that the settings or the caller name. */
function opening(house: House, agent: Agent, opened: Set<Session>): Runtime["open"] {
  return async ({ model, ...rest }) => {
    const { resume } = rest;
    const route = resume && model === undefined ? await resumedRoute(house, resume) : await modelRoute(house, model);
    const session = await agent.open({ ...rest, route });
    opened.add(session);
    const { current } = session.route;
    house.log.info(
      `session ${session.id} is ${resume ? "continued" : "opened"} by ${rest.source}: ${current.provider}/${current.id} in ${session.cwd}`,
    );
    return session;
  };
}

async function closeSessions(sessions: Iterable<Session>, reason: string, log: House["log"]): Promise<void> {
  for (const session of sessions)
    await session.close(reason).catch((error: unknown) => log.warning(`closing ${session.id}: ${error}`));
}

interface WiredParts {
  readonly layer: Layer<TurnContext>;
  readonly files: Transcripts;
  readonly helping: Pick<AgentPorts, "helper" | "contextEngine">;
}

/** The loop over this house's store, chain and traces. */
function wiredAgent(
  house: House,
  store: SqliteStore,
  { sinks }: TraceSinks,
  { layer, files, helping }: WiredParts,
): Agent {
  const { log, home, config } = house;
  return createAgent(
    {
      store,
      layer,
      now,
      after: (ms, run) => after(ms, run),
      id: (kind) => (kind === "session" ? sessionId() : uuid()),
      recorder: (session, turn) =>
        turnRecorder({
          sessionId: session,
          turnId: turn,
          redact: (text) => redact(text),
          sinks,
          warn: (message) => log.warning(message),
        }),
      spill: sessionFiles(home.path).spill,
      log: (level, message, fields) => log.write(level, message, fields),
      ...helping,
      childRoute: (parent) => childRoute(house, parent),
      transcript: (session, _turn, stored) => files.add(session, stored),
    },
    agentSettings(config.settings, house.environment),
  );
}

/** Children of tools find a `hermes` command that is this program where the machine has none. */
async function shim({ home, log }: House, { program }: RuntimeOptions): Promise<string | undefined> {
  if (program === undefined || !home.isWritable) return undefined;
  return hermesShim(join(home.path, "bin"), program).catch((error: unknown) => {
    log.warning(`no hermes command for children: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  });
}
