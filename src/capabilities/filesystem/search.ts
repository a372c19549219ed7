/** What is looked for, after the arguments have been read. Paths are absolute. */
export interface SearchRequest {
  readonly pattern: string;
  readonly root: string;
  readonly glob: string | undefined;
  /** Lines around each match. */
  readonly context: number;
}

export interface Hit {
  readonly path: string;
  readonly line: number;
  readonly content: string;
  /** A line around a match. */
  readonly around?: true;
}

export interface Found<T> {
  readonly items: readonly T[];
  /** The search was ended at its bounds: there may be more. */
  readonly stopped: boolean;
}

export type SearchResult<T> = ({ readonly ok: true } & Found<T>) | { readonly ok: false; readonly error: string };

/** A way to search. The order of what it finds is its own. */
export interface SearchEngine {
  content(request: SearchRequest, signal: AbortSignal): Promise<SearchResult<Hit>>;
  /** Files whose name or relative path matches the glob, latest change first. */
  files(request: SearchRequest, signal: AbortSignal): Promise<SearchResult<string>>;
}

/** Bounds of one search, so that no pattern fills the memory or takes forever. */
export const bounds = { hits: 20_000, files: 50_000, milliseconds: 30_000, lineCharacters: 500 } as const;

/** A glob as a person means it: a bare word stands anywhere in the name. */
export function nameGlob(pattern: string): string {
  const trimmed = pattern.trim();
  return trimmed === "" ? "*" : /[*?[\]{}/]/.test(trimmed) ? trimmed : `*${trimmed}*`;
}

/** A line cut to what an answer shows. */
export function shortLine(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return text.length <= bounds.lineCharacters
    ? text
    : `${text.slice(0, bounds.lineCharacters)}… [${text.length - bounds.lineCharacters} more characters]`;
}
