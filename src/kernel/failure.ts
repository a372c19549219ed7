export type KernelErrorCode =
  | "timed-out"
  | "removed"
  | "nonsense"
  | "next-twice"
  | "next-late"
  | "closed"
  | "unknown-slot"
  | "unknown-event";

const marker = Symbol.for("talaria.kernel.error");

/** What the kernel itself has to say; the codes are explained in docs/reference/kernel.md. */
export class KernelError extends Error {
  readonly code: KernelErrorCode;
  /** The handler's owner, or the part that was refused. */
  readonly owner: string;
  readonly [marker] = true;

  constructor(code: KernelErrorCode, owner: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "KernelError";
    this.code = code;
    this.owner = owner;
  }
}

/** Holds across copies of the package, where `instanceof` does not. */
export const isKernelError = (value: unknown): value is KernelError =>
  typeof value === "object" && value !== null && marker in value;
