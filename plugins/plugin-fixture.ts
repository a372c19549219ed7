import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProviderKind, Providers } from "#plugins";
import { createRuntime, type Runtime } from "#runtime";

/** The program's own plugins in a home of their own, loaded as the program loads them. */
export interface PluginFixture {
  readonly home: string;
  readonly runtime: Runtime;
  provider<K extends ProviderKind>(kind: K, name: string): Promise<Providers[K]>;
  /** Loads a plugin; gives its hooks by name, and its slash command. */
  enable(key: string): Promise<{
    readonly hooks: Readonly<Record<string, (payload: Readonly<Record<string, unknown>>) => Promise<unknown>>>;
    readonly command: (args: string) => Promise<string>;
  }>;
  close(): Promise<void>;
}

export async function pluginFixture(
  config: object = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<PluginFixture> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "talaria-plugin-")));
  await writeFile(join(home, "config.yaml"), JSON.stringify(config));
  const whole = { PATH: process.env["PATH"] ?? "", HOME: home, ...environment };
  const runtime = await createRuntime({ home, cwd: home, environment: whole, version: "test" });
  return {
    home,
    runtime,
    async provider(kind, name) {
      const plugins = await runtime.plugins();
      await plugins.need(kind);
      const found = plugins.registry
        .of("provider")
        .find(({ value }) => value.kind === kind && value.provider.name === name);
      if (found === undefined) throw new Error(`no provider ${name}: ${JSON.stringify(plugins.list())}`);
      return found.value.provider as never;
    },
    async enable(key) {
      const plugins = await runtime.plugins();
      const { error } = await plugins.enable(key);
      if (error) throw new Error(error);
      const mine = plugins.registry.ownedBy(key);
      const moment = { sessionId: "s-1", cwd: home, platform: "cli", signal: new AbortController().signal };
      const hooks = mine.flatMap((each) => (each.kind === "hook" ? [each.value as never] : [])) as readonly {
        readonly name: string;
        readonly callback: (payload: object, moment: object) => unknown;
      }[];
      const command = mine.find(({ kind }) => kind === "command")?.value as
        | { handler(args: string): string }
        | undefined;
      return {
        hooks: Object.fromEntries(
          hooks.map(({ name, callback }) => [name, async (payload) => callback(payload, moment)]),
        ),
        command: async (args) => command?.handler(args) ?? "",
      };
    },
    async close() {
      await runtime.close("tested");
      await rm(home, { recursive: true, force: true });
    },
  };
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** A service on loopback that answers as told, and remembers what it was asked. */
export async function serviceFixture(
  answer: (asked: Asked) => { readonly status?: number; readonly type?: string; readonly body: string | Buffer },
) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks),
    };
    asked.push(one);
    const { status = 200, type = "application/json", body } = answer(one);
    response.writeHead(status, { "content-type": type }).end(body);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
