import type { Ask, Field, Of, Schema, Tell, Wrap } from "./event.ts";
import { gatewayEvents } from "./events/gateway.ts";
import { modelEvents } from "./events/model.ts";
import { permissionEvents } from "./events/permission.ts";
import { sessionEvents } from "./events/session.ts";
import { subagentEvents } from "./events/subagent.ts";
import { toolEvents } from "./events/tool.ts";
import { turnEvents } from "./events/turn.ts";
import { workspaceEvents } from "./events/workspace.ts";

// biome-ignore lint/suspicious/noExplicitAny: the constraint of a heterogeneous table
type AnyRow = Tell<any, any> | Ask<any, any, any> | Wrap<any, any, any>;

/** The one table of lifecycle events: nothing else lists them. */
export const lifecycle = {
  ...sessionEvents,
  ...turnEvents,
  ...modelEvents,
  ...toolEvents,
  ...permissionEvents,
  ...subagentEvents,
  ...workspaceEvents,
  ...gatewayEvents,
} as const satisfies Record<string, AnyRow>;

export type Lifecycle = typeof lifecycle;
export type EventName = keyof Lifecycle;
export type EventOf<S extends string> = {
  [E in EventName]: Lifecycle[E] extends { strategy: S } ? E : never;
}[EventName];
export type Payload<E extends EventName> = Lifecycle[E] extends { payload: infer S extends Schema }
  ? Readonly<Of<S>>
  : never;
export type Answer<E extends EventName> = Lifecycle[E] extends { answer: infer A }
  ? // biome-ignore lint/suspicious/noExplicitAny: the threaded key is of no interest here
    { readonly [K in keyof A]?: A[K] extends Field<infer T, any> ? T : never }
  : void;
export type Result<E extends EventName> = Lifecycle[E] extends { result: infer R extends Schema } ? Of<R> : never;
export type MethodEvents = {
  [E in EventName as Lifecycle[E] extends { method: infer M extends string } ? M : never]: E;
};
