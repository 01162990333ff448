import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { networkFailure } from "../domain/network-failure.ts";
import { stored } from "../texts/stored.ts";

/** Decides whether an IP address may be connected to. */
export type AddressGuard = (address: string) => boolean;

/** Thrown by a look-up if none of a name's addresses is allowed. */
export class ForbiddenAddressError extends Error {
  override readonly name = "ForbiddenAddressError";
  constructor() {
    super("the host name only has addresses in private networks");
  }
}

/** True for a forbidden address. If several addresses were tried, their errors are combined. */
export function isForbidden(error: unknown): boolean {
  if (error instanceof ForbiddenAddressError) return true;
  return error instanceof Error && isForbidden(error.cause);
}

/** Messages of network errors may contain URLs, so only host and code are given. */
export function unreachedBecause(error: unknown, host: string): string {
  const known = networkFailure(error, host);
  if (known) return known.problem;
  const code = error instanceof Error && "code" in error ? error.code : null;
  const reason = typeof code === "string" ? code : "unknown error";
  return stored("problem.net.unreached", { host, reason });
}

/**
 * Allows only addresses of the public internet: no loopback, private, link-local, carrier, test, multicast or reserved network,
 * and no IPv6 form with an embedded IPv4 address. Source: IANA special-purpose address registries (RFC 6890).
 */
export const publicOnly: AddressGuard = (address) => {
  const family = isIP(address);
  if (family === 6) return !special6.check(address, "ipv6");
  return family === 4 && !special4.check(address, "ipv4");
};

/** For calendars on the local network: every address. */
export const anyAddress: AddressGuard = (address) => isIP(address) !== 0;

/** The IP address in a URL, for which no look-up happens and so none can be checked; null for a name. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(bare) === 0 ? null : bare;
}

/** Resolves names when connecting, and returns allowed addresses only, so that a name cannot change in between. */
export function guardedLookup(allows: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, "");
      const allowed = found.filter(({ address }) => allows(address));
      const [first] = allowed;
      if (!first) return callback(new ForbiddenAddressError(), "");
      if (options.all) answerAll(callback, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function answerAll(
  callback: Parameters<LookupFunction>[2],
  addresses: readonly LookupAddress[],
): void {
  callback(null, [...addresses]);
}

// Two lists: IPv6 rules would match the mapped form of every IPv4 address.
const special4 = new BlockList();
const special6 = new BlockList();
for (const [network, length] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const) {
  special4.addSubnet(network, length, "ipv4");
}
// Everything outside the global unicast space 2000::/3, and in it what is reserved or embeds an IPv4 address.
for (const [network, length] of [
  ["::", 3],
  ["4000::", 2],
  ["8000::", 1],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  special6.addSubnet(network, length, "ipv6");
}
