/** What a hook's handler is: both words as they are, the context a copy of its own. It may be sync or async. */
export type GatewayHandler = (event: string, context: Readonly<Record<string, unknown>>) => unknown;

/** Brings the handlers of one language to life; rejects with an error whose message says what is wrong with the file. */
export type HandlerLoader = (hook: { readonly name: string; readonly handler: string }) => Promise<GatewayHandler>;

/** A handler in TypeScript or JavaScript: `handle`, exported by name or by default. */
export const moduleHandlers =
  (importModule: (file: string) => Promise<unknown>): HandlerLoader =>
  async ({ handler: file }) => {
    const module = (await importModule(file)) as { readonly handle?: unknown; readonly default?: unknown };
    const { default: whole } = module;
    const inner = typeof whole === "object" && whole !== null ? (whole as { readonly handle?: unknown }).handle : whole;
    const handle = [module.handle, inner].find((one) => typeof one === "function");
    if (handle === undefined) throw new NoHandle(file);
    return handle as GatewayHandler;
  };

/** The file was read and holds no function `handle`. */
export class NoHandle extends Error {
  override readonly name = "NoHandle";
  constructor(file: string) {
    super(`no 'handle' function found in ${file}`);
  }
}
