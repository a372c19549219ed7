/**
 * One row of a table of patterns. `matches` looks at scripts as `analysis` writes them: a command per line,
 * ignoring case. `id` is the key by which it is approved and must never change.
 */
export interface Pattern {
  readonly id: string;
  /** What it means, in Hermes's words: shown in prompts, and its key in a Hermes home. */
  readonly description: string;
  readonly matches: RegExp;
  /** A command that it catches. */
  readonly example: string;
  /** Commands like it that it lets pass. */
  readonly nearMisses: readonly string[];
  /** Older keys of Hermes under which it may have been allowed. */
  readonly legacy?: readonly string[];
  /** It is about this machine: text that runs elsewhere, or may not run at all, does not count. */
  readonly here?: true;
}

/** Words of a command before the one that matters; redirections end them. */
export const words = String.raw`(?:[^\s<>]+ )*`;
/** The same where another such run follows: bounded, so that no text takes long to look through. */
export const few = String.raw`(?:[^\s<>]+ ){0,20}`;
/** The end of a word. */
export const end = String.raw`(?= |$)`;
/** The end of the last word of a command. */
export const last = String.raw`(?=(?: (?:&?[<>]|[|;&()])[^\n]*)?$)`;

export const disks = String.raw`\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|md|dm-|mapper\/)`;
export const systemConfig = String.raw`(?:\/etc|\/private\/(?:etc|var|tmp|home))(?:\/[^\s]*)?`;
export const agentConfig = String.raw`~\/\.(?:hermes|talaria)\/(?:[^\s]*\/)?(?:\.env|config\.ya?ml)`;
export const credentials = String.raw`~\/\.(?:ssh(?:\/[^\s]*)?|bashrc|bash_profile|bash_login|bash_aliases|bash_logout|profile|zshrc|zprofile|zshenv|zlogin|zlogout|kshrc|cshrc|tcshrc|config\/fish\/config\.fish|netrc|pgpass|npmrc|pypirc)`;
export const sensitive = String.raw`(?:${systemConfig}|\/dev\/sd[^\s]*|${agentConfig}|${credentials})`;
export const projectConfig = String.raw`(?:[^\s]*\/)?(?:\.env[^\s\/]*|config\.ya?ml)`;

export const pattern = (text: string): RegExp => new RegExp(text, "im");
