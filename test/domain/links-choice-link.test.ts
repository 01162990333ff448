import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import { mailChoices } from "../../src/domain/mail-kind.ts";
import { createChoiceSigner, WeakKeyError } from "../../src/domain/signed-links.ts";

const keyOf = (text: string) => createHash("sha256").update(text).digest();
const signer = createChoiceSigner(keyOf("only for tests"));
const claims = fc.record({
  person: fc.integer({ min: 1, max: 2 ** 48 - 1 }).map(personId),
  choice: fc.constantFrom(...mailChoices),
});

describe("a signed link for a mail choice", () => {
  it("is read as it was signed", () => {
    fc.assert(
      fc.property(claims, (claim) => {
        const text = signer.sign(claim);
        expect(text).toMatch(/^[A-Za-z0-9_-]{32}$/);
        expect(signer.read(text)).toEqual(claim);
        expect(signer.sign(claim)).toBe(text);
      }),
    );
  });

  it("is void if any character or the key differs", () => {
    fc.assert(
      fc.property(claims, fc.nat(31), fc.constantFrom("A", "b", "7", "_"), (claim, at, letter) => {
        const text = signer.sign(claim);
        const changed = `${text.slice(0, at)}${letter}${text.slice(at + 1)}`;
        expect(signer.read(changed)).toEqual(changed === text ? claim : null);
        expect(createChoiceSigner(keyOf("another")).read(text)).toBeNull();
      }),
    );
  });

  it.each(["", "x", "A".repeat(32), `${"A".repeat(31)}=`, "A".repeat(46)])(
    "is void if it is %j",
    (text) => {
      expect(signer.read(text)).toBeNull();
    },
  );

  it("needs a long key", () => {
    expect(() => createChoiceSigner(new Uint8Array(31))).toThrow(WeakKeyError);
  });
});
