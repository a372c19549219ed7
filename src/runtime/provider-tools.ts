import type { TurnContext } from "#agent";
import {
  browser,
  imageGen,
  type ProviderSource,
  type SpeechSettings,
  speech,
  type Transcription,
  transcription,
  vision,
  web,
} from "#capabilities";
import type { Layer } from "#kernel";
import type { ProviderKind, Providers, Registry } from "#plugins";
import type { House } from "./house.ts";
import type { PluginDesk } from "./plugins.ts";
import { type ProviderSigns, providerSigns } from "./provider-signs.ts";

export interface ProviderTools {
  /** What is said in an audio file. Rejects only with the signal's reason. */
  transcribe(file: string, signal: AbortSignal): Promise<Transcription>;
}

type PluginRoom = Pick<PluginDesk, "open" | "current">;

/** Puts the tools over providers into their slots. Nothing of a plugin is loaded before one of them is used. */
export async function providerTools(
  layer: Layer<TurnContext>,
  house: House,
  plugins: PluginRoom,
): Promise<ProviderTools> {
  const source = providerSource(house, plugins, await providerSigns(house));
  const { settings } = house.config;
  const home = house.home.path;
  const allowPrivate = settings["security.allow_private_urls"];
  const speechSettings = speechSettingsOf(house);
  layer.add(
    web(
      {
        home,
        backend: settings["web.backend"],
        searchBackend: settings["web.search_backend"],
        extractBackend: settings["web.extract_backend"],
        pageCharacters: settings["web.extract_char_limit"],
        allowPrivate,
        summarises: namesModel(sectionOf(house, "auxiliary", "web_extract")),
      },
      source,
    ),
  );
  layer.add(
    browser(
      {
        home,
        provider: settings["browser.cloud_provider"],
        allowPrivate: allowPrivate || settings["browser.allow_private_urls"],
        idleSeconds: settings["browser.inactivity_timeout"],
      },
      source,
    ),
  );
  layer.add(vision({ allowPrivate, asksAside: namesModel(sectionOf(house, "auxiliary", "vision")) }));
  const modelOf = (provider: string): string | undefined =>
    textOf(sectionOf(house, "image_gen", provider)["model"]) ?? settings["image_gen.model"];
  layer.add(imageGen({ home, provider: settings["image_gen.provider"], modelOf }, source));
  layer.add(speech(speechSettings, source));
  return {
    async transcribe(file, signal) {
      const { transcribe } = await transcription();
      return transcribe(file, { settings: speechSettings, source, signal });
    },
  };
}

function providerSource(house: House, plugins: PluginRoom, signs: ProviderSigns): ProviderSource {
  return {
    mayHave: (kind) => signs(kind) || providersIn(plugins.current()?.registry, kind).length > 0,
    async providers(kind) {
      const room = await plugins.open();
      await room.need(kind);
      return providersIn(room.registry, kind);
    },
    warn: (message) => house.log.warning(message),
  };
}

function providersIn<K extends ProviderKind>(registry: Registry | undefined, kind: K): readonly Providers[K][] {
  const all = registry?.of("provider") ?? [];
  // Which kind it is says which provider it is, which the compiler cannot follow through a type parameter.
  return all.flatMap(({ value }) => (value.kind === kind ? [value.provider as Providers[K]] : []));
}

function speechSettingsOf(house: House): SpeechSettings {
  const { settings } = house.config;
  return {
    home: house.home.path,
    speechProvider: settings["tts.provider"],
    transcriptionProvider: settings["stt.provider"],
    voiceOf(provider) {
      const own = sectionOf(house, "tts", provider);
      return defined({
        voice: textOf(own["voice"]) ?? settings["tts.voice"],
        model: textOf(own["model"]),
        speed: typeof own["speed"] === "number" ? own["speed"] : settings["tts.speed"],
      });
    },
    listenerOf(provider) {
      const own = sectionOf(house, "stt", provider);
      return defined({ model: textOf(own["model"]), language: textOf(own["language"]) });
    },
  };
}

type Mapping = Readonly<Record<string, unknown>>;

const mappingOf = (value: unknown): Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Mapping) : {};

/** `<section>.<name>` of the configuration, where it is a mapping. */
const sectionOf = ({ config }: House, section: string, name: string): Mapping =>
  mappingOf(mappingOf(config.values[section])[name]);

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

/** Whether a section of `auxiliary` names a model of its own. */
const namesModel = (section: Mapping): boolean =>
  ["model", "base_url"].some((key) => textOf(section[key]) !== undefined) ||
  ![undefined, "auto", "main"].includes(textOf(section["provider"]));

function defined<T extends object>(values: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
