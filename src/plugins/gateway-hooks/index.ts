export {
  type GatewayEvent,
  type GatewayHookPorts,
  type GatewayHooks,
  gatewayHooks,
  type HandlerRun,
} from "./gateway-hooks.ts";
export { type GatewayHandler, type HandlerLoader, moduleHandlers, NoHandle } from "./handler.ts";
export type { FoundHook } from "./hook-folder.ts";
