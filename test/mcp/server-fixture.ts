// A real MCP server for tests. How it behaves is its first word; `http` prints its address when it listens.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [, , behaviour = "good", ...words] = process.argv;
const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Asked = Parameters<McpServer["server"]["elicitInput"]>[0];
const questions: Readonly<Record<string, Asked>> = {
  form: {
    message: "Which project?",
    requestedSchema: {
      type: "object",
      properties: {
        project: { type: "string", enum: ["web", "cli"] },
        urgent: { type: "boolean" },
        count: { type: "integer" },
        note: { type: "string" },
      },
      required: ["project", "count"],
    },
  },
  consent: { message: "Shall I?", requestedSchema: { type: "object", properties: {} } },
  page: { mode: "url", message: "Please log in", url: "https://login.example.org/", elicitationId: "e-1" },
};

const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

function server(): McpServer {
  const made = new McpServer({ name: "fixture", version: "1.0.0" });
  made.registerTool(
    "add-up",
    { description: "Adds two numbers.", inputSchema: z.object({ a: z.number(), b: z.number().describe("the other") }) },
    ({ a, b }) => text(`the sum is ${a + b}`),
  );
  made.registerTool("fail", { description: "Fails." }, () => ({ ...text("no luck"), isError: true }));
  made.registerTool("picture", { description: "Shows." }, () => ({
    content: [
      { type: "text" as const, text: "one" },
      { type: "image" as const, data: pixel, mimeType: "image/png" },
      { type: "text" as const, text: "two" },
    ],
  }));
  made.registerTool("die", { description: "Ends the server." }, () => process.exit(7));
  made.registerTool("hang", { description: "Never answers." }, () => new Promise<never>(() => undefined));
  made.registerTool("flood", { description: "Says much.", inputSchema: z.object({ megabytes: z.number() }) }, (given) =>
    text("x".repeat(given.megabytes * 1_000_000)),
  );
  made.registerTool("variables", { description: "Its environment." }, () =>
    text(JSON.stringify({ ...process.env, cwd: process.cwd() })),
  );
  made.registerTool("forget", { description: "Forgets all sessions." }, () => {
    sessions.clear();
    return text("forgotten");
  });
  made.registerTool("late", { description: "Offers another tool." }, () => {
    made.registerTool("newcomer", { description: "Came later." }, () => text("here I am"));
    return text("done");
  });
  made.registerTool(
    "asks",
    { description: "Asks the person.", inputSchema: z.object({ what: z.string() }) },
    async (given) => {
      const asked = questions[given.what];
      if (asked === undefined) return text("no such question");
      return text(`told ${JSON.stringify(await made.server.elicitInput(asked))}`);
    },
  );
  made.registerResource("readme", "docs://readme", { description: "What it is." }, (uri) => ({
    contents: [{ uri: uri.href, text: "read me first" }],
  }));
  made.registerPrompt(
    "review-code",
    {
      description: "Reviews a file.",
      argsSchema: z.object({ file: z.string(), focus: z.string().optional() }),
    },
    ({ file, focus }) => ({
      messages: [
        {
          role: "user" as const,
          content: { type: "text" as const, text: `Review ${file} for ${focus ?? "anything"}.` },
        },
      ],
    }),
  );
  made.registerTool(
    "judge",
    { description: "Judges.", inputSchema: z.object({ command: z.string() }) },
    ({ command }) =>
      text(
        command.includes("rm")
          ? JSON.stringify({
              hookSpecificOutput: {
                hookEventName: "PreToolUse",
                permissionDecision: "deny",
                permissionDecisionReason: `the judge says no to ${command}`,
              },
            })
          : "{}",
      ),
  );
  return made;
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const method = incoming.method ?? "GET";
  return new Request(`http://127.0.0.1${incoming.url}`, { method, headers, ...(method === "POST" ? { body } : {}) });
}

async function newSession(): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await server().connect(transport);
  return transport;
}

async function answerOf(incoming: IncomingMessage): Promise<Response> {
  const { authorization } = incoming.headers;
  if (words[0] !== undefined && authorization !== words[0]) return new Response("who are you?", { status: 401 });
  const request = await requestOf(incoming);
  const id = request.headers.get("mcp-session-id");
  if (id !== null && !sessions.has(id)) return new Response("no such session", { status: 404 });
  const transport = (id === null ? undefined : sessions.get(id)) ?? (await newSession());
  return transport.handleRequest(request);
}

function listen(): void {
  const web = createServer(async (incoming, response) => {
    const answer = await answerOf(incoming);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  web.listen(0, "127.0.0.1", () => {
    const address = web.address();
    if (address !== null && typeof address === "object") process.stdout.write(`http://127.0.0.1:${address.port}/mcp\n`);
  });
}

const speak = () => server().connect(new StdioServerTransport());
const behaviours: Readonly<Record<string, () => unknown>> = {
  good: speak,
  http: listen,
  silent: () => process.stdin.resume(),
  ends: () => {
    process.stderr.write("something is missing\n");
    process.exit(3);
  },
  garbage: () => {
    process.stdout.write('Starting up…\n{"hello": 1}\n{broken\n\u0000\ufffd\n[1,2]\n');
    setInterval(() => process.stdout.write("still here\n{}\n"), 5);
    return speak();
  },
  floods: () => {
    const more = () => {
      while (process.stdout.write("x".repeat(65_536)));
      process.stdout.once("drain", more);
    };
    process.stdin.resume();
    more();
  },
  chatters: () => {
    const more = () => {
      while (process.stdout.write("no message\n".repeat(6000)));
      process.stdout.once("drain", more);
    };
    process.stdin.resume();
    more();
  },
  family: () => {
    const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
    writeFileSync(words[0] ?? "", JSON.stringify([process.pid, child.pid]));
    process.on("SIGTERM", () => undefined);
    return speak();
  },
};
await behaviours[behaviour]?.();
