import type { StoredMessage } from "#sessions";
import { groups } from "./pairing.ts";
import { estimateTokens } from "./tokens.ts";

export interface CutLimits {
  /** Messages at the beginning that stay. */
  readonly protectFirst: number;
  /** Messages at the end that stay, as far as `tailTokens` allows. */
  readonly protectLast: number;
  readonly tailTokens: number;
}

type Group = readonly StoredMessage[];

function size(group: Group): number {
  return group.reduce((sum, stored) => sum + estimateTokens(stored.message), 0);
}

function headEnd(all: readonly Group[], messages: number): number {
  let index = 0;
  let count = 0;
  while (index < all.length && count < messages) {
    count += all[index]?.length ?? 0;
    index += 1;
  }
  return index;
}

function tailStart(all: readonly Group[], limits: CutLimits, head: number): number {
  let index = all.length;
  let count = 0;
  let tokens = 0;
  while (index > head) {
    const group = all[index - 1] ?? [];
    const grown = tokens + size(group);
    // The last group always stays: it is what the model is about to answer.
    if (index < all.length && (count >= limits.protectLast || grown > limits.tailTokens)) break;
    count += group.length;
    tokens = grown;
    index -= 1;
  }
  return index;
}

/**
 * The stretch to summarise: everything between the protected beginning and the recent tail. It never parts a call from
 * its results. Empty when there is nothing worth summarising (fewer than two messages).
 */
export function compactionCut(messages: readonly StoredMessage[], limits: CutLimits): readonly StoredMessage[] {
  const all = groups(messages);
  const head = Math.min(headEnd(all, limits.protectFirst), Math.max(all.length - 1, 0));
  const middle = all.slice(head, tailStart(all, limits, head)).flat();
  return middle.length < 2 ? [] : middle;
}
