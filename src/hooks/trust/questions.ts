import type { Rule } from "../rule.ts";

export const shellQuestion = (rule: Rule, command: string): string =>
  [
    "A shell hook wants to run on this machine, with all your rights:",
    `  Event:   ${rule.eventName}${rule.matcher === undefined ? "" : ` (for ${rule.matcher})`}`,
    `  Command: ${visible(command)}`,
    `  From:    ${rule.where}`,
    "Allow this hook to run?",
  ].join("\n");

/** Control characters and what turns the direction of text shown as escapes: what is read is what runs. */
const visible = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);

export function folderQuestion(project: string, rules: readonly Rule[]): string {
  const lines = rules.map((rule) => `  ${rule.eventName}${rule.matcher ? ` (${rule.matcher})` : ""}: ${deed(rule)}`);
  return [
    `The project ${project} brings hooks that run on this machine, with all your rights:`,
    ...lines,
    "Do you trust this folder, and may its hooks run?",
  ].join("\n");
}

function deed(rule: Rule): string {
  switch (rule.type) {
    case "command":
    case "worker":
      return visible([rule.command, ...(rule.args ?? [])].join(" "));
    case "http":
      return `sends to ${visible(rule.url)}`;
    case "mcp_tool":
      return `calls ${visible(rule.tool)} of the MCP server ${visible(rule.server)}`;
    case "prompt":
    case "agent":
      return `asks a model (${rule.type})`;
  }
}
