import { describe, expect, it } from "vitest";
import {
  anyAddress,
  ForbiddenAddressError,
  guardedLookup,
  literalAddress,
  publicOnly,
} from "../../src/remote/address-guard.ts";

it.each([
  ["8.8.8.8", true],
  ["93.184.216.34", true],
  ["172.32.0.1", true],
  ["2606:4700::1111", true],
  ["2a00:1450:4001::1", true],
  ["0.0.0.0", false],
  ["10.20.30.40", false],
  ["100.64.0.1", false],
  ["127.0.0.1", false],
  ["127.9.9.9", false],
  ["169.254.169.254", false],
  ["172.16.0.1", false],
  ["172.31.255.255", false],
  ["192.0.0.8", false],
  ["192.168.1.1", false],
  ["198.18.0.1", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["::", false],
  ["::1", false],
  ["::7f00:1", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:8.8.8.8", false],
  ["64:ff9b::7f00:1", false],
  ["2001:db8::1", false],
  ["2002:7f00:1::", false],
  ["fc00::1", false],
  ["fd12:3456::1", false],
  ["fe80::1", false],
  ["ff02::1", false],
  ["calendar.example.com", false],
  ["", false],
])("publicOnly() answers for %j: %s", (address, allowed) => {
  expect(publicOnly(address)).toBe(allowed);
});

it.each([
  ["http://127.0.0.1/", "127.0.0.1"],
  ["http://0x7f.1/", "127.0.0.1"],
  ["http://2130706433/", "127.0.0.1"],
  ["http://１２７.0.0.1/", "127.0.0.1"],
  ["http://[::1]:8080/", "::1"],
  ["http://calendar.example.com/", null],
])("literalAddress() reads %s", (url, address) => {
  expect(literalAddress(new URL(url))).toBe(address);
});

describe("guardedLookup()", () => {
  const look = (allows: typeof publicOnly, all: boolean) =>
    new Promise<unknown>((resolve) => {
      guardedLookup(allows)("localhost", { all }, (error, address) => resolve(error ?? address));
    });

  it("refuses a name that leads to this machine before anything connects", async () => {
    expect(await look(publicOnly, true)).toBeInstanceOf(ForbiddenAddressError);
    expect(await look(publicOnly, false)).toBeInstanceOf(ForbiddenAddressError);
  });

  it("gives one address, or all of them, when every address is allowed", async () => {
    expect(["127.0.0.1", "::1"]).toContain(await look(anyAddress, false));
    expect(await look(anyAddress, true)).toEqual(
      expect.arrayContaining([expect.objectContaining({ address: expect.any(String) })]),
    );
  });

  it("passes on the resolver's error for an unknown name", async () => {
    const error = await new Promise((resolve) => {
      guardedLookup(anyAddress)("no-such-host.invalid", { all: true }, resolve);
    });
    expect(error).toMatchObject({ syscall: "getaddrinfo" });
  });
});
