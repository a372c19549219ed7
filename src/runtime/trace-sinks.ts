import { http } from "#host";
import { otlpExporter, otlpSettings, type SpanSink, type SpanStore } from "#trace";
import type { House } from "./house.ts";

/** Where finished spans go: the store, and an OTLP collector when one is named. */
export interface TraceSinks {
  readonly sinks: readonly SpanSink[];
  /** Settles when what is under way has been exported, or after 3 s. */
  flush(): Promise<void>;
}

export function traceSinks(house: House, spans: SpanStore, version: string): TraceSinks {
  if (!house.config.settings["trace.enabled"]) return { sinks: [], flush: async () => undefined };
  const warn = (message: string): void => house.log.warning(message);
  const settings = exportSettings(house, warn);
  const exporter =
    settings &&
    otlpExporter(settings, {
      fetch: (url, { signal, ...init }) => http(url, { ...init, signal: signal ?? undefined }),
      version,
      warn,
    });
  return {
    sinks: [(batch) => spans.add(batch), ...(exporter ? [exporter.sink] : [])],
    flush: async () => exporter?.flush(3000),
  };
}

/** An address that is none costs the export, never the start. */
function exportSettings({ config, environment }: House, warn: (message: string) => void) {
  try {
    return otlpSettings(environment, config.settings["trace.otlp_endpoint"], config.settings["trace.otlp_headers"]);
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
