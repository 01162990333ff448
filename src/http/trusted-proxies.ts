import { BlockList, isIP } from "node:net";

/**
 * The proxies that are trusted to name the client's address: none, a number of proxies in a row at any address, or those at
 * these addresses and networks.
 */
export type TrustProxy = boolean | number | readonly string[];

/** True if the proxy at `address` may name its client; `hop` counts from the connection, which is 0. */
export type ProxyTrust = (address: string, hop: number) => boolean;

/** Called by Express for each address in X-Forwarded-For, from last to first. */
export function proxyTrust(trustProxy: TrustProxy): ProxyTrust {
  if (typeof trustProxy === "boolean") return (_address, hop) => trustProxy && hop === 0;
  if (typeof trustProxy === "number") return (_address, hop) => hop < trustProxy;
  return addressesOf(trustProxy.flatMap((each) => namedNetworks.get(each) ?? [each]));
}

/**
 * Returns a function that checks whether an address is one of these addresses or in one of these networks. Text that is not an
 * address never matches.
 */
export function addressesOf(listed: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const each of listed) {
    const [written = "", bits] = each.split("/");
    const address = plain(written);
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    // The prefix of an IPv4 network written as IPv6 is 96 bits longer.
    const shift = address === written ? 0 : 96;
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Math.max(0, Number(bits) - shift), family);
  }
  return (said) => {
    const address = plain(said);
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
  };
}

/** Named networks, as in Express. Source: RFC 1122, 3927, 4193, 4291, 1918. */
const namedNetworks: ReadonlyMap<string, readonly string[]> = new Map([
  ["loopback", ["127.0.0.0/8", "::1"]],
  ["linklocal", ["169.254.0.0/16", "fe80::/10"]],
  ["uniquelocal", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/** Normalizes an address: IPv4 addresses mapped into IPv6 become IPv4, and the interface of a link-local address is removed. */
const plain = (address: string): string =>
  address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
