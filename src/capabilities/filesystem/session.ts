import type { TurnContext } from "#agent";
import type { FileFacts } from "#host";

/** How a file stood when the model last read or wrote it. */
type Seen = Pick<FileFacts, "modifiedMs" | "bytes">;

function seenFiles(context: TurnContext): Map<string, Seen> {
  return context.state("filesystem", () => new Map<string, Seen>());
}

export function remember(context: TurnContext, path: string, facts: FileFacts | undefined): void {
  if (facts === undefined) seenFiles(context).delete(path);
  else seenFiles(context).set(path, { modifiedMs: facts.modifiedMs, bytes: facts.bytes });
}

/** The warning for a file that someone else changed since the model last saw it. */
export function staleWarning(context: TurnContext, path: string, facts: FileFacts): string | undefined {
  const seen = seenFiles(context).get(path);
  if (seen === undefined || (seen.modifiedMs === facts.modifiedMs && seen.bytes === facts.bytes)) return undefined;
  return `${path} was changed by someone else since you last read it; read it again to be sure that nothing of theirs was lost`;
}
