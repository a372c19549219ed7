import type { Owner, Registered, RegistrationKind, Registrations } from "./registration.ts";

export type Undo = () => void;

/** What all plugins have registered. Order is the plugin's place in discovery, then its own order: never order of arrival. */
export interface Registry {
  add<K extends RegistrationKind>(kind: K, owner: Owner, value: Registrations[K]): Undo;
  of<K extends RegistrationKind>(kind: K): readonly Registered<K>[];
  ownedBy(key: string): readonly Registered[];
  /** Told after each change of a kind; several changes of one tick are told once. Returns its undo. */
  onChange(listener: (kinds: ReadonlySet<RegistrationKind>) => void): Undo;
  /** Counts changes: the same number, the same content. */
  readonly revision: number;
}

const isBefore = (one: Registered, other: Registered | undefined): boolean =>
  other !== undefined && (one.owner.place - other.owner.place || one.sequence - other.sequence) < 0;

export function registry(): Registry {
  const shelves = new Map<RegistrationKind, Registered[]>();
  const sequences = new Map<string, number>();
  const listeners = new Set<(kinds: ReadonlySet<RegistrationKind>) => void>();
  let revision = 0;
  let changed: Set<RegistrationKind> | undefined;

  const tell = (kind: RegistrationKind): void => {
    revision++;
    if (changed !== undefined) {
      changed.add(kind);
      return;
    }
    const kinds = new Set([kind]);
    changed = kinds;
    queueMicrotask(() => {
      changed = undefined;
      for (const listener of listeners) listener(kinds);
    });
  };
  return {
    get revision() {
      return revision;
    },
    add(kind, owner, value) {
      const sequence = (sequences.get(owner.key) ?? 0) + 1;
      sequences.set(owner.key, sequence);
      const registered: Registered = { kind, owner, sequence, value };
      const shelf = [...(shelves.get(kind) ?? [])];
      let at = shelf.length;
      while (at > 0 && isBefore(registered, shelf[at - 1])) at -= 1;
      shelf.splice(at, 0, registered);
      shelves.set(kind, shelf);
      tell(kind);
      return () => {
        const rest = shelves.get(kind)?.filter((other) => other !== registered) ?? [];
        if (rest.length === shelves.get(kind)?.length) return;
        shelves.set(kind, rest);
        tell(kind);
      };
    },
    of: <K extends RegistrationKind>(kind: K) => (shelves.get(kind) ?? []) as unknown as readonly Registered<K>[],
    ownedBy: (key) => [...shelves.values()].flat().filter(({ owner }) => owner.key === key),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
