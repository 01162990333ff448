import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readXml, wholeText } from "../../src/xml/read-xml.ts";
import {
  escapeXml,
  hrefElement,
  namedElement,
  rawInner,
  tagOf,
  textElement,
  unescapeText,
  xmlDocument,
} from "../../src/xml/write-xml.ts";
import { caldav, dav, type XmlElement } from "../../src/xml/xml-names.ts";

function rootOf(text: string): XmlElement {
  const result = readXml(Buffer.from(text));
  if (!result.ok || !result.value) throw new Error(`not read: ${JSON.stringify(result)}`);
  return result.value;
}

/** What XML can carry: readers turn CRLF into LF. */
const carried = (text: string): string =>
  text
    .replace(/\r\n/g, "\n")
    .toWellFormed()
    .replace(/[\ufffe\uffff]|[\p{Cc}--[\t\n\r\u{7f}-\u{9f}]]/gv, "");

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("\r", "\n", "&", "<", "]", ">", '"', "\0", "\u0085", "ä", "😀"),
  }),
);

describe("escapeXml()", () => {
  it.each([
    [`a & b < c > d "e"`, "a &amp; b &lt; c &gt; d &quot;e&quot;"],
    ["one\r\ntwo\rthree\n\tfour", "one\r\ntwo&#13;three\n\tfour"],
    ["a\0b\u0008c\u001fd\uffffe\ud800f", "abcdef"],
    ["😀 ä \u0085", "😀 ä \u0085"],
  ])("writes %j", (text, written) => {
    expect(escapeXml(text)).toBe(written);
  });

  it("keeps of a text all that XML can carry", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const wellFormed = text.toWellFormed();
        expect(wholeText(rootOf(xmlDocument("d:x", escapeXml(wellFormed))))).toBe(
          carried(wellFormed),
        );
      }),
    );
  });

  it("is undone by unescapeText()", () => {
    for (const text of [`&amp;<>"'&#13;`, "a\rb\r\nc", "plain"]) {
      expect(unescapeText(escapeXml(text))).toBe(text);
    }
  });
});

describe("namedElement()", () => {
  it.each([
    [dav("getetag"), `<d:getetag>1</d:getetag>`],
    [caldav("calendar-data"), `<c:calendar-data>1</c:calendar-data>`],
    [{ namespace: "", name: "x" }, `<x>1</x>`],
    [{ namespace: `urn:"a"&b`, name: "x" }, `<x:x xmlns:x="urn:&quot;a&quot;&amp;b">1</x:x>`],
  ])("writes %j with the root's prefixes or its own", (name, written) => {
    expect(namedElement(name, "1")).toBe(written);
    expect(rootOf(xmlDocument("d:prop", namedElement(name, ""))).children).toEqual([
      { ...name, attributes: new Map(), children: [] },
    ]);
  });

  it("has matching tags", () => {
    const tag = tagOf({ namespace: "urn:x", name: "y" });
    expect(`${tag.open}${tag.close}`).toBe(`<x:y xmlns:x="urn:x"></x:y>`);
    expect(tag.empty).toBe(`<x:y xmlns:x="urn:x"/>`);
  });
});

it("textElement() and hrefElement() escape their contents", () => {
  expect(textElement("d:displayname", "a & b")).toBe("<d:displayname>a &amp; b</d:displayname>");
  expect(textElement("d:displayname", "")).toBe("<d:displayname/>");
  expect(hrefElement("/dav/a&b%20c")).toBe("<d:href>/dav/a&amp;b%20c</d:href>");
});

const name = fc.constantFrom("a", "prop", "x-y", "Ä");
const namespace = fc.constantFrom("", "DAV:", "urn:a", `urn:"&<>`);
const xmlText = anyText.map((text) => carried(text.toWellFormed())).filter((text) => text !== "");
const attributeText = fc.string({ unit: fc.constantFrom("a", "&", "<", '"', "'", " ", "ä") });
const attributes = fc
  .dictionary(
    fc.constantFrom(
      "name",
      "{urn:a}name",
      "{urn:b}other",
      "{http://www.w3.org/XML/1998/namespace}lang",
    ),
    attributeText,
  )
  .map((pairs) => new Map(Object.entries(pairs)));

const { element } = fc.letrec<{ element: XmlElement }>((tie) => ({
  element: fc.record({
    namespace,
    name,
    attributes,
    children: fc
      .array(fc.oneof({ depthSize: "small" }, xmlText, tie("element")), { maxLength: 4 })
      .map(withoutNeighbours),
  }),
}));

/** Every reader joins two adjacent texts. */
function withoutNeighbours(children: readonly (XmlElement | string)[]) {
  return children.filter(
    (child, at) => typeof child !== "string" || typeof children[at - 1] !== "string",
  );
}

describe("rawInner()", () => {
  it("keeps the same children wherever it is put", () => {
    fc.assert(
      fc.property(element, (original) => {
        const inner = rawInner(original);
        for (const text of [
          xmlDocument("d:prop", inner),
          `<x xmlns="urn:other">${inner}</x>`,
          `<x:x xmlns:x="urn:a">${inner}</x:x>`,
        ]) {
          expect(rootOf(text).children).toEqual(original.children);
        }
      }),
    );
  });

  it("keeps a program's own property with its mixed content", () => {
    const property = rootOf(
      `<p:note xmlns:p="urn:p" xmlns:q="urn:q">see <q:a href="x&amp;y">here</q:a>!</p:note>`,
    );
    expect(rawInner(property)).toBe(`see <a xmlns="urn:q" href="x&amp;y">here</a>!`);
  });
});
