/** What the command line says of hooks. */
export interface HookOptions {
  /** `--accept-hooks`: new shell hooks and project hooks are taken without a question. */
  readonly acceptHooks?: boolean;
  /** False (`--no-project-hooks`): hooks of the project never run. */
  readonly projectHooks?: boolean;
  /** `--settings`: a settings file, or JSON. */
  readonly settings?: string | undefined;
  /** Asks a person at the terminal; the answer as typed, undefined at the end of input. Absent: nobody can be asked. */
  readonly askPerson?: ((question: string, choices: readonly string[]) => Promise<string | undefined>) | undefined;
  /** Nothing but the hooks of this file, a settings file or a `config.yaml`; naming it is consent. */
  readonly only?: string | undefined;
  /** For lists and trials: consent is looked at, and neither asked for nor recorded. */
  readonly desk?: boolean;
}
