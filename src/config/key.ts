/** What a value of a key must look like. `choice` compares without case. */
export type Shape =
  | { readonly kind: "text" }
  /** Empty, or a name that the machine knows. */
  | { readonly kind: "time zone" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "integer"; readonly min?: number; readonly max?: number }
  | { readonly kind: "number"; readonly min?: number; readonly max?: number }
  | { readonly kind: "switch" }
  | { readonly kind: "texts" }
  | { readonly kind: "mapping" }
  | { readonly kind: "list" }
  | { readonly kind: "anything" };

/** One row of the table of keys: everything that is known about a setting. */
export interface Key<T = unknown> {
  readonly shape: Shape;
  readonly default: T;
  readonly about: string;
  /** Set by the environment variable `TALARIA_<variable>`, else `HERMES_<variable>`; wins over the file. */
  readonly variable?: string;
  /** Environment variables of other makers, by full name; asked after `variable`. */
  readonly foreignVariables?: readonly string[];
  /** Other places in the file where older configurations keep the value. */
  readonly aliases?: readonly string[];
  /** How YAML's true and false are read where a word was meant: `mode: off` is false. */
  readonly words?: { readonly true?: T; readonly false?: T };
  /** Never shown in clear. */
  readonly secret?: true;
}

type Facts<T> = Omit<Key<T>, "shape" | "default" | "about">;
type Bounds = { readonly min?: number; readonly max?: number };

const boundsOf = ({ min, max }: Bounds): Bounds => ({
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
});

export const text = (fallback: string, about: string, facts: Facts<string> = {}): Key<string> => ({
  shape: { kind: "text" },
  default: fallback,
  about,
  ...facts,
});

export const optionalText = (about: string, facts: Facts<string | undefined> = {}): Key<string | undefined> => ({
  shape: { kind: "text" },
  default: undefined,
  about,
  ...facts,
});

export const choice = <const C extends readonly string[]>(
  choices: C,
  fallback: C[number],
  about: string,
  facts: Facts<C[number]> = {},
): Key<C[number]> => ({ shape: { kind: "choice", choices }, default: fallback, about, ...facts });

export const integer = (fallback: number, about: string, facts: Facts<number> & Bounds = {}): Key<number> => {
  const { min, max, ...rest } = facts;
  return { shape: { kind: "integer", ...boundsOf({ ...facts }) }, default: fallback, about, ...rest };
};

export const optionalInteger = (
  about: string,
  facts: Facts<number | undefined> & Bounds = {},
): Key<number | undefined> => {
  const { min, max, ...rest } = facts;
  return { shape: { kind: "integer", ...boundsOf({ ...facts }) }, default: undefined, about, ...rest };
};

export const number = (fallback: number, about: string, facts: Facts<number> & Bounds = {}): Key<number> => {
  const { min, max, ...rest } = facts;
  return { shape: { kind: "number", ...boundsOf({ ...facts }) }, default: fallback, about, ...rest };
};

export const optionalNumber = (
  about: string,
  facts: Facts<number | undefined> & Bounds = {},
): Key<number | undefined> => {
  const { min, max, ...rest } = facts;
  return { shape: { kind: "number", ...boundsOf({ ...facts }) }, default: undefined, about, ...rest };
};

export const onOff = (fallback: boolean, about: string, facts: Facts<boolean> = {}): Key<boolean> => ({
  shape: { kind: "switch" },
  default: fallback,
  about,
  ...facts,
});

export const texts = (
  fallback: readonly string[],
  about: string,
  facts: Facts<readonly string[]> = {},
): Key<readonly string[]> => ({ shape: { kind: "texts" }, default: fallback, about, ...facts });

export const timeZone = (about: string, facts: Facts<string> = {}): Key<string> => ({
  shape: { kind: "time zone" },
  default: "",
  about,
  ...facts,
});

export type Mapping = Readonly<Record<string, unknown>>;

export const mapping = (about: string, facts: Facts<Mapping> = {}): Key<Mapping> => ({
  shape: { kind: "mapping" },
  default: {},
  about,
  ...facts,
});

export const list = (about: string, facts: Facts<readonly unknown[]> = {}): Key<readonly unknown[]> => ({
  shape: { kind: "list" },
  default: [],
  about,
  ...facts,
});
