import { cleanText, decodeList, decodeText, encodeUrl, escapeText, foldLine } from "@dayferry/ical";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nastyText } from "../nasty.ts";

describe("escapeText() and decodeText()", () => {
  it.each([
    ["C:\\new", "C:\\\\new"],
    ["a,b;c:d", "a\\,b\\;c:d"],
    ["a\r\nb", "a\\nb"],
  ])("write and read %j", (text, written) => {
    expect(escapeText(text)).toBe(written);
    expect(decodeText(written)).toBe(cleanText(text));
  });

  it.each([
    ["a\\Nb", "a\nb"],
    ["a\\\\\\nb", "a\\\nb"],
    ["a\\x\\", "a\\x\\"],
    ['\\"', '\\"'],
  ])("decodeText() of %j is %j", (value, expected) => {
    expect(decodeText(value)).toBe(expected);
  });

  it("keep every cleaned text", () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        const written = escapeText(text);
        expect(written).not.toMatch(/[\r\n]/);
        expect(decodeText(written)).toBe(cleanText(text));
      }),
      { numRuns: 500 },
    );
  });
});

it.each([
  ["a,b", ["a", "b"]],
  ["a\\,b,c\\\\,d\\;", ["a,b", "c\\", "d;"]],
  [" a , ,b", ["a", "b"]],
  ["", []],
  ["\\", ["\\"]],
  ["\\\\\\,a", ["\\,a"]],
])("decodeList() reads %j as %j", (value, expected) => {
  expect(decodeList(value)).toEqual(expected);
});

describe("foldLine()", () => {
  it("keeps lines within 75 octets and loses nothing", () => {
    fc.assert(
      fc.property(nastyText, fc.nat(200), (text, repeats) => {
        const line = `SUMMARY:${escapeText(text).repeat(repeats)}`;
        const folded = foldLine(line);
        expect(folded.replaceAll("\r\n ", "")).toBe(line);
        for (const part of folded.split("\r\n")) {
          expect(Buffer.byteLength(part)).toBeLessThanOrEqual(75);
          expect(part.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("folds only longer lines", () => {
    expect(foldLine("x".repeat(75))).toBe("x".repeat(75));
    expect(foldLine("x".repeat(76))).toBe(`${"x".repeat(75)}\r\n x`);
  });
});

it.each([
  ["https://a.b/c?d=1,2;3#e", "https://a.b/c?d=1%2C2%3B3#e"],
  [" https://a.b/ü x ", "https://a.b/%C3%BC%20x"],
  ["https://a.b/\r\nATTENDEE:x", "https://a.b/%0D%0AATTENDEE:x"],
  ['https://a.b/"<>\\^`{|}', "https://a.b/%22%3C%3E%5C%5E%60%7B%7C%7D"],
  ["https://a.b/%20%2C", "https://a.b/%20%2C"],
])("encodeUrl() turns %j into %j", (url, expected) => {
  expect(encodeUrl(url)).toBe(expected);
});
