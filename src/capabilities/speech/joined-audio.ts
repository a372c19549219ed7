import type { MadeFile } from "#plugins";

/**
 * Pieces of one speech as one file where the format allows it: MP3 and Ogg by putting them after one another, WAV by a
 * common head. Others stay as they are, in order.
 */
export function joinedAudio(audio: readonly MadeFile[]): readonly MadeFile[] {
  const [first] = audio;
  if (first === undefined || audio.length === 1) return audio;
  const { mediaType } = first;
  if (audio.some((piece) => piece.mediaType !== mediaType)) return audio;
  if (/mpeg|mp3|ogg|opus/.test(mediaType))
    return [{ mediaType, bytes: Buffer.concat(audio.map(({ bytes }) => bytes)) }];
  if (!mediaType.includes("wav")) return audio;
  const waves = audio.map(({ bytes }) => wave(bytes));
  const head = waves[0]?.format;
  if (head === undefined || waves.some((each) => each === undefined || !each.format.equals(head))) return audio;
  return [{ mediaType, bytes: waveFile(head, Buffer.concat(waves.map((each) => each?.samples ?? Buffer.alloc(0)))) }];
}

interface Wave {
  /** The `fmt ` chunk's content. */
  readonly format: Buffer;
  readonly samples: Buffer;
}

/** The parts of a WAV file; undefined when it is none. A length that programs write into a pipe (all ones) means: to the end. */
function wave(bytes: Uint8Array): Wave | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.toString("latin1", 0, 4) !== "RIFF" || file.toString("latin1", 8, 12) !== "WAVE") return undefined;
  let format: Buffer | undefined;
  for (let at = 12; at + 8 <= file.length; ) {
    const name = file.toString("latin1", at, at + 4);
    const length = file.readUInt32LE(at + 4);
    const content = file.subarray(at + 8, Math.min(file.length, at + 8 + length));
    if (name === "fmt ") format = content;
    if (name === "data") return format === undefined ? undefined : { format, samples: content };
    at += 8 + length + (length % 2);
  }
  return undefined;
}

function waveFile(format: Buffer, samples: Buffer): Buffer {
  const chunk = (name: string, content: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.write(name, "latin1");
    head.writeUInt32LE(content.length, 4);
    return Buffer.concat([head, content]);
  };
  const inner = Buffer.concat([Buffer.from("WAVE"), chunk("fmt ", format), chunk("data", samples)]);
  return chunk("RIFF", inner);
}
