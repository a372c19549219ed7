import { choice, integer, onOff, optionalNumber, optionalText, text, texts } from "../key.ts";

/** What tools may do and how much of it the model sees. */
export const toolKeys = {
  "terminal.backend": choice(
    ["local", "docker", "ssh", "singularity", "modal", "daytona"],
    "local",
    "Where commands run; only `local` is built.",
    { foreignVariables: ["TERMINAL_ENV"], aliases: ["terminal.env_type"] },
  ),
  "terminal.cwd": text(
    ".",
    "The folder in which sessions begin unless `--cwd` names one; `.` is the one the program was started in.",
    {
      foreignVariables: ["TERMINAL_CWD"],
    },
  ),
  "terminal.timeout": integer(180, "Seconds after which a command is ended unless the call says otherwise.", {
    min: 1,
    foreignVariables: ["TERMINAL_TIMEOUT"],
  }),
  "terminal.max_foreground_timeout": integer(
    600,
    "The longest time limit in seconds that a call may ask for in the foreground.",
    { min: 1, foreignVariables: ["TERMINAL_MAX_FOREGROUND_TIMEOUT"] },
  ),
  "terminal.shell": optionalText(
    "The shell that runs commands: bash, sh, dash, ash, ksh, mksh or zsh, by name or path; absent: bash, else sh.",
  ),
  "tool_output.max_bytes": integer(50000, "Bytes of a tool's output that the model sees; the middle is left out.", {
    min: 1000,
  }),
  "tool_output.max_lines": integer(2000, "Lines of it.", { min: 10 }),
  "tool_output.max_line_length": integer(2000, "Characters of one line of it.", { min: 80 }),
  "web.backend": optionalText("The provider that searches and reads the web; absent: the first that can be used."),
  "web.search_backend": optionalText("The provider for searching alone."),
  "web.extract_backend": optionalText("The provider for reading pages alone; `fetch` needs no service."),
  "web.extract_char_limit": integer(15000, "Characters of one web page that the model sees.", { min: 1000 }),
  "image_gen.provider": optionalText("The provider that makes pictures; absent: the first that can be used."),
  "image_gen.model": optionalText("Its model, where `image_gen.<provider>.model` names none."),
  "tts.provider": optionalText("The provider that speaks; absent: the first that can be used."),
  "tts.voice": optionalText("Its voice, where `tts.<provider>.voice` names none."),
  "tts.speed": optionalNumber("How fast it speaks; 1 is as usual.", { min: 0.25, max: 4 }),
  "stt.provider": optionalText("The provider that transcribes speech; absent: the first that can be used."),
  "browser.cloud_provider": optionalText("The provider of the browser; absent: the first that can be used."),
  "browser.executable": optionalText("The program of the local browser; absent: `$CHROME`, then the usual places.", {
    foreignVariables: ["AGENT_BROWSER_EXECUTABLE_PATH"],
  }),
  "browser.inactivity_timeout": integer(300, "Seconds without use after which a page is closed; 0: never.", {
    min: 0,
    foreignVariables: ["BROWSER_INACTIVITY_TIMEOUT"],
  }),
  "browser.allow_private_urls": onOff(false, "The browser may open addresses of private networks."),
  file_read_max_chars: integer(100000, "Characters that one reading of a file gives at most.", { min: 1000 }),
  context_file_max_chars: integer(20000, "Characters of one AGENTS.md or its like that reach the system prompt.", {
    min: 500,
  }),
  "approvals.mode": choice(
    ["manual", "smart", "off"],
    "manual",
    "Who decides on dangerous commands: you, a model first, or nobody.",
    { words: { false: "off", true: "manual" } },
  ),
  "approvals.timeout": integer(60, "Seconds that the question waits at a terminal; no answer is a no.", { min: 1 }),
  "approvals.cron_mode": choice(
    ["deny", "approve", "off", "allow", "yes"],
    "deny",
    "Dangerous commands of timed jobs; the words `approve`, `off`, `allow` and `yes` in quotes let them run.",
    { words: { false: "deny", true: "deny" } },
  ),
  "approvals.destructive_slash_confirm": onOff(
    true,
    "Ask at a terminal before `/new` or `/undo` puts away what was said.",
  ),
  command_allowlist: texts([], "Patterns of dangerous commands that were allowed for good."),
  "security.allow_private_urls": onOff(
    false,
    "Web tools may read addresses of this machine and of private networks, and the browser those of private networks.",
    { variable: "ALLOW_PRIVATE_URLS" },
  ),
  "security.redact_secrets": onOff(true, "Blank secrets in what is shown, logged and kept.", {
    variable: "REDACT_SECRETS",
  }),
} as const;
