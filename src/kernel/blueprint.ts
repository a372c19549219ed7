/**
 * The order of the chain: seven groups of slots, from what gives context to what steers. The order is
 * behaviour: slots may be added between, none may move. See docs/reference/kernel.md.
 */
export const groups = {
  context: [
    "default-system-prompt",
    "lang",
    "agents-md",
    "agent-define",
    "plugin",
    "skills",
    "skill-preload",
    "at-mention",
    "image",
    "memory",
  ],
  tools: ["filesystem", "git-attribution", "terminal", "web", "code-execution", "checkpoints"],
  planning: ["todo", "cron", "session-search", "messaging"],
  hooks: ["hook"],
  gates: ["guardrails", "permission", "ask-user", "sub-agent"],
  conditional: ["mcp", "workflow", "tool-search", "artifact", "browser", "vision", "image-gen", "video-gen", "speech"],
  steering: ["lsp", "goal"],
} as const;

export const blueprint: readonly string[] = Object.values(groups).flat();
