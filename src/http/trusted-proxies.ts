import { BlockList, isIP } from "node:net";

/**
 * Whose word on where a request comes from counts: nobody's, that of one proxy or of so many in a row wherever they stand, or
 * that of proxies at these addresses, networks and named networks.
 */
export type TrustProxy = boolean | number | readonly string[];

/** Whether the one at `address` may say from whom it has the request; `hop` counts from the connection, which is 0. */
export type ProxyTrust = (address: string, hop: number) => boolean;

/** As Express asks it of each address in X-Forwarded-For, from the last one to the first. */
export function proxyTrust(trustProxy: TrustProxy): ProxyTrust {
  if (typeof trustProxy === "boolean") return (_address, hop) => trustProxy && hop === 0;
  if (typeof trustProxy === "number") return (_address, hop) => hop < trustProxy;
  return addressesOf(trustProxy.flatMap((each) => namedNetworks.get(each) ?? [each]));
}

/** Says whether an address is one of these, or in one of these networks. Nothing that is no address is. */
export function addressesOf(listed: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const each of listed) {
    const [written = "", bits] = each.split("/");
    const address = plain(written);
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    // The network of an IPv4 address that was written as IPv6 counts 96 bits more.
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

/** The words that proxies are told by, as Express has them. Source: RFC 1122, 3927, 4193, 4291, 1918. */
const namedNetworks: ReadonlyMap<string, readonly string[]> = new Map([
  ["loopback", ["127.0.0.0/8", "::1"]],
  ["linklocal", ["169.254.0.0/16", "fe80::/10"]],
  ["uniquelocal", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/** An IPv4 address itself, also where it is mapped into IPv6; without the interface of a link-local one. */
const plain = (address: string): string =>
  address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
