import type { HookGroup, Layer } from "#kernel";
import type { HookContext } from "../hook-context.ts";
import type { RuleSet } from "../rule.ts";
import type { CompiledSource } from "./compiled-rule.ts";
import type { HookEngine } from "./hook-engine.ts";

/** The hook groups of a layer, kept in step with their sources. */
export interface LiveHooks {
  /** Puts the sources' groups in the place of the former ones. What is in flight ends by the rules it began with. */
  apply(sets: readonly RuleSet[]): Promise<void>;
  readonly sources: readonly CompiledSource[];
}

interface Standing {
  /** What the groups were made of; equal text, equal groups. */
  readonly fingerprint: string;
  readonly undos: readonly (() => Promise<void>)[];
}

export function liveHooks<C extends HookContext>(layer: Pick<Layer<C>, "add">, engine: HookEngine): LiveHooks {
  let standing = new Map<string, Standing>();
  let sources: readonly CompiledSource[] = [];
  let last: Promise<void> = Promise.resolve();

  const replace = async (sets: readonly RuleSet[]): Promise<void> => {
    const compiled = await engine.compile(sets);
    const next = new Map<string, Standing>();
    // From here to the end nothing can fire in between: an event is told by the old groups or by the new ones.
    for (const [place, { set, rules }] of compiled.sources.entries()) {
      if (rules.length === 0) continue;
      const { name } = set.source;
      const fingerprint = JSON.stringify([place, set.source, rules.map(({ rule }) => rule)]);
      const former = standing.get(name);
      if (former?.fingerprint === fingerprint) {
        next.set(name, former);
        standing.delete(name);
        continue;
      }
      takeOut(former);
      standing.delete(name);
      next.set(name, { fingerprint, undos: addAll(groupsFor(compiled.groups, name)) });
    }
    for (const gone of standing.values()) takeOut(gone);
    standing = next;
    sources = compiled.sources;
  };

  const addAll = (groups: readonly HookGroup<HookContext>[]) => groups.map((group) => layer.add(group as HookGroup<C>));
  const takeOut = (former: Standing | undefined): void => {
    for (const undo of former?.undos ?? []) void undo();
  };

  return {
    get sources() {
      return sources;
    },
    apply(sets) {
      last = last.then(() => replace(sets));
      return last;
    },
  };
}

const groupsFor = (groups: readonly HookGroup<HookContext>[], name: string): readonly HookGroup<HookContext>[] =>
  groups.filter((group) => group.name === name);
