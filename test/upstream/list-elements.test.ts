import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ElementComparison,
  ElementScanner,
  ListElements,
  printOf,
} from "../../src/upstream/list-elements.ts";

const octets = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The texts of the elements; null where the scanner finds the list odd. */
function split(text: string): readonly string[] | null {
  const body = octets(text);
  const scanner = new ElementScanner(body);
  const found: string[] = [];
  for (;;) {
    const span = scanner.next();
    if (span === "odd") return null;
    if (span === "end") return found;
    found.push(new TextDecoder().decode(body.subarray(span.start, span.end)));
  }
}

/** The value, or undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe("ElementScanner", () => {
  it.each([
    ["an empty list", "[]", []],
    ["white space everywhere", ' \n[ {"a":1}\t,\r{} ]\n ', ['{"a":1}', "{}"]],
    [
      "braces and quotes in texts",
      '[{"a":"}\\"{"},{"b":"\\\\"}]',
      ['{"a":"}\\"{"}', '{"b":"\\\\"}'],
    ],
    ["nested objects", '[{"a":{"b":[{}]}}]', ['{"a":{"b":[{}]}}']],
    ["characters of many octets", '[{"ä":"😀"}]', ['{"ä":"😀"}']],
  ])("splits %s", (_, text, elements) => {
    expect(split(text)).toEqual(elements);
  });

  it.each([
    ["nothing", ""],
    ["an object", '{"id":1}'],
    ["a list of numbers", "[1,2]"],
    ["a comma too many", '[{"id":1},]'],
    ["a comma too few", "[{}{}]"],
    ["a leading comma", "[,{}]"],
    ["a list without its end", '[{"id":1}'],
    ["an element without its end", '[{"id":1'],
    ["something behind the list", "[{}] x"],
    ["a byte order mark", "\uFEFF[{}]"],
  ])("finds %s odd", (_, text) => {
    expect(split(text)).toBeNull();
  });

  it("splits what JSON.parse reads, into the same elements", () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.json())), fc.nat(3), (list, indent) => {
        const elements = split(JSON.stringify(list, null, indent));
        expect(elements?.map(parsed)).toEqual(JSON.parse(JSON.stringify(list)));
      }),
    );
  });

  it("finds in a damaged list only what JSON.parse would find there", () => {
    const damaged = fc
      .tuple(
        fc.array(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.json()))),
        fc.nat(),
        fc.constantFrom("", "{", "}", '"', "\\", "[", "]", ","),
      )
      .map(([list, at, with_]) => {
        const text = JSON.stringify(list);
        const place = at % text.length;
        return text.slice(0, place) + with_ + text.slice(place + 1);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        const elements = split(text)?.map(parsed);
        if (elements === undefined || elements.includes(undefined)) return;
        expect(elements).toEqual(parsed(text));
      }),
      { numRuns: 500 },
    );
  });
});

it("ElementComparison finds every element again in another order, and names what is gone", () => {
  const texts = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(texts, fc.func(fc.nat()), fc.func(fc.boolean()), (all, rank, stays) => {
      const before = new ListElements(all.map((text, key) => ({ key, ...printOf(octets(text)) })));
      const comparison = new ElementComparison(before);
      const kept = all.map((text, key) => ({ text, key })).filter(({ text }) => stays(text));
      const later = kept.toSorted((a, b) => rank(a.text) - rank(b.text));
      for (const { text, key } of later) {
        expect(comparison.match(printOf(octets(text)))).toBe(key);
        expect(comparison.match(printOf(octets(text)))).toBeNull();
      }
      expect(comparison.match(printOf(octets(`${all.join("")} more`)))).toBeNull();
      const left = all.keys().filter((key) => !kept.some((one) => one.key === key));
      expect(comparison.left()).toEqual([...left]);
    }),
  );
});
