import type { Ask, Field, Of, Schema, Tell, Wrap } from "./event.ts";

// biome-ignore lint/suspicious/noExplicitAny: the constraint of a heterogeneous table
type AnyRow = Tell<any, any> | Ask<any, any, any> | Wrap<any, any, any>;

export const lifecycle = {} as const satisfies Record<string, AnyRow>;

export type Lifecycle = typeof lifecycle;
export type EventName = keyof Lifecycle;
export type EventOf<S extends string> = {
  [E in EventName]: Lifecycle[E] extends { strategy: S } ? E : never;
}[EventName];
export type Payload<E extends EventName> = Lifecycle[E] extends { payload: infer S extends Schema }
  ? Readonly<Of<S>>
  : never;
export type Answer<E extends EventName> = Lifecycle[E] extends { answer: infer A }
  ? { readonly [K in keyof A]?: A[K] extends Field<infer T, never> ? T : never }
  : void;
export type Result<E extends EventName> = Lifecycle[E] extends { result: infer R extends Schema } ? Of<R> : never;
export type MethodEvents = {
  [E in EventName as Lifecycle[E] extends { method: infer M extends string } ? M : never]: E;
};
