import type { EventName } from "#kernel";

/**
 * Events that hooks may name and that this program never fires, with the reason. All others fire: a test holds that
 * each of them has a place in the code where it does. See docs/reference/hooks.md.
 */
export const notApplicable: { readonly [E in EventName]?: string } = {
  setup: "there is no --init or --maintenance to start the program with",
  directory_added: "a session has one folder",
  worktree_create: "sub-agents work in the folder of their parent",
  worktree_remove: "sub-agents work in the folder of their parent",
  task_created: "there is no list of tasks apart from the todo tool",
  task_completed: "there is no list of tasks apart from the todo tool",
  teammate_idle: "there are no teams of agents",
  pre_skill_shell_command: "texts of skills do not run shell lines",
};

/** What of an event that fires does not. */
export const limits: { readonly [E in EventName]?: string } = {
  user_prompt_expansion: "for prompts of MCP servers (/mcp__server__prompt); no other command becomes a prompt",
  notification:
    "of the types permission_prompt, idle_prompt, agent_completed and elicitation_…; auth_success would need a login inside a session, agent_needs_input agents that ask on their own, quota_… a provider's quota",
};

/** Events of the gateway, which `talaria hooks` tells apart. */
export const ofGateway = "fired by the gateway only";
