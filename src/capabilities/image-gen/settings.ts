/** What `image_gen:` in config.yaml says. */
export interface ImageGenSettings {
  readonly home: string;
  readonly provider: string | undefined;
  /** `image_gen.<provider>.model`, else `image_gen.model`. */
  readonly modelOf: (provider: string) => string | undefined;
}
