/** What `tts.<provider>` says, with `tts` itself beneath. */
export interface VoiceSettings {
  readonly voice?: string;
  readonly model?: string;
  readonly speed?: number;
}

/** What `tts:` and `stt:` in config.yaml say. */
export interface SpeechSettings {
  readonly home: string;
  readonly speechProvider: string | undefined;
  readonly voiceOf: (provider: string) => VoiceSettings;
  readonly transcriptionProvider: string | undefined;
  readonly listenerOf: (provider: string) => { readonly model?: string; readonly language?: string };
}
