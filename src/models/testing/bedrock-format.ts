import { crc32 } from "node:zlib";
import { type FullAnswer, pieces } from "./script.ts";
import type { WireFormat } from "./wire-format.ts";

const reasons = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  "content-filter": "content_filtered",
} as const;

/** Amazon Bedrock's Converse, whose stream is binary. */
export const bedrockFormat: WireFormat = {
  name: "bedrock",
  path: /\/converse-stream$/,
  contentType: "application/vnd.amazon.eventstream",
  events(answer) {
    const { input, output, cacheRead, cacheWrite } = answer.usage;
    const usage = {
      inputTokens: input - cacheRead - cacheWrite,
      outputTokens: output,
      totalTokens: input + output,
      cacheReadInputTokens: cacheRead,
      cacheWriteInputTokens: cacheWrite,
    };
    return [
      frame("messageStart", { role: "assistant" }),
      ...blocks(answer).flatMap(({ start, deltas }, contentBlockIndex) => [
        ...(start ? [frame("contentBlockStart", { contentBlockIndex, start })] : []),
        ...deltas.map((delta) => frame("contentBlockDelta", { contentBlockIndex, delta })),
        frame("contentBlockStop", { contentBlockIndex }),
      ]),
      frame("messageStop", { stopReason: reasons[answer.finishReason] }),
      frame("metadata", { usage, metrics: { latencyMs: 1 } }),
    ];
  },
  error: (_, message) => ({ message }),
};

interface Block {
  readonly start?: object;
  readonly deltas: readonly object[];
}

function blocks({ reasoning, signature, text, calls }: FullAnswer): readonly Block[] {
  const thought = [
    ...pieces(reasoning).map((piece) => ({ reasoningContent: { text: piece } })),
    { reasoningContent: { signature: signature || "c2lnbmVk" } },
  ];
  return [
    ...(reasoning ? [{ deltas: thought }] : []),
    ...(text ? [{ deltas: pieces(text).map((piece) => ({ text: piece })) }] : []),
    ...calls.map((call) => ({
      start: { toolUse: { toolUseId: call.id, name: call.name } },
      deltas: pieces(call.text).map((piece) => ({ toolUse: { input: piece } })),
    })),
  ];
}

/** Lengths, their checksum, headers, payload, the checksum of all. */
function frame(type: string, payload: object): Buffer {
  const headers = Buffer.concat([
    header(":event-type", type),
    header(":content-type", "application/json"),
    header(":message-type", "event"),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const lengths = Buffer.concat([uint32(16 + headers.length + body.length), uint32(headers.length)]);
  const checked = Buffer.concat([lengths, uint32(crc32(lengths)), headers, body]);
  return Buffer.concat([checked, uint32(crc32(checked))]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
