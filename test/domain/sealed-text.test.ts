import { describe, expect, it } from "vitest";
import { createSeal, isSealed } from "../../src/domain/sealed-text.ts";

const key = new Uint8Array(32).fill(7);
const seal = createSeal(key, "test");

describe("createSeal()", () => {
  it.each(["", "BEGIN:VEVENT\r\nSUMMARY:größer 📅\r\n", "x".repeat(100_000)])(
    "open() result for what close() has closed: the text, which nobody else reads",
    (text) => {
      const sealed = seal.close(text);
      expect(isSealed(sealed)).toBe(true);
      expect(seal.open(sealed)).toBe(text);
      expect(seal.close(text)).toBe(sealed);
      if (text !== "") expect(sealed).not.toContain(text.slice(0, 20));
    },
  );

  it("open() result for another key, another purpose, a changed or an open text: null", () => {
    const sealed = seal.close("secret");
    expect(createSeal(new Uint8Array(32).fill(8), "test").open(sealed)).toBeNull();
    expect(createSeal(key, "other").open(sealed)).toBeNull();
    expect(seal.open(`${sealed.slice(0, -6)}AAAA==`)).toBeNull();
    expect(seal.open("sealed1:")).toBeNull();
    expect(seal.open("BEGIN:VEVENT")).toBeNull();
  });
});
