import { describe, expect, it } from "vitest";
import { createSeal, isSealed } from "../../src/domain/sealed-text.ts";

const key = new Uint8Array(32).fill(7);
const seal = createSeal(key, "test");

describe("a sealed text", () => {
  it.each(["", "BEGIN:VEVENT\r\nSUMMARY:größer 📅\r\n", "x".repeat(100_000)])(
    "opens with its key, and nobody else can read it",
    (text) => {
      const sealed = seal.close(text);
      expect(isSealed(sealed)).toBe(true);
      expect(seal.open(sealed)).toBe(text);
      expect(seal.close(text)).toBe(sealed);
      if (text !== "") expect(sealed).not.toContain(text.slice(0, 20));
    },
  );

  it("does not open with another key or purpose, or if it was changed", () => {
    const sealed = seal.close("secret");
    expect(createSeal(new Uint8Array(32).fill(8), "test").open(sealed)).toBeNull();
    expect(createSeal(key, "other").open(sealed)).toBeNull();
    expect(seal.open(`${sealed.slice(0, -6)}AAAA==`)).toBeNull();
    expect(seal.open("sealed1:")).toBeNull();
    expect(seal.open("BEGIN:VEVENT")).toBeNull();
  });
});
