import { expect, it } from "vitest";
import { shownText } from "../../src/domain/text.ts";

it.each([
  ["Review ✓ größer 📅\tx\n", "Review ✓ größer 📅\tx\n"],
  ["a\r\nb\n", "a\r\nb\n"],
  ["\u001b[2J\u001b]0;title\u0007x", "\\u001b[2J\\u001b]0;title\\u0007x"],
  ["safe\rFAIL", "safe\\u000dFAIL"],
  ["\u009b31m\u007f\u0000\b", "\\u009b31m\\u007f\\u0000\\u0008"],
  [`${JSON.stringify({ title: "\u001b\u009b" })}\n`, '{"title":"\\u001b\\u009b"}\n'],
])("shownText() result for %j is %j", (text, shown) => {
  expect(shownText(text)).toBe(shown);
});
