import { join } from "node:path";
import { ensureDirectory, exists, uuid, writeAtomic } from "#host";
import type { MadeFile } from "#plugins";

/** Folders of the home's cache, with the names that older homes of Hermes have for them. */
const folders = {
  images: ["cache/images", "image_cache"],
  audio: ["cache/audio", "audio_cache"],
  screenshots: ["cache/screenshots", "browser_screenshots"],
  web: ["cache/web", "cache/web"],
} as const;
export type CacheFolder = keyof typeof folders;

const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/jpg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/ogg": "ogg",
  "audio/opus": "ogg",
  "audio/flac": "flac",
  "audio/aac": "aac",
  "audio/mp4": "m4a",
  "text/markdown": "md",
};

/** The ending of a file's name for a media type, parameters left out; `bin` for one that is not known. */
export const extensionOf = (mediaType: string): string =>
  extensions[(mediaType.split(";", 1)[0] ?? "").trim().toLowerCase()] ?? "bin";

/** Twelve hexadecimal digits that no other file has. */
export const fileMark = (): string => uuid().replaceAll("-", "").slice(-12);

/** The absolute path of a new file in the home's cache; the folder is made. */
export async function cachePath(home: string, folder: CacheFolder, name: string): Promise<string> {
  const [usual, old] = folders[folder];
  const chosen = usual !== old && (await exists(join(home, old))) ? old : usual;
  await ensureDirectory(join(home, chosen), 0o700);
  return join(home, chosen, name);
}

/** Puts a file into the home's cache and gives its path. */
export async function cacheFile(
  home: string,
  place: { readonly folder: CacheFolder; readonly prefix: string },
  file: MadeFile,
): Promise<string> {
  const path = await cachePath(home, place.folder, `${place.prefix}_${fileMark()}.${extensionOf(file.mediaType)}`);
  await writeAtomic(path, file.bytes, { mode: 0o600 });
  return path;
}

export interface Shortened {
  readonly text: string;
  /** Where all of it is; absent where nothing was left out. */
  readonly path?: string;
}

/** The beginning of a long text, with a line that says where all of it is. */
export async function shortened(
  home: string,
  text: string,
  limits: { most: number; prefix: string },
): Promise<Shortened> {
  if (text.length <= limits.most) return { text };
  const end = text.lastIndexOf("\n", limits.most);
  const head = text.slice(0, end > limits.most * 0.8 ? end : limits.most);
  const facts = `${head.length} of ${text.length} characters are shown`;
  try {
    const path = await cachePath(home, "web", `${limits.prefix}_${fileMark()}.md`);
    await writeAtomic(path, text, { mode: 0o600 });
    return {
      text: `${head}\n\n[Cut: ${facts}. All of it is in ${path}; read the part you need with read_file.]`,
      path,
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { text: `${head}\n\n[Cut: ${facts}. The rest could not be kept: ${why}]` };
  }
}

const magic: readonly (readonly [mediaType: string, offset: number, bytes: readonly number[]])[] = [
  ["image/png", 0, [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", 0, [0xff, 0xd8, 0xff]],
  ["image/gif", 0, [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", 8, [0x57, 0x45, 0x42, 0x50]],
];

/** What kind of picture the bytes are, by their beginning; undefined when they are none that models can see. */
export const imageType = (bytes: Uint8Array): string | undefined =>
  magic.find(([, offset, mark]) => mark.every((byte, index) => bytes[offset + index] === byte))?.[0];
