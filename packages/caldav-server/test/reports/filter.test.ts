import { expect, it } from "vitest";
import { collations } from "../../src/reports/filter.ts";

it.each([
  ["i;octet", "Ärger", "Ärger", true],
  ["i;octet", "a", "A", false],
  ["i;ascii-casemap", "HeLLo", "hEllO", true],
  ["i;ascii-casemap", "ärger", "Ärger", false],
  ["i;unicode-casemap", "ärger", "ÄRGER", true],
  ["i;unicode-casemap", "a\u0308", "Ä", true],
  ["i;unicode-casemap", "σας", "ΣΑΣ", true],
  ["i;unicode-casemap", "ǆ", "ǅ", true],
  ["i;unicode-casemap", "straße", "STRASSE", false],
  ["i;unicode-casemap", "a", "b", false],
])("collations %s: %j and %j are equal: %s", (name, left, right, equal) => {
  const collation = collations.get(name) ?? expect.fail(`${name} is missing`);
  expect(collation(left) === collation(right)).toBe(equal);
});
