import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { feedId, itemKey, personId } from "../../src/domain/ids.ts";
import {
  type AnyLinkClaim,
  createLinkSigner,
  type LinkClaim,
  linkActions,
  WeakKeyError,
} from "../../src/domain/signed-links.ts";

const keyOf = (text: string) => createHash("sha256").update(text).digest();
const signer = createLinkSigner(keyOf("one"));
const claim: LinkClaim = {
  action: "day",
  item: itemKey(77),
  feed: feedId(3),
  feedVersion: 2,
  until: Temporal.PlainDate.from("2027-03-31"),
};
const plain = ({ until, ...rest }: AnyLinkClaim) => ({ ...rest, until: until.toString() });
const read = (text: string) => {
  const found = signer.read(text);
  return found && plain(found);
};

describe("a signed link", () => {
  it("is read as it was signed, in 46 characters that end in a letter", () => {
    const any = fc.record({
      action: fc.constantFrom(...linkActions),
      item: fc.integer({ min: 1, max: 2 ** 48 - 1 }).map(itemKey),
      feed: fc.integer({ min: 1, max: 2 ** 32 - 1 }).map(feedId),
      feedVersion: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
      until: fc.integer({ min: 20_000, max: 60_000 }).map((count) => {
        return Temporal.PlainDate.from("1970-01-01").add({ days: count });
      }),
    });
    fc.assert(
      fc.property(any, (drawn) => {
        const text = signer.sign(drawn);
        expect(text).toMatch(/^[A-Za-z0-9_-]{45}[A-Za-z]$/);
        expect(read(text)).toEqual(plain(drawn));
        expect(signer.sign(drawn)).toBe(text);
      }),
    );
  });

  it("of a mail has its reader, and no feed", () => {
    const any = fc.record({
      action: fc.constantFrom(...linkActions),
      item: fc.integer({ min: 1, max: 2 ** 48 - 1 }).map(itemKey),
      person: fc.integer({ min: 1, max: 2 ** 48 - 1 }).map(personId),
    });
    fc.assert(
      fc.property(any, (drawn) => {
        const mailed = { ...drawn, until: claim.until };
        const text = signer.sign(mailed);
        expect(text).toMatch(/^[A-Za-z0-9_-]{45}[A-Za-z]$/);
        expect(read(text)).toEqual(plain(mailed));
      }),
    );
  });

  it("differs if any part differs", () => {
    const variants = [
      claim,
      ...linkActions.filter((action) => action !== "day").map((action) => ({ ...claim, action })),
      { ...claim, item: itemKey(78) },
      { ...claim, feed: feedId(4) },
      { ...claim, feedVersion: 3 },
      { ...claim, until: claim.until.add({ days: 1 }) },
    ];
    expect(new Set(variants.map((each) => signer.sign(each))).size).toBe(variants.length);
  });

  it("is void if any single character differs", () => {
    const text = signer.sign(claim);
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (let at = 0; at < text.length; at++) {
      for (const digit of digits) {
        const tampered = text.slice(0, at) + digit + text.slice(at + 1);
        if (tampered !== text) expect(read(tampered)).toBeNull();
      }
    }
  });

  it.each([
    ["nothing", ""],
    ["a part of it", signer.sign(claim).slice(0, 45)],
    ["more than it", `${signer.sign(claim)}A`],
    ["padding", `${signer.sign(claim)}==`],
    ["other letters", "é".repeat(46)],
    ["zeros", "A".repeat(46)],
    ["what another key has signed", createLinkSigner(keyOf("two")).sign(claim)],
  ])("is void for %s", (_what, text) => {
    expect(read(text)).toBeNull();
  });

  it("needs a long key", () => {
    expect(() => createLinkSigner(new Uint8Array(31))).toThrow(WeakKeyError);
  });
});
