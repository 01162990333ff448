import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHider } from "../../src/domain/hidden-secrets.ts";

const secret = 'se+cret/with "all" ümlauts=';
const hide = createHider([secret, "short", ""]);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("redaction", () => {
  it.each([
    ["as it is", `a ${secret} b`, "a … b"],
    ["twice", secret + secret, "……"],
    [
      "in an address",
      `https://a.example/?k=${encodeURIComponent(secret)}&b`,
      "https://a.example/?k=…&b",
    ],
    ["in a form", `${new URLSearchParams({ k: secret }).toString()}&b=1`, "k=…&b=1"],
    ["in JSON", JSON.stringify({ k: secret }), '{"k":"…"}'],
    ["not at all", "short words stay", "short words stay"],
  ])("removes a secret %s", (_where, text, hidden) => {
    expect(hide(text)).toBe(hidden);
  });

  it("removes encoded secrets, whatever surrounds them", () => {
    const core = Buffer.from(secret).toString("base64").slice(4, -6);
    for (const text of [
      secret,
      `u:${secret}`,
      `me:${secret}`,
      `\0me\0${secret}`,
      `me:${secret}!`,
    ]) {
      expect(hide(`Basic ${base64(text)}`)).toContain("…");
      expect(hide(base64(text))).not.toContain(core);
      expect(hide(base64(text)).replaceAll(/[^A-Za-z0-9+/]/g, "").length).toBeLessThan(20);
    }
  });

  it("removes any secret in all its forms, and nothing else", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 40, unit: "grapheme" }), (any) => {
        const hideIt = createHider([any]);
        const forms = [any, encodeURIComponent(any), JSON.stringify(any).slice(1, -1)];
        expect(forms.map((form) => hideIt(`<${form}>`))).toEqual(forms.map(() => "<…>"));
      }),
    );
    expect(createHider([])("anything")).toBe("anything");
  });
});
