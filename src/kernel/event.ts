import type * as zod from "zod";
import type { Place } from "./tools/lens.ts";

/** The schema library, handed to schema functions when something has to be validated; importing a table loads none of it. */
export type Z = typeof zod;
export type Schema = (z: Z) => zod.ZodType;
export type Of<S extends Schema> = zod.infer<ReturnType<S>>;

/** The wire forms in which hooks and plugins speak. */
export type Dialect = "python" | "shell" | "claude" | "gateway";

/**
 * One field of an answer: how two become one, what ends the event, and what a later
 * change of the judged thing leaves of it. See docs/reference/kernel.md.
 */
export interface Field<T, K extends string = never> {
  readonly merge: (earlier: T, later: T) => T;
  /** True when the merged value ends the event: a deny, a halt, a claim. */
  readonly ends?: (merged: T) => boolean;
  /** What is left of an answer that was given before the settled field changed. */
  readonly stale?: (given: T) => T | undefined;
  /** The payload key that later handlers see replaced by this field's value. */
  readonly threads?: K;
  /** False: nonsense, and the handler that gave it has failed. Absent: anything but undefined is taken. */
  readonly accepts?: (given: unknown) => boolean;
  /** Writes the owner of the handler into a value that says who spoke. */
  readonly signed?: (given: T, owner: string) => T;
}
// biome-ignore lint/suspicious/noExplicitAny: a heterogeneous map of fields can only be read as any
export type Fields<K extends string = string> = Readonly<Record<string, Field<any, K>>>;

export interface Verdict {
  readonly decision: "deny" | "defer" | "ask" | "allow";
  readonly reason?: string;
  /** Who decided: the owner of the handler. */
  readonly by?: string;
}

/** One name on one wire: a projection of a row, not an alias. Whatever a dialect decides per event is a column here. */
export interface View<P> {
  readonly dialect: Dialect;
  readonly name: string;
  readonly when?: (payload: P) => boolean;
  /** Irregular wire names, several where two spellings are sent; every other declared key is snake_cased. */
  readonly keys?: { readonly [K in keyof P]?: string | readonly string[] };
  /** The payload keys that this view sends; absent: all. */
  readonly sends?: readonly (keyof P & string)[];
  /** Wire keys that are made from several payload keys, or from one in another form. */
  readonly adds?: (payload: P, place: Place) => Readonly<Record<string, unknown>>;
  /** Answer fields that this view may give; absent: all, empty: none. */
  readonly answers?: readonly string[];
  /** The answer field that a bare text stands for; without `blank` an empty or blank one is no answer. */
  readonly says?: { readonly field: string; readonly blank?: true };
  /** A middleware kind: handlers are told the version of that contract too. */
  readonly middleware?: true;
  /** The keys whose values make the name of a family (`command:*`), canonical first. */
  readonly family?: readonly (keyof P & string)[];
  /** Exit code 2: a deny, a line for the user, or nothing. */
  readonly exit2?: "verdict" | "user" | "none";
  /** `verdict`: any exit code but 0 is a deny. */
  readonly failure?: "verdict";
  /** Plain text on standard output: context for the model, or the path that was asked for. */
  readonly plainText?: "context" | "path";
  /** What each `permissionDecision` comes to; absent: the key is not honoured. */
  readonly permission?: Readonly<Record<Verdict["decision"], Verdict["decision"] | "none">>;
  /** A rewrite of the tool's input is a deny. */
  readonly rewrite?: "refused";
  /** What `{ok: false}` of a prompt or agent rule does beyond a deny; `none`: not even that. */
  readonly refusal?: "ends" | "ends-unless-continued" | "none";
  /** The payload says how hard the model thinks. */
  readonly effort?: true;
  /** What matchers look at under this name, where it is not the row's key; `none`: they are not honoured. */
  readonly matchOn?: (keyof P & string) | "none";
  /** Matchers look at the last part of a path. */
  readonly matchAs?: "baseName";
  /** In matchers, a list of names holds letters, digits and `_` only, parted by `|`. */
  readonly matchList?: "narrow";
  /** A time-out is a deny, whatever the rule says. */
  readonly timeout?: "verdict";
  /** The rule key `if` is honoured. */
  readonly condition?: true;
  /**
   * Commands get a file for variables of later commands: for the session, until the folder changes, or (`folder-anew`)
   * the same after what the former folder left is forgotten.
   */
  readonly environmentFile?: "session" | "folder" | "folder-anew";
  /** Background commands are waited for, since nothing comes after. */
  readonly awaitsBackground?: true;
  /** The kinds of rules that run; absent: all. */
  readonly executors?: readonly string[];
  /** The time limit of a rule that names none, where it is not that of its kind. */
  readonly limitSeconds?: number;
}

export interface Row<S extends Schema, M extends string> {
  readonly about: string;
  readonly since: string;
  readonly scope: "process" | "session" | "turn" | "call";
  readonly surface?: "gateway";
  /** The chain method that is a handler of this row. */
  readonly method?: M;
  /** The payload key that matchers look at. */
  readonly matchOn?: keyof Of<S> & string;
  /** Empty: a moment of the chain that no hook sees. */
  readonly views: readonly View<Of<S>>[];
  readonly example: NoInfer<Of<S>>;
  /** The answer of a failed handler where `onFailure: block` holds. */
  readonly closed?: object | "never";
}

export interface Tell<S extends Schema, M extends string> {
  readonly strategy: "tell";
  readonly payload: S;
  readonly method: M;
  readonly row: Row<S, M> & { readonly queued?: true };
}
export interface Ask<S extends Schema, A extends Fields, M extends string> {
  readonly strategy: "ask";
  readonly payload: S;
  readonly method: M;
  readonly answer: A;
  readonly row: Row<S, M> & {
    /** The field whose change sends the earlier handlers back to judge the final value. */
    readonly settles?: keyof A & string;
    /** Each handler gets a working copy of what the fields thread; a change in place counts as its answer. */
    readonly draft?: true;
  };
}
export interface Wrap<S extends Schema, R extends Schema, M extends string> {
  readonly strategy: "wrap";
  readonly payload: S;
  readonly method: M;
  readonly result: R;
  readonly row: Row<S, M> & { readonly next: "once" | "many" };
}

/** A row whose handlers are told and answer nothing. `queued`: nobody awaits them. */
export function tell<S extends Schema, M extends string = never>(
  payload: S,
  row: Row<S, M> & { readonly queued?: true },
): Tell<S, M> {
  return { strategy: "tell", payload, method: row.method as M, row };
}

/** A row whose handlers answer with the fields of `answer`; `settles` names the field whose change is judged again. */
export function ask<S extends Schema, A extends Fields<keyof Of<S> & string>, M extends string = never>(
  payload: S,
  row: Row<S, M> & { readonly answer: A; readonly settles?: keyof A & string; readonly draft?: true },
): Ask<S, A, M> {
  return { strategy: "ask", payload, method: row.method as M, answer: row.answer, row };
}

/** A row whose handlers stand around the act itself and call `next`. */
export function wrap<S extends Schema, R extends Schema, M extends string = never>(
  payload: S,
  row: Row<S, M> & { readonly result: R; readonly next: "once" | "many" },
): Wrap<S, R, M> {
  return { strategy: "wrap", payload, method: row.method as M, result: row.result, row };
}
