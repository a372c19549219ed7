import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** The full path of a program on the PATH. */
export async function programOnPath(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  for (const folder of (environment["PATH"] ?? "").split(delimiter).filter((each) => each !== "")) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

/** Words in a minute at speed 1. */
const usualPace = 175;
const mostBytes = 256 << 20;

export interface Utterance {
  readonly text: string;
  /** Empty: the program's own. */
  readonly voice: string;
  readonly speed?: number;
  readonly signal: AbortSignal;
}

/** What the program says, as a WAV file. */
export async function speech(program: string, { text, voice, speed = 1, signal }: Utterance): Promise<Uint8Array> {
  if (voice.startsWith("-")) throw new Error(`there is no voice ${voice}`);
  const pace = String(Math.min(450, Math.max(80, Math.round(usualPace * speed))));
  const options = ["--stdout", "--stdin", "-b", "1", "-s", pace, ...(voice === "" ? [] : ["-v", voice])];
  const child = spawn(program, options, { stdio: ["pipe", "pipe", "pipe"], signal });
  const sound: Buffer[] = [];
  let bytes = 0;
  let complaint = "";
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBytes) child.kill("SIGKILL");
    else sound.push(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(0, 1_000);
  });
  child.stdin.on("error", () => undefined); // it has ended already; its status tells why
  child.stdin.end(text);
  const status = await new Promise<number | string | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, by) => resolve(code ?? by));
  });
  if (status !== 0)
    throw new Error(`${program} ended with ${status}${complaint === "" ? "" : `: ${complaint.trim()}`}`);
  if (bytes <= 44) throw new Error(`${program} made no sound of the text`);
  return withLengths(Buffer.concat(sound));
}

/** Into a pipe the program writes lengths that are too large, since it does not know them yet. */
function withLengths(file: Buffer): Buffer {
  const data = file.indexOf("data", 12, "latin1");
  if (file.toString("latin1", 0, 4) !== "RIFF" || data < 0) throw new Error("it wrote no WAV file");
  file.writeUInt32LE(file.length - 8, 4);
  file.writeUInt32LE(file.length - data - 8, data + 4);
  return file;
}
