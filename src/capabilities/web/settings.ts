/** Pages that one call may ask for. */
export const mostPages = 5;

/** What `web:` and its neighbours in config.yaml say. */
export interface WebSettings {
  readonly home: string;
  readonly searchBackend: string | undefined;
  readonly extractBackend: string | undefined;
  /** For both, where the one above is absent. */
  readonly backend: string | undefined;
  /** Characters of one page that the model sees. */
  readonly pageCharacters: number;
  /** Addresses of this machine and of private networks may be read. */
  readonly allowPrivate: boolean;
  /** Long pages are summarised by the model that `auxiliary.web_extract` names; false where it names none. */
  readonly summarises: boolean;
}
