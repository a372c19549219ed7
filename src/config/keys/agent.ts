import { choice, integer, number, onOff, optionalNumber, optionalText, texts } from "../key.ts";

const efforts = ["", "none", "minimal", "low", "medium", "high", "xhigh"] as const;

/** The loop: its budgets, guards, summaries and children. */
export const agentKeys = {
  "agent.max_turns": integer(90, "Model calls of one turn at most.", {
    min: 1,
    variable: "MAX_ITERATIONS",
    aliases: ["max_turns"],
  }),
  "agent.api_max_retries": integer(3, "Attempts after a failed model call before the next model is asked.", {
    min: 0,
    max: 100,
  }),
  "agent.reasoning_effort": choice(
    efforts,
    "",
    "How hard the model thinks; empty: its own default. `/reasoning` changes it for a session.",
    { words: { false: "none" } },
  ),
  "agent.system_prompt": optionalText(
    "Text that is put at the end of the system prompt of the main conversation, sessions that are resumed included.",
  ),
  "agent.disabled_toolsets": texts(
    [],
    "Toolsets that are never offered, such as `terminal`, or `mcp-github` for the server `github`.",
  ),
  toolsets: texts(
    ["hermes-cli"],
    "Toolsets that the model is offered (tools.md lists them); `hermes-cli` is all. MCP servers come besides, unless `no_mcp` stands here.",
  ),
  "tool_loop_guardrails.warnings_enabled": onOff(true, "Tell the model when it repeats itself."),
  "tool_loop_guardrails.hard_stop_enabled": onOff(false, "End the turn when it goes on repeating itself."),
  "tool_loop_guardrails.warn_after.exact_failure": integer(2, "Same call, same failure: warn from here.", { min: 1 }),
  "tool_loop_guardrails.warn_after.same_tool_failure": integer(3, "Failures of one tool: warn from here.", { min: 1 }),
  "tool_loop_guardrails.warn_after.idempotent_no_progress": integer(
    2,
    "Same reading call with the same result: warn from here.",
    { min: 1 },
  ),
  "tool_loop_guardrails.hard_stop_after.exact_failure": integer(5, "Same call, same failure: stop from here.", {
    min: 1,
  }),
  "tool_loop_guardrails.hard_stop_after.same_tool_failure": integer(8, "Failures of one tool: stop from here.", {
    min: 1,
  }),
  "tool_loop_guardrails.hard_stop_after.idempotent_no_progress": integer(
    5,
    "Same reading call with the same result: stop from here.",
    { min: 1 },
  ),
  "compression.enabled": onOff(true, "Summarise the older part of a conversation when it grows too long."),
  "compression.threshold": number(0.5, "Share of the model's context from which it is summarised.", {
    min: 0.05,
    max: 0.95,
  }),
  "compression.target_ratio": number(0.2, "Share of that which the recent part may keep.", { min: 0.05, max: 0.9 }),
  "compression.protect_first_n": integer(3, "Messages at the start that are never summarised.", { min: 0 }),
  "compression.protect_last_n": integer(20, "Messages at the end that are never summarised.", { min: 1 }),
  "delegation.max_concurrent_children": integer(3, "Sub-agents at one time.", {
    min: 1,
    foreignVariables: ["DELEGATION_MAX_CONCURRENT_CHILDREN"],
  }),
  "delegation.max_async_children": integer(3, "Sub-agents in the background at one time.", { min: 1 }),
  "delegation.max_iterations": integer(50, "Model calls of one sub-agent at most.", { min: 1 }),
  "delegation.max_spawn_depth": integer(1, "How deep sub-agents may start sub-agents.", { min: 1 }),
  "delegation.orchestrator_enabled": onOff(true, "Sub-agents in the role `orchestrator` may delegate."),
  "delegation.child_timeout_seconds": optionalNumber(
    "Seconds that one sub-agent may take; at least 30; absent or 0: no limit.",
    { min: 0 },
  ),
  "delegation.subagent_auto_approve": onOff(false, "Dangerous commands of sub-agents run without a question."),
  "delegation.inherit_mcp_toolsets": onOff(
    true,
    "A sub-agent whose toolsets are named keeps the parent's MCP tools besides.",
  ),
  "delegation.model": optionalText(
    "The model of sub-agents; absent: the parent's, or the usual one of `delegation.provider`.",
  ),
  "delegation.provider": optionalText("The provider of that model; absent: the parent's."),
  "delegation.base_url": optionalText("The address of that model."),
  "delegation.api_key": optionalText("The key of that model.", { secret: true }),
  "delegation.api_mode": optionalText("The protocol of that model."),
  "delegation.reasoning_effort": choice(efforts, "", "How hard sub-agents think; empty: as hard as their parent.", {
    words: { false: "none" },
  }),
} as const;
