import { type AgentSettings, offeredTools } from "#agent";
import type { Settings } from "#config";
import type { Environment } from "#host";
import type { ReasoningEffort } from "#models";

/** What the loop is told of `config.yaml`. */
export function agentSettings(settings: Settings, environment: Environment = {}): AgentSettings {
  const stopCap = Number(environment["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"]);
  const threshold = (when: "warn_after" | "hard_stop_after") => ({
    exactFailure: settings[`tool_loop_guardrails.${when}.exact_failure`],
    sameToolFailure: settings[`tool_loop_guardrails.${when}.same_tool_failure`],
    idempotentNoProgress: settings[`tool_loop_guardrails.${when}.idempotent_no_progress`],
  });
  const childSeconds = settings["delegation.child_timeout_seconds"];
  return {
    maxIterations: settings["agent.max_turns"],
    systemPrompt: settings["agent.system_prompt"] ?? "",
    request: requestSettings(settings),
    ...effort(settings["agent.reasoning_effort"]),
    allows: offeredTools(settings.toolsets, settings["agent.disabled_toolsets"]),
    ...(environment["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] && stopCap >= 0 ? { stopContinuations: stopCap } : {}),
    compaction: {
      enabled: settings["compression.enabled"],
      threshold: settings["compression.threshold"],
      targetRatio: settings["compression.target_ratio"],
      protectFirst: settings["compression.protect_first_n"],
      protectLast: settings["compression.protect_last_n"],
    },
    delegation: {
      maxConcurrentChildren: settings["delegation.max_concurrent_children"],
      maxIterations: settings["delegation.max_iterations"],
      maxSpawnDepth: settings["delegation.max_spawn_depth"],
      orchestratorEnabled: settings["delegation.orchestrator_enabled"],
      childTimeoutSeconds: childSeconds === undefined || childSeconds <= 0 ? undefined : Math.max(30, childSeconds),
      maxBackgroundChildren: settings["delegation.max_async_children"],
      inheritMcpTools: settings["delegation.inherit_mcp_toolsets"],
      ...effort(settings["delegation.reasoning_effort"]),
    },
    guardrails: {
      warnings: settings["tool_loop_guardrails.warnings_enabled"],
      hardStop: settings["tool_loop_guardrails.hard_stop_enabled"],
      warnAfter: threshold("warn_after"),
      hardStopAfter: threshold("hard_stop_after"),
    },
  };
}

function requestSettings(settings: Settings): NonNullable<AgentSettings["request"]> {
  const maxOutputTokens = settings["model.max_tokens"];
  const temperature = settings["model.temperature"];
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

/** An empty word leaves it to the provider, or to the parent. */
function effort(word: ReasoningEffort | ""): { readonly reasoningEffort?: ReasoningEffort } {
  return word === "" ? {} : { reasoningEffort: word };
}
