import { describe, expect, it } from "vitest";
import { safeHtml } from "../../../src/ics/text/safe-html.ts";

describe("safe HTML", () => {
  it.each([
    [
      "formatting",
      "<p>One <b>two</b> &amp; <i>three</i><br>four</p>",
      "<p>One <b>two</b> &amp; <i>three</i><br />four</p>",
    ],
    ["a list", '<ol start="3"><li>x</li></ol>', '<ol start="3"><li>x</li></ol>'],
    [
      "a link",
      '<a href="https://a.example/?a=1&amp;b=2">x</a>',
      '<a href="https://a.example/?a=1&amp;b=2">x</a>',
    ],
    [
      "an address to write to",
      '<a href="mailto:a@b.example">x</a>',
      '<a href="mailto:a@b.example">x</a>',
    ],
    ["a script", "a<script>alert(1)</script>b", "ab"],
    ["a picture that runs", "<svg/onload=alert(1)>", ""],
    [
      "a picture inside one",
      "<svg><script>alert(1)</script><a xlink:href='javascript:x'>y</a></svg>",
      "<a>y</a>",
    ],
    ["mathematics that run", "<math href='javascript:x'>y</math>", "y"],
    ["a remote image", '<img src="https://spy.example/p.gif" onerror=alert(1)>x', "x"],
    [
      "images by other names",
      '<picture><source srcset="https://spy.example/a"></picture><video poster="https://spy.example/b"></video><image src="https://spy.example/c">x',
      "x",
    ],
    [
      "a background",
      '<div style="background:url(https://spy.example)" background="https://spy.example">x</div>',
      "<div>x</div>",
    ],
    [
      "a style sheet",
      '<style>@import "https://spy.example"</style><link rel=stylesheet href=https://spy.example>x',
      "x",
    ],
    ["an attribute that runs", "<p onclick='x' onmouseover=y>z</p>", "<p>z</p>"],
    [
      "a frame",
      '<iframe srcdoc="<script>x</script>"></iframe><object data=x></object><embed src=x>y',
      "y",
    ],
    [
      "a form",
      '<form action="https://spy.example"><input name=x><button>Log in</button></form>',
      "Log in",
    ],
    [
      "another base",
      '<base href="https://spy.example/"><meta http-equiv=refresh content="0;url=https://spy.example">x',
      "x",
    ],
    ["an unclosed tag", '<img src=x onerror="alert(1)"', ""],
    ["a comment with a condition", "<!--[if gte mso 9]><script>x</script><![endif]-->y", "y"],
    ["a tag in a tag", "<scr<script>ipt>alert(1)</script>", "ipt&gt;alert(1)"],
  ])("of %s", (_what, html, safe) => expect(safeHtml(html)).toBe(safe));

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    " \u0001javascript:alert(1)",
    "javascript&colon;alert(1)",
    "&#106;avascript:alert(1)",
    "&#x6A&#x61;vascript:alert(1)",
    "java&Tab;script:alert(1)",
    "vbscript:x",
    "data:text/html,<script>x</script>",
    "file:///etc/passwd",
    "//spy.example",
    "\\\\spy.example\\share",
  ])("has no link to %j", (href) => {
    expect(safeHtml(`<a href="${href}">x</a>`)).toBe("<a>x</a>");
  });

  it("stays the same if cleaned again", () => {
    const once =
      safeHtml(`<a href="https://x.example/?q=%22onmouseover=x">&lt;script&gt;</a>`) ?? "";
    expect(safeHtml(once)).toBe(once);
    expect(once).not.toContain("<script");
  });

  it("is empty if the input is too long", () => {
    expect(safeHtml("x".repeat(50_001))).toBeNull();
    expect(safeHtml("<b>".repeat(16_000))).toBe(`${"<b>".repeat(40)}${"</b>".repeat(40)}`);
  });
});
