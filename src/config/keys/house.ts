import { choice, integer, mapping, number, onOff, optionalText, text, texts, timeZone } from "../key.ts";

/** The program around the agent: screen, logs, traces, store, hooks, plugins. */
export const houseKeys = {
  "display.streaming": onOff(true, "Show the answer while it is written."),
  "display.show_reasoning": onOff(false, "Show what the model thinks."),
  "display.show_cost": onOff(false, "Show the tokens of a turn after it, and what it cost where the price is known."),
  "display.tool_progress": choice(["off", "new", "all", "verbose"], "all", "How much of tool calls is shown.", {
    words: { false: "off", true: "all" },
  }),
  "display.busy_input_mode": choice(
    ["interrupt", "queue", "steer"],
    "interrupt",
    "What a message does that comes while a turn runs.",
  ),
  "display.bell_on_complete": onOff(false, "Ring when a turn is done."),
  "display.timestamps": onOff(false, "Show the time at which a turn began and ended."),
  "logging.level": choice(["DEBUG", "INFO", "WARNING", "ERROR"], "INFO", "What is logged at least.", {
    variable: "LOG_LEVEL",
  }),
  "logging.max_size_mb": integer(5, "Megabytes after which a log file is put aside.", { min: 1 }),
  "logging.backup_count": integer(3, "Log files that are kept aside.", { min: 0, max: 100 }),
  "trace.enabled": onOff(true, "Record what fires, how long it takes and what it decides."),
  "trace.payloads": choice(
    ["off", "masked", "full"],
    "masked",
    "Keep what hooks were told, for `talaria hooks replay`; masked: secrets are taken out.",
    { words: { false: "off" } },
  ),
  "trace.keep_days": integer(14, "Days that traces are kept.", { min: 1 }),
  "trace.otlp_endpoint": optionalText("The address to which traces are exported over OTLP/HTTP.", {
    variable: "OTLP_ENDPOINT",
    foreignVariables: ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
  }),
  "trace.otlp_headers": mapping("Further HTTP headers of the export."),
  timezone: timeZone("The time zone of what is shown, such as `Europe/Berlin`; empty: the machine's.", {
    variable: "TIMEZONE",
  }),
  hooks: mapping("Shell hooks: a list of `command`, `matcher` and `timeout` for each event."),
  hooks_auto_accept: onOff(false, "Take new shell hooks without a question.", { variable: "ACCEPT_HOOKS" }),
  "hook_limits.turn_seconds": number(0, "Seconds that hooks may take of one turn in all; 0: no limit.", { min: 0 }),
  "hook_limits.failures": integer(5, "Failures to run in a row after which a hook is left out for a while; 0: never.", {
    min: 0,
  }),
  "hook_limits.pause_seconds": number(60, "Seconds for which such a hook is left out before it is tried again.", {
    min: 0,
  }),
  "hook_limits.idle_seconds": number(
    60,
    "Seconds after a turn for which a person may say nothing before hooks are told `idle_prompt`; 0: never.",
    { min: 0 },
  ),
  "hook_limits.private_hosts": texts(
    [],
    "Hosts with private addresses to which http hooks may post, such as `*.corp`.",
  ),
  "plugins.enabled": texts([], "Plugins that are loaded."),
  "plugins.disabled": texts([], "Plugins that are not loaded, whatever else says so."),
  "plugins.entries": mapping("Settings of plugins by name."),
  "plugins.claude": texts([], "Folders of Claude plugins that are read without being enabled elsewhere."),
  "plugins.debug": onOff(false, "Tell of everything that is found and loaded on standard error, with stack traces.", {
    variable: "PLUGINS_DEBUG",
  }),
  "plugins.watchdog_seconds": number(
    10,
    "Seconds that a plugin may keep the program standing still before the program is ended and the plugin left out; 0: for ever.",
  ),
  "plugins.remember_registrations": onOff(
    true,
    "Keep what Python plugins register, so that Python starts only when one of them is called.",
  ),
  "python.path": optionalText(
    "The Python that runs plugins and hooks; without it the home's virtual environment, else `python3` on PATH.",
  ),
  "context.engine": text(
    "compressor",
    "What makes room when the model's context fills: `compressor` is the program's own summary, other names are of plugins.",
  ),
  "memory.provider": text("", "The plugin that keeps long-term memory; empty: none."),
  auxiliary: mapping(
    "Models for side tasks by name (`compression`, `approval`, `web_extract`, tasks of plugins): `provider`, `model`, `base_url`, `api_key`, `timeout` in seconds, `extra_body`.",
  ),
  mcp_servers: mapping("MCP servers by name: `command`, `args`, `env`, or `url`, `headers`."),
} as const;
