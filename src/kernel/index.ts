export { blueprint, groups } from "./blueprint.ts";
export type {
  Call,
  CallHandler,
  Entry,
  Handler,
  HookGroup,
  MaybePromise,
  Middleware,
  OnBehalf,
} from "./chain.ts";
export type { Ask, Dialect, Field, Fields, Row, Schema, Tell, Verdict, View, Wrap, Z } from "./event.ts";
export { ask, tell, wrap } from "./event.ts";
export type { CommandDecision, DispatchDecision } from "./events/gateway.ts";
export { isKernelError, KernelError, type KernelErrorCode } from "./failure.ts";
export {
  claimed,
  claimedText,
  collected,
  halted,
  joined,
  latest,
  strongest,
  threaded,
  threadedText,
  universal,
} from "./field.ts";
export type { Fire, FiringRecord, HandlerRecord, Layer, Plan, Ports } from "./kernel.ts";
export { createKernel } from "./kernel.ts";
export type { Answer, EventName, EventOf, Lifecycle, MethodEvents, Payload, Result } from "./lifecycle.ts";
export { lifecycle } from "./lifecycle.ts";
export type {
  AssistantMessage,
  ContentPart,
  Message,
  Reasoning,
  ToolCall,
  ToolMessage,
  Usage,
  UserMessage,
} from "./message.ts";
