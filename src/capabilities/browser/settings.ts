/** What `browser:` in config.yaml says. */
export interface BrowserSettings {
  readonly home: string;
  readonly provider: string | undefined;
  /** Addresses of private networks may be opened; those of this machine always may. */
  readonly allowPrivate: boolean;
  /** Seconds without a call after which a session's page is closed. */
  readonly idleSeconds: number;
}
