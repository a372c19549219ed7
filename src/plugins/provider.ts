import type { MaybePromise } from "#kernel";

/** What every provider has. `available` false or throwing: it is passed over, and `doctor` says why. */
export interface Provider {
  readonly name: string;
  readonly label?: string;
  /** What makes it available, in words: `set BRAVE_API_KEY`. Told where it was wanted and is not. */
  readonly setup?: string;
  /** No network and no long work: whether keys and programs are there. */
  available?(): MaybePromise<boolean>;
}

export interface WebResult {
  readonly title: string;
  readonly url: string;
  readonly description: string;
}
export interface WebPage {
  readonly url: string;
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  readonly error?: string;
}
/** Chosen by `web.search_backend`, `web.extract_backend`, else `web.backend`. At least one of the two methods. */
export interface WebSearchProvider extends Provider {
  search?(
    query: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly WebResult[]>;
  extract?(urls: readonly string[], options: { readonly signal: AbortSignal }): Promise<readonly WebPage[]>;
}

/** A file that a provider made; the host puts it into the home's cache. */
export interface MadeFile {
  readonly bytes: Uint8Array;
  /** Such as `image/png`. */
  readonly mediaType: string;
}

/** Chosen by `image_gen.provider`. */
export interface ImageGenProvider extends Provider {
  generate(request: {
    readonly prompt: string;
    /** `landscape`, `square` or `portrait`. */
    readonly aspectRatio: string;
    readonly model?: string;
    /** Images to start from. */
    readonly images?: readonly MadeFile[];
    readonly signal: AbortSignal;
  }): Promise<MadeFile | { readonly url: string } | { readonly path: string }>;
}

/** Chosen by `video_gen.provider`. */
export interface VideoGenProvider extends Provider {
  generate(request: {
    readonly prompt: string;
    readonly options: Readonly<Record<string, unknown>>;
    readonly signal: AbortSignal;
  }): Promise<MadeFile | { readonly url: string } | { readonly path: string }>;
}

/** Chosen by `tts.provider`. */
export interface TtsProvider extends Provider {
  /** Characters of one request; longer texts come in pieces, cut between sentences. */
  readonly longestText?: number;
  synthesize(request: {
    readonly text: string;
    readonly voice?: string;
    readonly model?: string;
    readonly speed?: number;
    readonly signal: AbortSignal;
  }): Promise<MadeFile>;
}

/** Chosen by `stt.provider`. */
export interface TranscriptionProvider extends Provider {
  transcribe(request: {
    /** Absolute path of an audio file. */
    readonly file: string;
    readonly model?: string;
    readonly language?: string;
    readonly signal: AbortSignal;
  }): Promise<{ readonly text: string; readonly language?: string }>;
}

/** One page of a browser, kept for one session. */
export interface BrowserPage {
  navigate(url: string, signal: AbortSignal): Promise<{ readonly url: string; readonly title: string }>;
  /** What a reader sees as a tree, with references such as `@e3` for things that can be used. */
  snapshot(options: { readonly full: boolean; readonly signal: AbortSignal }): Promise<string>;
  click(reference: string, signal: AbortSignal): Promise<void>;
  type(reference: string, text: string, signal: AbortSignal): Promise<void>;
  press(key: string, signal: AbortSignal): Promise<void>;
  scroll(direction: "up" | "down", signal: AbortSignal): Promise<void>;
  back(signal: AbortSignal): Promise<{ readonly url: string; readonly title: string }>;
  /** Messages of the console since the last look; an expression is evaluated in the page. */
  console(options: { readonly expression?: string; readonly clear: boolean; readonly signal: AbortSignal }): Promise<{
    readonly messages: readonly string[];
    readonly result?: unknown;
  }>;
  images(signal: AbortSignal): Promise<readonly { readonly src: string; readonly alt: string }[]>;
  screenshot(options: { readonly fullPage: boolean; readonly signal: AbortSignal }): Promise<MadeFile>;
  /** False once the page or its browser has ended, after which it is opened anew. */
  isOpen?(): boolean;
  close(): Promise<void>;
}
/** Chosen by `browser.cloud_provider`, else the local one. */
export interface BrowserProvider extends Provider {
  open(session: {
    readonly sessionId: string;
    readonly signal: AbortSignal;
    /** To be asked of each address that the page is about to load; a text says why it must not. */
    readonly refuses?: (url: string) => Promise<string | undefined>;
    /** A browser that runs already, by its address of the Chrome DevTools Protocol; only where `opensElsewhere`. */
    readonly endpoint?: string;
  }): Promise<BrowserPage>;
  /** `open` takes an `endpoint`: it opens pages of browsers that others provide. */
  readonly opensElsewhere?: boolean;
  /**
   * In place of `open`, for one that gives a browser but not its pages: an address of the Chrome DevTools Protocol. Its pages
   * are opened by a provider that `opensElsewhere`.
   */
  connect?(session: {
    readonly sessionId: string;
    readonly signal: AbortSignal;
  }): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** The model of a session, as a context engine is told. */
export interface EngineModel {
  readonly model: string;
  readonly provider: string;
  readonly contextLength: number;
  readonly baseUrl: string;
  readonly apiMode: string;
}

/** In place of the summary that makes room when the window fills; chosen by `context.engine`. Messages in OpenAI's chat form. */
export interface ContextEngine {
  readonly name: string;
  /** Before it is asked for the first time, and when the session's model has become another. */
  updateModel?(facts: EngineModel): MaybePromise<void>;
  updateFromResponse?(usage: Readonly<Record<string, number>>): MaybePromise<void>;
  shouldCompress(promptTokens: number, contextLength: number): MaybePromise<boolean>;
  compress(
    messages: readonly Readonly<Record<string, unknown>>[],
    options: { readonly currentTokens: number; readonly focusTopic?: string; readonly signal: AbortSignal },
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** False: `/compress` has nothing to do. */
  hasContentToCompress?(messages: readonly Readonly<Record<string, unknown>>[]): MaybePromise<boolean>;
  onSessionStart?(sessionId: string): MaybePromise<void>;
  onSessionEnd?(sessionId: string): MaybePromise<void>;
  /** A new session (`/new`) has taken the place of one. */
  onSessionReset?(): MaybePromise<void>;
  /** Tools for the model, each a schema with its name. */
  toolSchemas?(): readonly Readonly<Record<string, unknown>>[];
  handleToolCall?(name: string, args: Readonly<Record<string, unknown>>): MaybePromise<unknown>;
}

/** Long-term memory; chosen by `memory.provider`. At most one is active. */
export interface MemoryProvider extends Provider {
  initialize(sessionId: string, options: Readonly<Record<string, unknown>>): MaybePromise<void>;
  systemPromptBlock?(): MaybePromise<string>;
  prefetch?(query: string, options: { readonly sessionId: string }): MaybePromise<string>;
  /** Behind a turn, when it was handed over: what the next one may ask for can be made ready. Nobody waits for it. */
  queuePrefetch?(query: string, options: { readonly sessionId: string }): MaybePromise<void>;
  /** After a turn. `messages`: the whole conversation, in OpenAI's chat form. Nobody waits for it. */
  syncTurn?(
    user: string,
    assistant: string,
    options: { readonly sessionId: string; readonly messages: readonly Readonly<Record<string, unknown>>[] },
  ): MaybePromise<void>;
  /** Before `prefetch`; turns are counted from 1 in each session of this process. */
  onTurnStart?(turnNumber: number, message: string, options: { readonly sessionId: string }): MaybePromise<void>;
  /** A new session has taken the place of another. */
  onSessionSwitch?(
    sessionId: string,
    options: { readonly parentSessionId: string; readonly reset: boolean; readonly rewound: boolean },
  ): MaybePromise<void>;
  /** A sub-agent has ended. Nobody waits for it. */
  onDelegation?(task: string, result: string, options: { readonly childSessionId: string }): MaybePromise<void>;
  toolSchemas(): readonly Readonly<Record<string, unknown>>[];
  handleToolCall?(name: string, args: Readonly<Record<string, unknown>>): MaybePromise<unknown>;
  /** `messages`: the whole conversation as of the last answer. */
  onSessionEnd?(
    sessionId: string,
    options: { readonly messages: readonly Readonly<Record<string, unknown>>[] },
  ): MaybePromise<void>;
  shutdown?(): MaybePromise<void>;
}

/** Providers by the kind of registration. */
export interface Providers {
  readonly web: WebSearchProvider;
  readonly image: ImageGenProvider;
  readonly video: VideoGenProvider;
  readonly tts: TtsProvider;
  readonly transcription: TranscriptionProvider;
  readonly browser: BrowserProvider;
  readonly memory: MemoryProvider;
}
export type ProviderKind = keyof Providers;
