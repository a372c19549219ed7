import type { Session, Surface, TurnResult } from "#agent";
import type { Runtime } from "#runtime";

/** How a line typed while a turn runs is taken: stop and take it instead, wait, or slip it to the model as a note. */
export type BusyMode = "interrupt" | "queue" | "steer";

export interface ConversationOptions {
  readonly runtime: Runtime;
  readonly surface: Surface;
  readonly cwd: string;
  readonly busyMode: BusyMode;
  readonly model?: string;
  readonly resume?: string;
}

/**
 * The doings of a chat, without a view: which session is open, which turn runs, what waits.
 * A view hands it lines and shows what the surface is told.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #waiting: string[] = [];
  #running: Promise<TurnResult> | undefined;
  #session: Session | undefined;
  #resume: string | undefined;
  #hasTurns = false;
  model: string | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#resume = options.resume;
    this.model = options.model;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  /** Something was said in the open session, here or before it was resumed. */
  get hasTurns(): boolean {
    return this.#hasTurns;
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** The session, opened on first use. Rejects when the session to resume is unknown. */
  async open(): Promise<Session> {
    if (this.#session) return this.#session;
    const { runtime, cwd } = this.#options;
    const record = this.#resume === undefined ? undefined : await this.#find(this.#resume);
    this.#resume = undefined;
    this.#hasTurns = (record?.messageCount ?? 0) > 0;
    this.#session = await runtime.open({
      cwd: record?.cwd ?? cwd,
      source: "cli",
      ...(record ? { resume: record } : {}),
      ...this.#modelOption(),
    });
    return this.#session;
  }

  /** Takes a message: runs a turn, or follows the busy mode. Settles when nothing is left to do. */
  async say(text: string): Promise<TurnResult | undefined> {
    const { busyMode } = this.#options;
    if (!this.#running) return this.#turns(text);
    if (busyMode === "steer") this.#session?.steer(text);
    else this.#waiting.push(text);
    if (busyMode === "interrupt") this.#session?.interrupt("a new message came");
    return undefined;
  }

  queue(text: string): void {
    this.#waiting.push(text);
  }

  /** Slips a note to the running turn; false when none runs. */
  steer(text: string): boolean {
    if (!this.#running || !this.#session) return false;
    this.#session.steer(text);
    return true;
  }

  /** Stops the running turn and forgets what waits; false when none runs. */
  interrupt(): boolean {
    if (!this.#running || !this.#session) return false;
    this.#waiting.length = 0;
    this.#session.interrupt("stopped by the person");
    return true;
  }

  /** Ends the open session and takes up another. */
  async resume(reference: string): Promise<Session> {
    const next = await this.#find(reference);
    await this.#session?.close("resume", this.#options.surface);
    this.#session = undefined;
    this.#resume = next.id;
    return this.open();
  }

  /** Ends the open session and opens a new one in its place; undefined where nothing was open. */
  async renew(): Promise<{ readonly old: Session; readonly session: Session } | undefined> {
    const old = this.#session;
    if (!old) return undefined;
    const { runtime, cwd, surface } = this.#options;
    await old.close("clear", surface);
    this.#session = undefined;
    this.#hasTurns = false;
    this.#session = await runtime.open({ cwd, source: "cli", replaces: old.id, ...this.#modelOption() });
    return { old, session: this.#session };
  }

  /** Takes the last turn back and says its text again. */
  async retry(): Promise<TurnResult | undefined> {
    const text = await (await this.open()).undo();
    return text === undefined ? undefined : this.say(text);
  }

  compact(session: Session, instructions: string): Promise<{ readonly before: number; readonly after: number }> {
    return session.compact(this.#options.surface, instructions === "" ? undefined : instructions);
  }

  async close(): Promise<void> {
    this.#waiting.length = 0;
    this.#session?.interrupt("the chat ends");
    await this.#running?.catch(() => undefined);
    await this.#session?.close("prompt_input_exit", this.#options.surface);
  }

  async #turns(first: string): Promise<TurnResult | undefined> {
    let last: TurnResult | undefined;
    try {
      for (let text: string | undefined = first; text !== undefined; text = this.#waiting.shift()) {
        // Busy from here on, not only when the session is open: the next line may come at once.
        this.#running = this.#turn(text);
        last = await this.#running;
      }
      return last;
    } finally {
      this.#running = undefined;
    }
  }

  async #turn(text: string): Promise<TurnResult> {
    const { runtime, surface } = this.#options;
    const session = await this.open();
    this.#hasTurns = true;
    return runtime.agent.runTurn(session, { content: text }, surface);
  }

  #modelOption(): { readonly model?: string } {
    return this.model === undefined ? {} : { model: this.model };
  }

  async #find(reference: string) {
    const record = await this.#options.runtime.store.resolve(reference);
    if (record) return record;
    throw new Error(`no session is called '${reference}': 'talaria sessions list' and /sessions show them`);
  }
}
