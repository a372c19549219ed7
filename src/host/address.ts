import { isIP } from "node:net";

/** The 8 groups of an IPv6 address, a dotted tail included; undefined when it is none. */
function groupsOf(address: string): readonly number[] | undefined {
  const [text = ""] = address.split("%", 1);
  if (isIP(text) !== 6) return undefined;
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const plain =
    dotted === null
      ? text
      : `${dotted[1]}${hex(Number(dotted[2]), Number(dotted[3]))}:${hex(Number(dotted[4]), Number(dotted[5]))}`;
  const [head = "", tail] = plain.split("::");
  const parse = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const first = parse(head);
  if (tail === undefined) return first;
  const last = parse(tail);
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

const hex = (high: number, low: number): string => (high * 256 + low).toString(16);

const dottedOf = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;

/** Names of the IPv4 ranges that lead into a private network or nowhere. */
const ranges: readonly (readonly [base: string, bits: number, what: string])[] = [
  ["0.0.0.0", 8, "this host"],
  ["10.0.0.0", 8, "a private network"],
  ["100.64.0.0", 10, "a provider's own network"],
  ["169.254.0.0", 16, "a link-local address"],
  ["172.16.0.0", 12, "a private network"],
  ["192.0.0.0", 24, "a reserved address"],
  ["192.168.0.0", 16, "a private network"],
  ["198.18.0.0", 15, "a test network"],
  ["224.0.0.0", 4, "a multicast address"],
  ["240.0.0.0", 4, "a reserved address"],
];

const numberOf = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

function forbiddenFour(address: string): string | undefined {
  const number = numberOf(address);
  return ranges.find(([base, bits]) => Math.floor((number - numberOf(base)) / 2 ** (32 - bits)) === 0)?.[2];
}

/** The IPv4 address that an IPv6 address stands for: mapped, compatible, translated (NAT64), tunnelled (6to4). */
function embedded(groups: readonly number[]): string | undefined {
  const [first = 0, second = 0, third = 0] = groups;
  const last = dottedOf(groups[6] ?? 0, groups[7] ?? 0);
  const zeros = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0);
  if (zeros(0, 5) && groups[5] === 0xffff) return last;
  if (first === 0x64 && second === 0xff9b && zeros(2, 6)) return last;
  if (first === 0x2002) return dottedOf(second, third);
  return zeros(0, 6) && (groups[6] !== 0 || (groups[7] ?? 0) > 1) ? last : undefined;
}

function forbiddenSix(groups: readonly number[]): string | undefined {
  const inner = embedded(groups);
  if (inner !== undefined) return forbiddenFour(inner);
  const [first = 0, second = 0, third = 0] = groups;
  if (groups.every((group) => group === 0)) return "this host";
  if (first >> 9 === 0x7e) return "a private network";
  if (first >> 6 === 0x3fa) return "a link-local address";
  if (first >> 6 === 0x3fb) return "a private network";
  if (first >> 8 === 0xff) return "a multicast address";
  return first === 0x64 && second === 0xff9b && third === 1 ? "a private network" : undefined;
}

/**
 * What speaks against connecting to an address on behalf of a file that somebody else may have written; undefined where
 * nothing does. Loopback and public addresses pass. The ranges are listed in docs/reference/executors.md.
 */
export function forbiddenAddress(address: string): string | undefined {
  if (isIP(address) === 4) return forbiddenFour(address);
  const groups = groupsOf(address);
  return groups === undefined ? "no address" : forbiddenSix(groups);
}

/** Whether an address is the machine itself. */
export function isLoopback(address: string): boolean {
  if (isIP(address) === 4) return address.startsWith("127.");
  const groups = groupsOf(address);
  if (groups === undefined) return false;
  const inner = embedded(groups);
  return inner === undefined ? groups.slice(0, 7).every((group) => group === 0) && groups[7] === 1 : isLoopback(inner);
}
