import { appendFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const log = fileURLToPath(new URL("activity.log", import.meta.url));

export async function handle(event: string, context: Readonly<Record<string, unknown>>): Promise<void> {
  await appendFile(log, `${JSON.stringify({ at: new Date().toISOString(), event, ...context })}\n`);
}
