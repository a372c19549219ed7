import { isIP, type LookupFunction } from "node:net";
import { forbiddenAddress, isLoopback } from "./address.ts";
import { HostError, systemCode } from "./error.ts";

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Which addresses may be reached on behalf of somebody else. */
export interface AddressGuard {
  readonly signal: AbortSignal;
  /** Hosts that may have any address: names, addresses, or `*.domain`; `*` is every host. */
  readonly allowHosts?: readonly string[];
  /** The machine itself is refused, too. */
  readonly noLoopback?: boolean;
  /** Names that cannot be looked up pass: a proxy will look them up. */
  readonly unknownNamesPass?: boolean;
  /** Looks a name up; the system's way if absent. */
  readonly resolve?: (host: string) => Promise<readonly HostAddress[]>;
}

/** An address that was looked at, with what its name leads to. */
export interface GuardedTarget {
  readonly url: URL;
  readonly addresses: readonly HostAddress[];
}

/** Looks at an address before anything is sent there. Throws a `HostError` `aborted`. */
export async function guardedTarget(
  address: string,
  guard: AddressGuard,
): Promise<GuardedTarget | { readonly reason: string }> {
  if (!URL.canParse(address)) return { reason: "it is not a valid address" };
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { reason: `only http and https are allowed, not ${url.protocol.slice(0, -1)}` };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  let addresses: readonly HostAddress[];
  try {
    addresses = isIP(host) > 0 ? [{ address: host, family: isIP(host) }] : await found(host, guard);
  } catch (error) {
    if (guard.signal.aborted) throw requestAborted(url, error);
    if (guard.unknownNamesPass === true) return { url, addresses: [] };
    return { reason: `the name ${host} could not be looked up (${systemCode(error) ?? String(error)})` };
  }
  if (addresses.length === 0) return { reason: `the name ${host} has no address` };
  if (isAllowed(host, guard.allowHosts ?? [])) return { url, addresses };
  const why = addresses.map(({ address }) => forbidden(address, host, guard)).find((each) => each !== undefined);
  return why === undefined ? { url, addresses } : { reason: why };
}

function forbidden(address: string, host: string, { noLoopback }: AddressGuard): string | undefined {
  const why = forbiddenAddress(address) ?? (noLoopback && isLoopback(address) ? "this host" : undefined);
  return why === undefined ? undefined : `${host} leads to ${address}, ${why}`;
}

const isAllowed = (host: string, allowed: readonly string[]): boolean =>
  allowed.some((entry) => {
    const name = entry.toLowerCase();
    if (name === "*") return true;
    return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name.replace(/^\[|\]$/g, "");
  });

function found(host: string, { resolve, signal }: AddressGuard): Promise<readonly HostAddress[]> {
  if (resolve !== undefined) return resolve(host);
  return new Promise((done, fail) => {
    const stop = (): void => fail(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    process.getBuiltinModule("node:dns").lookup(host, { all: true, verbatim: true }, (error, addresses) => {
      signal.removeEventListener("abort", stop);
      if (error === null) done(addresses);
      else fail(error);
    });
  });
}

/** Answers every question for the address with what was checked, so that a second answer of the name server cannot matter. */
export const pinned =
  (addresses: readonly HostAddress[]): LookupFunction =>
  (_host, options, answer) => {
    const [first] = addresses;
    if (options.all === true) answer(null, [...addresses]);
    else answer(null, first?.address ?? "", first?.family ?? 0);
  };

export const requestAborted = (url: URL, cause: unknown): HostError =>
  new HostError("aborted", `the request to ${url.origin} was aborted`, { subject: url.origin, cause });
