import { cleanText, oneLine } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { isHtml } from "../../src/domain/is-html.ts";
import { escapeHtml, htmlToText, plainDescription, shownText } from "../../src/domain/text.ts";
import { longHtml } from "../support/long-inputs.ts";

it.each([
  ["a\u0000b\u0007c\u000bd\u007fe\u0085f", "abcdef"],
  ["a\r\nb\rc\nd\te", "a\nb\nc\nd\te"],
  ["a\ud800b\udc00c😀", "abc😀"],
  ["a\u2028b\u200fc\u202ed", "a\u2028b\u200fc\u202ed"],
])("cleanText() turns %j into %j", (text, expected) => {
  expect(cleanText(text)).toBe(expected);
});

it("escapeHtml() keeps the meaning in text and in quoted attributes", () => {
  expect(escapeHtml(`<a b="c" d='e'>&lt;`)).toBe("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;lt;");
});

it.each([
  [" a\r\n\tb\u2028c ", "a b c"],
  ["a  b", "a  b"],
  ["\n", ""],
])("oneLine() turns %j into %j", (text, expected) => {
  expect(oneLine(text)).toBe(expected);
});

it.each([
  ["<p>a</p>", true],
  ["a<br>b", true],
  ["a<br/>b", true],
  ["a<BR />b", true],
  ['<a href="x">y</a>', true],
  ["</div>", false],
  ["<p>a</p>\n<p>b\nc</p>\n", true],
  ["one<br />\ntwo <b>three</b>", true],
  ["<ul>\n<li>a\n<li>b\n</ul>", true],
  ["<html><head><style>p > b { }</style></head><body>a</body></html>", true],
  ["<p>Word<o:p></o:p></p><!-- note -->", true],
  ['<div dir=ltr><img src="a.png" alt=x hidden></div>', true],
  ["if a<b and c>d then x\nsecond line", false],
  ["Use the <b> tag\nsecond line", false],
  ["Use <br> to break lines", false],
  ["<b>Bold</b> words\nand a second line", false],
  ["List<String> of <p>x</p>", false],
  ["<p>see <https://example.com></p>", false],
  ["Olga <olga@client.example>\nline two", false],
  ["<p>never closed", false],
  ["<a href='x>y</a>", false],
  ["a </b> c <b> d", false],
  ["&lt;b&gt; &amp; co", false],
  ["<script>alert(1)</script>", false],
  ["<!-- only a comment -->", false],
  ["a < b and c > d", false],
  ["<Ana> said", false],
  ["<ana@example.com>", false],
  ["i<b", false],
  ["Tom &amp; Jerry", false],
  ["", false],
])("isHtml() of %j is %s", (text, expected) => {
  expect(isHtml(text)).toBe(expected);
});

describe("htmlToText()", () => {
  it.each([
    ["<p>One</p><p>Two</p>", "One\n\nTwo"],
    ["<div>One</div><div>Two<br>Three</div>", "One\nTwo\nThree"],
    ["One<br/><br />Two<br><br><br><br>Three", "One\n\nTwo\n\nThree"],
    ["  One \n <b>two</b>   <i>three</i>four ", "One two threefour"],
    ["<h1>T</h1>text", "T\n\ntext"],
    ["<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>after", "- a\n- b\n  - c\n\nafter"],
    ["<ol><li><p>a</p></li><li></li><li>c</li></ol>", "1. a\n\n2.\n3. c"],
    ["<li>loose", "- loose"],
    ["</ul>x", "x"],
    ["<table><tr><th>a</th> <th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a | b\n1 | 2"],
    ['<a href="https://a.b/c?d&amp;e">here</a>!', "here (https://a.b/c?d&e)!"],
    ["<a href='https://a.b/'>a.b</a>", "a.b"],
    ["<a href=https://a.b>https://a.b</a>", "https://a.b"],
    ['<a href="mailto:a@b.c">a@b.c</a>', "a@b.c"],
    ['<a href="mailto:a@b.c">Ana</a>', "Ana (a@b.c)"],
    ['<a href="https://a.b/c"><img src="x"></a>', "https://a.b/c"],
    ['<a href="javascript:alert(1)">x</a>', "x"],
    ["<a>x</a></a>", "x"],
    ['<img alt="A &quot;b&quot;" src=x>', 'A "b"'],
    ["<pre>a\r\n  b</pre>c", "a\n  b\n\nc"],
    ["a<script>if (a<b) '</p>'</script>b<style>x{}</style>c", "abc"],
    ["a<script>never closed", "a"],
    ["a</script>b", "ab"],
    ["a<!-- <p>no</p> -->b<!-- open", "ab"],
    ["<!DOCTYPE html><?xml x?>a", "a"],
    [
      "&lt;p&gt; &amp;lt; &#65;&#x1F600;&#150;&nbsp;&auml;&unknown; &",
      "<p> &lt; A😀– ä&unknown; &",
    ],
    ["a&#0;b&#xD800;c&#x110000;d", "a\ufffdb\ufffdc\ufffdd"],
    ["a&#7;b&#13;c", "ab c"],
    ["a < b <3 c<", "a < b <3 c<"],
    ['<p title="a > b">x</p>', "x"],
    ['<p title="open>x', '<p title="open>x'],
    ["a<b", "a<b"],
    ["x<br>   ", "x"],
    ["&nbsp;&nbsp;x&nbsp;", "x"],
  ])("shows %j as %j", (html, expected) => {
    expect(htmlToText(html)).toBe(expected);
  });

  it.each(longHtml)("finishes on many of $name", ({ make, most }) => {
    const html = make(most);
    const text = htmlToText(html);
    expect(text.length).toBeLessThanOrEqual(html.length * 3);
    expect(isHtml(html)).toBeTypeOf("boolean");
  });
});

it.each([
  [null, ""],
  ["", ""],
  ["plain <3 text\r\n \n", "plain <3 text"],
  ["<p>rich</p>", "rich"],
  ["  indented", "  indented"],
])("plainDescription() of %j is %j", (description, expected) => {
  expect(plainDescription(description)).toBe(expected);
});

it.each([
  ["Review ✓ größer 📅\tx\n", "Review ✓ größer 📅\tx\n"],
  ["a\r\nb\n", "a\r\nb\n"],
  ["\u001b[2J\u001b]0;title\u0007x", "\\u001b[2J\\u001b]0;title\\u0007x"],
  ["safe\rFAIL", "safe\\u000dFAIL"],
  ["\u009b31m\u007f\u0000\b", "\\u009b31m\\u007f\\u0000\\u0008"],
  ["invoice\u202efdp.exe\u2028x", "invoice\\u202efdp.exe\\u2028x"],
  ["\u200fא\u200e", "\u200fא\u200e"],
  [`${JSON.stringify({ title: "\u001b\u009b" })}\n`, '{"title":"\\u001b\\u009b"}\n'],
])("shownText() of %j is %j", (text, shown) => {
  expect(shownText(text)).toBe(shown);
});
