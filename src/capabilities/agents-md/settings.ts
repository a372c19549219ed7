/** Where files of instructions are looked for and how much of them is taken. See docs/guide/context-files.md. */
export interface ContextFileSettings {
  /** Absolute; an AGENTS.md in it is the person's own. */
  readonly agentHome: string;
  /** Absolute; Claude's folder, whose CLAUDE.md is the person's own, too. */
  readonly claudeHome: string;
  readonly userHome: string;
  /** Characters of one file; longer ones lose their middle. */
  readonly maxCharacters: number;
}
