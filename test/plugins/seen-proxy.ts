import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { folder } from "../program-fixture.ts";

export interface SeenRequest {
  readonly host: string;
  readonly path: string;
  readonly body: unknown;
}

/** A proxy in whose place the whole world stands: what is asked of any host is noted and answered here. */
export interface SeenProxy {
  readonly requests: readonly SeenRequest[];
  /** For the program whose requests are to come here, the model's server on this machine left out. */
  readonly environment: Readonly<Record<string, string>>;
}

/** `answer` is what every request gets, as JSON. */
export async function seenProxy(answer: (request: SeenRequest) => object): Promise<SeenProxy> {
  const place = folder("talaria-proxy-");
  const [key, certificate] = [join(place, "key.pem"), join(place, "certificate.pem")];
  const names = "subjectAltName=DNS:*.example.com,DNS:*.telegram.org,DNS:api.telegram.org";
  const words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=world".split(" ");
  execFileSync("openssl", [...words, "-addext", names, "-keyout", key, "-out", certificate], { stdio: "pipe" });
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const world = createTlsServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    async (request, response) => {
      const text = await bodyOf(request);
      const seen = { host: request.headers.host ?? "", path: request.url ?? "", body: JSON.parse(text || "null") };
      requests.push(seen);
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer(seen)));
    },
  );
  const port = await listening(world);
  const proxy = createServer((_request, response) => response.writeHead(502).end());
  proxy.on("connect", (_request, client: Socket, head: Buffer) => {
    const through = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      through.write(head);
      through.pipe(client).pipe(through);
    });
    for (const socket of [client, through]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
  });
  const url = `http://127.0.0.1:${await listening(proxy)}`;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    world.close();
    proxy.close();
  });
  const hosts = { NO_PROXY: "127.0.0.1,localhost", no_proxy: "127.0.0.1,localhost" };
  return { requests, environment: { HTTPS_PROXY: url, HTTP_PROXY: url, SSL_CERT_FILE: certificate, ...hosts } };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece;
  return text;
}

const listening = (server: { listen(port: number, host: string, done: () => void): unknown; address(): unknown }) =>
  new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
