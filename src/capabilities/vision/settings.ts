/** What looking at pictures needs. */
export interface VisionSettings {
  /** Addresses of this machine and of private networks may be fetched. */
  readonly allowPrivate: boolean;
}
