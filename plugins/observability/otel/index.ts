import { definePlugin, http } from "talaria/plugin";
import { firstText, mapping, text } from "../../service.ts";
import { meter } from "./meter.ts";

const everyMs = 60_000;

export default definePlugin((context) => {
  const { config, environment, log } = context;
  const base = firstText(config["endpoint"], environment["OTEL_EXPORTER_OTLP_ENDPOINT"]);
  const address = firstText(
    config["metrics_endpoint"],
    environment["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"],
    base === "" ? "" : `${base.replace(/\/+$/, "")}/v1/metrics`,
  );
  if (!URL.canParse(address)) {
    log.warning("nothing is sent: set OTEL_EXPORTER_OTLP_ENDPOINT, or endpoint in the plugin's entry");
    return;
  }
  const own = mapping(config["headers"]);
  const headers = { ...headersOf(text(environment["OTEL_EXPORTER_OTLP_HEADERS"])), ...(own as Record<string, string>) };
  const counts = meter(firstText(config["service_name"], environment["OTEL_SERVICE_NAME"], "talaria"));
  let sending: Promise<void> = Promise.resolve();
  const send = (): Promise<void> => {
    sending = sending.then(async () => {
      const body = counts.report();
      if (body === undefined) return;
      try {
        const request = {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          timeoutMs: 10_000,
        };
        const response = await http(address, { ...request, body: JSON.stringify(body) });
        if (!response.ok) log.warning(`the collector answered with status ${response.status}`);
      } catch (error) {
        log.warning(error instanceof Error ? error.message : String(error));
      }
    });
    return sending;
  };
  const timer = setInterval(() => void send(), everyMs);
  timer.unref();
  context.onUnload(async () => {
    clearInterval(timer);
    await send();
  });
  context.registerHook("post_api_request", (payload) => {
    const { model, provider, usage, apiDuration } = payload as Readonly<Record<string, unknown>>;
    const where = {
      "gen_ai.request.model": text(model),
      "gen_ai.provider.name": text(provider),
      "gen_ai.operation.name": "chat",
    };
    const tokens = mapping(usage);
    for (const [type, name] of [
      ["input", "prompt_tokens"],
      ["output", "completion_tokens"],
    ] as const) {
      if (typeof tokens[name] === "number")
        counts.record("gen_ai.client.token.usage", "{token}", tokens[name], { ...where, "gen_ai.token.type": type });
    }
    if (typeof apiDuration === "number") counts.record("gen_ai.client.operation.duration", "s", apiDuration, where);
  });
  context.registerHook("api_request_error", ({ model, provider }) => {
    counts.record("talaria.model.errors", "{error}", 1, {
      "gen_ai.request.model": text(model),
      "gen_ai.provider.name": text(provider),
    });
  });
  context.registerHook("post_tool_call", ({ toolName, status, durationMs }) => {
    const where = { "gen_ai.tool.name": toolName, status: text(status) };
    counts.record("talaria.tool.duration", "s", durationMs / 1000, where);
  });
  context.registerHook("on_session_end", ({ completed, interrupted }) => {
    counts.record("talaria.turns", "{turn}", 1, {
      outcome: interrupted ? "interrupted" : completed ? "completed" : "failed",
    });
  });
  context.registerHook("on_session_finalize", () => send());
});

/** `key=value,key=value`, percent-encoded. */
const headersOf = (list: string): Record<string, string> =>
  Object.fromEntries(
    list.split(",").flatMap((pair) => {
      const at = pair.indexOf("=");
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]];
    }),
  );
