import type { ApiMode } from "./api-mode.ts";
import type { Provider } from "./catalogue.ts";

/** One model at one provider with one credential: all that a call needs to know. */
export interface Connection {
  readonly provider: Provider;
  readonly model: string;
  /** With the version segment and without a slash at its end; empty where the provider package knows it. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly apiMode?: ApiMode;
  readonly cache?: "off" | "5m" | "1h";
  readonly contextWindow?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** False: the answer is asked for in one piece. */
  readonly streaming?: boolean;
  /** Milliseconds without any byte from the server after which the call fails; 120,000. */
  readonly idleTimeoutMs?: number;
  /** Settings of Bedrock and Azure that are read from the environment: region, access keys, API version. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}
