import { expect, it } from "vitest";
import { proxyTrust, type TrustProxy } from "../../src/http/trusted-proxies.ts";

it.each<[TrustProxy, string, number, boolean]>([
  [false, "127.0.0.1", 0, false],
  [true, "203.0.113.9", 0, true],
  [true, "203.0.113.9", 1, false],
  [2, "203.0.113.9", 1, true],
  [2, "127.0.0.1", 2, false],
  [["loopback"], "127.9.9.9", 5, true],
  [["loopback"], "::1", 0, true],
  [["loopback"], "::ffff:127.0.0.1", 0, true],
  [["loopback"], "10.0.0.1", 0, false],
  [["linklocal"], "fe80::1%eth0", 0, true],
  [["linklocal"], "169.254.169.254", 0, true],
  [["uniquelocal"], "172.31.0.1", 0, true],
  [["uniquelocal"], "172.32.0.1", 0, false],
  [["uniquelocal"], "fd00::1", 0, true],
  [["192.0.2.0/30", "2001:db8::/32"], "192.0.2.3", 0, true],
  [["192.0.2.0/30", "2001:db8::/32"], "192.0.2.4", 0, false],
  [["192.0.2.0/30", "2001:db8::/32"], "2001:db8:1::1", 0, true],
  [["::ffff:192.0.2.1"], "192.0.2.1", 0, true],
  [["::ffff:192.0.2.0/126"], "192.0.2.3", 0, true],
  [["::ffff:192.0.2.0/126"], "192.0.2.4", 0, false],
  [["192.0.2.1"], "", 0, false],
  [["192.0.2.1"], "unknown", 0, false],
  [["192.0.2.1"], "192.0.2.1, 10.0.0.1", 0, false],
  [["192.0.2.1"], "0xc0000201", 0, false],
])("trust of %j in %s, %d away", (trustProxy, address, hop, isTrusted) => {
  expect(proxyTrust(trustProxy)(address, hop)).toBe(isTrusted);
});
