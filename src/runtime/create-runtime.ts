import { join } from "node:path";
import { createAgent, type Session, type TurnContext } from "#agent";
import { after, environment, hermesShim, http, now, redact, sessionId, uuid } from "#host";
import { blueprint, createKernel } from "#kernel";
import { otlpExporter, otlpSettings, type SpanSink, spanStore, turnRecorder } from "#trace";
import { agentSettings } from "./agent-settings.ts";
import { addCapabilities } from "./chain.ts";
import { type House, openHouse } from "./house.ts";
import { kernelPorts } from "./kernel-ports.ts";
import { modelRoute, resumedRoute } from "./model-route.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";
import { sessionFiles } from "./session-files.ts";
import { openStore, retention, sessionLibrary } from "./session-library.ts";

/** Wires the rooms together. Rejects with a `ConfigError` or `SessionError` when there can be no home or no store. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const house = await openHouse({
    home: options.home,
    cwd: options.cwd,
    environment: options.environment ?? environment(),
  });
  const [store, shimDirectory] = await Promise.all([openStore(house, false), shim(house, options)]);
  const { config, home, log } = house;
  const library = sessionLibrary(store);
  const traces = traceSinks(house, spanStore(store.database, retention(config)), options.version);
  const layer = createKernel<TurnContext>(blueprint, kernelPorts(log, config.settings["trace.enabled"]));
  addCapabilities(layer, house, shimDirectory);
  const agent = createAgent(
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
          sinks: traces.sinks,
          warn: (message) => log.warning(message),
        }),
      spill: sessionFiles(home.path).spill,
      log: (level, message, fields) => log.write(level, message, fields),
    },
    agentSettings(config.settings),
  );
  const opened = new Set<Session>();

  return {
    home: home.path,
    store,
    agent,
    busyMode: config.settings["display.busy_input_mode"],
    warnings: house.warnings,
    route: (reference) => modelRoute(house, reference),
    async open({ cwd, source, resume, model }) {
      const route = resume && model === undefined ? await resumedRoute(house, resume) : await modelRoute(house, model);
      const session = await agent.open({ cwd, source, route, ...(resume ? { resume } : {}) });
      opened.add(session);
      return session;
    },
    drawTrace: library.drawTrace,
    log: (level, message) => log.write(level, message),
    async close(reason) {
      for (const session of opened)
        await session.close(reason).catch((error: unknown) => log.warning(`closing ${session.id}: ${error}`));
      await traces.flush();
      await store.close();
      await log.flush();
    },
  };
}

/** Where finished spans go: the store, and an OTLP collector when one is named. */
function traceSinks({ config, environment, log }: House, spans: ReturnType<typeof spanStore>, version: string) {
  const warn = (message: string): void => log.warning(message);
  const settings = config.settings["trace.enabled"] ? exportSettings() : undefined;
  const exporter =
    settings &&
    otlpExporter(settings, {
      fetch: (url, { signal, ...init }) => http(url, { ...init, signal: signal ?? undefined }),
      version,
      warn,
    });
  const sinks: readonly SpanSink[] = [(batch) => spans.add(batch), ...(exporter ? [exporter.sink] : [])];
  return { sinks, flush: async () => exporter?.flush(3000) };

  function exportSettings() {
    try {
      return otlpSettings(environment, config.settings["trace.otlp_endpoint"], config.settings["trace.otlp_headers"]);
    } catch (error) {
      warn(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }
}

/** Children of tools find a `hermes` command that is this program where the machine has none. */
async function shim({ home, log }: House, { program }: RuntimeOptions): Promise<string | undefined> {
  if (program === undefined || !home.isWritable) return undefined;
  return hermesShim(join(home.path, "bin"), program).catch((error: unknown) => {
    log.warning(`no hermes command for children: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  });
}
