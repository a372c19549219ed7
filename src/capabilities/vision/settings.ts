/** What looking at pictures needs. */
export interface VisionSettings {
  /** Addresses of this machine and of private networks may be fetched. */
  readonly allowPrivate: boolean;
  /** A model for pictures is configured (`auxiliary.vision`): it looks at them in place of the session's. */
  readonly asksAside: boolean;
}
