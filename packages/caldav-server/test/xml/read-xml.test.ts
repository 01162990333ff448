import { describe, expect, it } from "vitest";
import {
  childOf,
  childrenNamed,
  largestXml,
  readXml,
  wholeText,
  xmlTextOf,
} from "../../src/xml/read-xml.ts";
import { caldav, caldavNamespace, dav } from "../../src/xml/xml-names.ts";

const read = (text: string) => readXml(Buffer.from(text));

function rootOf(text: string) {
  const result = read(text);
  if (!result.ok || !result.value) throw new Error(`not read: ${JSON.stringify(result)}`);
  return result.value;
}

describe("readXml()", () => {
  it.each(["", "  \r\n ", "\ufeff"])("returns null when the body is %j", (text) => {
    expect(read(text)).toEqual({ ok: true, value: null });
  });

  it.each([
    ["a prefix", `<D:propfind xmlns:D="DAV:"><D:prop/></D:propfind>`],
    ["another prefix", `<x-1:propfind xmlns:x-1="DAV:"><x-1:prop/></x-1:propfind>`],
    ["the default namespace", `<propfind xmlns="DAV:"><prop></prop></propfind>`],
    ["two prefixes", `<a:propfind xmlns:a="DAV:" xmlns:b="DAV:"><b:prop/></a:propfind>`],
    [
      "a declaration and a byte order mark",
      `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<propfind xmlns="DAV:"><!-- x --><prop/></propfind>\n`,
    ],
  ])("finds names by namespace when they are written with %s", (_how, text) => {
    const root = rootOf(text);
    expect(root).toMatchObject(dav("propfind"));
    expect(childOf(root, "prop")).not.toBeNull();
    expect(childOf(root, caldav("prop"))).toBeNull();
  });

  it("joins texts with entities, character references and CDATA", () => {
    const root = rootOf(`<a>1 &amp; &#50;&#x33;<![CDATA[ <&> ]]>&lt;&gt;&quot;&apos;</a>`);
    expect(root.children).toEqual([`1 & 23 <&> <>"'`]);
  });

  it("keeps attributes by name, without declarations", () => {
    const root = rootOf(`<c:x xmlns:c="${caldavNamespace}" name="A" c:name="B" xml:lang="de"/>`);
    expect([...root.attributes]).toEqual([
      ["name", "A"],
      [`{${caldavNamespace}}name`, "B"],
      ["{http://www.w3.org/XML/1998/namespace}lang", "de"],
    ]);
  });

  it("accepts a multiget of thousands of addresses", () => {
    const hrefs = Array.from({ length: 9000 }, (_, at) => `<d:href>/dav/${at}.ics</d:href>`);
    const root = rootOf(
      `<c:m xmlns:c="${caldavNamespace}" xmlns:d="DAV:">${hrefs.join("\n")}</c:m>`,
    );
    expect(childrenNamed(root, "href").map(xmlTextOf).at(-1)).toBe("/dav/8999.ics");
  });

  it.each([
    ["an open element", "<a><b></a>", /tag/],
    ["nothing but text", "hello", /text data outside/],
    ["two roots", "<a/><b/>", /root/],
    ["an unbound prefix", "<q:a/>", /unbound namespace prefix/],
    ["an attribute twice", `<a b="1" b="2"/>`, /duplicate attribute/],
    [
      "an attribute twice by namespace",
      `<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>`,
      /duplicate/,
    ],
    ["a bare ampersand", "<a>a & b; c</a>", /entity/],
    ["a control character", "<a>\u0001</a>", /disallowed character/],
    ["a reference to a control character", "<a>&#1;</a>", /entity/],
    ["a control character of XML 1.1", `<?xml version="1.1"?><a>&#1;</a>`, /entity/],
    ["an unknown entity", "<a>&nbsp;</a>", /undefined entity/],
    ["a document type", `<!DOCTYPE a SYSTEM "http://127.0.0.1/x"><a/>`, /document type/],
    [
      "an entity bomb",
      `<!DOCTYPE a [<!ENTITY x "x"><!ENTITY y "&x;&x;">]><a>&y;</a>`,
      /document type/,
    ],
    [
      "an external entity",
      `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hosts">]><a>&x;</a>`,
      /document type/,
    ],
    ["a processing instruction", `<?xml-stylesheet href="x"?><a/>`, /instruction xml-stylesheet/],
    ["another encoding", `<?xml version="1.0" encoding="ISO-8859-1"?><a/>`, /ISO-8859-1/],
    ["too deep a tree", "<a>".repeat(33) + "</a>".repeat(33), /more than 32 deep/],
    ["too many elements", `<a>${"<b/>".repeat(10_000)}</a>`, /more than 10000 elements/],
    [
      "too many attributes",
      `<a ${Array.from({ length: 65 }, (_, at) => `a${at}=""`).join(" ")}/>`,
      /more than 64 attributes/,
    ],
    [
      "too many namespaces",
      `<a ${Array.from({ length: 65 }, (_, at) => `xmlns:a${at}="u"`).join(" ")}/>`,
      /more than 64 attributes/,
    ],
    ["too large a text", `<a>${"x".repeat(largestXml)}</a>`, /more than the 1048576 allowed/],
  ])("fails when there is %s", (_what, text, reason) => {
    const result = read(text);
    expect(result).toMatchObject({ ok: false, failure: { reason: expect.stringMatching(reason) } });
  });

  it("names the line of a fault", () => {
    expect(read("<a>\n<b>\n</a>")).toMatchObject({ ok: false, failure: { line: 3 } });
  });

  it.each([
    ["a mark of UTF-16", Buffer.from("\ufeff<a/>", "utf16le")],
    ["UTF-16 without a mark", Buffer.from("<a/>", "utf16le")],
    ["a mark of UTF-16 BE", Buffer.from([0xfe, 0xff, 0, 0x3c])],
    ["Latin-1", Buffer.from("<a>\u00e4</a>", "latin1")],
  ])("fails when the body has %s", (_what, body) => {
    expect(readXml(body)).toMatchObject({
      ok: false,
      failure: { line: null, reason: expect.stringMatching(/UTF-(8|16)/) },
    });
  });

  it("keeps white space on request", () => {
    const root = rootOf("<a>\n <b> x </b>\n</a>");
    expect(wholeText(root)).toBe("\n  x \n");
    expect(xmlTextOf(root)).toBe("x");
  });
});
