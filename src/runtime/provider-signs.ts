import { join } from "node:path";
import { exists, findProgram } from "#host";
import type { ProviderKind } from "#plugins";
import type { House } from "./house.ts";
import { programFolder } from "./plugins/program-folder.ts";

/** Whether a provider of a kind is likely, by what can be known without loading a plugin. */
export type ProviderSigns = (kind: ProviderKind) => boolean;

/**
 * What the bundled providers need, looked for as keys, programs and packages: each look is made when it is first asked
 * for (docs/guide/providers.md says what makes which tool appear).
 */
export async function providerSigns(house: House): Promise<ProviderSigns> {
  const { settings } = house.config;
  const { environment } = house;
  const hasProgram = (...names: readonly string[]): boolean =>
    names.some((name) => findProgram(name, environment) !== undefined);
  const hasKey = (...names: readonly string[]): boolean => names.some((name) => (environment[name] ?? "") !== "");
  const isBrowserThere =
    hasKey("CHROME", "CHROME_BIN") || hasProgram("chromium", "chromium-browser", "google-chrome", "chrome");
  const hasBrowser = isBrowserThere && (await hasBrowserPackage(house));
  const looks: Readonly<Record<ProviderKind, () => boolean>> = {
    web: () => true,
    image: () => settings["image_gen.provider"] !== undefined || hasKey("OPENAI_API_KEY"),
    video: () => false,
    tts: () =>
      settings["tts.provider"] !== undefined ||
      hasKey("VOICE_TOOLS_OPENAI_KEY", "OPENAI_API_KEY") ||
      hasProgram("espeak-ng", "espeak"),
    transcription: () => false,
    browser: () =>
      settings["browser.cloud_provider"] !== undefined || settings["browser.executable"] !== undefined || hasBrowser,
    memory: () => false,
  };
  const known = new Map<ProviderKind, boolean>();
  return (kind) => {
    const found = known.get(kind) ?? looks[kind]();
    known.set(kind, found);
    return found;
  };
}

async function hasBrowserPackage({ home }: House): Promise<boolean> {
  const program = programFolder();
  const folders = [join(home.path, "node_modules"), join(program, "node_modules"), join(program, "..")];
  const found = await Promise.all(
    folders.map((folder) => exists(join(folder, "playwright-core", "package.json")).catch(() => false)),
  );
  return found.includes(true);
}
