import { type GatewayHandler, type HandlerLoader, NoHandle } from "../gateway-hooks/index.ts";
import type { HostLife } from "./host-life.ts";
import { PythonError } from "./messages.ts";
import { operation, type PythonHost } from "./python-host.ts";

/**
 * Gateway handlers in Python. Each is a top-level module `hermes_hook_<name>`, as in Hermes; of two with one name the later
 * one's module is found under it, and both go on answering. The process, and with it threads and tasks, lives on.
 */
export function pythonHandlers(host: PythonHost): HandlerLoader {
  return async ({ name, handler: path }) => {
    let number = await loaded((message) => host.call(message), { path, name });
    host.reside({
      name: `the hook ${name}`,
      async bring(life: HostLife) {
        number = await loaded((message) => life.call(message), { path, name });
      },
    });
    const handle: GatewayHandler = (event, context) =>
      host.call(`"f":${number},"a":[${JSON.stringify(event)},${JSON.stringify(context)}]`);
    return handle;
  };
}

async function loaded(
  call: (message: string) => Promise<unknown>,
  handler: { readonly path: string; readonly name: string },
): Promise<number> {
  try {
    return (await call(operation("handler", handler))) as number;
  } catch (error) {
    if (error instanceof PythonError && error.message.endsWith("has no function `handle`"))
      throw new NoHandle(handler.path);
    throw error;
  }
}
