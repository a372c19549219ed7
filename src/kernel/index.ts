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
export { encodeClaude, matchTarget, type Surroundings, type Target, takesMatcher } from "./codec/claude.ts";
export { decodeCommand, decodeHttp, decodeJudgement, decodeToolText } from "./codec/claude-output.ts";
export { decodeGateway, encodeGateway, gatewayNames, subscribed } from "./codec/gateway.ts";
export { decodeNative, decodePython, encodePython, nativeView } from "./codec/python.ts";
export {
  type AnyRow,
  type AnyView,
  allows,
  type Decoded,
  eventNames,
  named,
  namesOf,
  type Question,
  rows,
  viewFor,
  viewsOf,
} from "./codec/question.ts";
export { decodeShell, encodeShell, json, type Output, type ShellPayload } from "./codec/shell.ts";
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
export { createKernel } from "./layer.ts";
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
export type { Args, Lens, Place } from "./tools/lens.ts";
export { errorText, replacedResult, toolResponse } from "./tools/output.ts";
export { ownArgs, ownToolNames, type SeenCall, seenCall, type Translation, translations } from "./tools/translation.ts";
