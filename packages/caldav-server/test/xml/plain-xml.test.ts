import { atOnce } from "@dayferry/event-loop";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlainXml } from "../../src/xml/plain-xml.ts";
import { readXml, type XmlReading } from "../../src/xml/read-xml.ts";
import { caldavNamespace } from "../../src/xml/xml-names.ts";

const limits = { deepest: 32, mostElements: 10_000, mostAttributes: 64 };
const plain = (text: string) => atOnce(readPlainXml(text, limits));

/** Read by the full reader: the plain one refuses comments, which change nothing. */
function fully(text: string): XmlReading {
  return readXml(Buffer.from(`${text}<!-- -->`));
}

const parts = [
  ...[
    "<a>",
    "</a>",
    "<a/>",
    "<a />",
    "</a >",
    "<d:b>",
    "</d:b>",
    "<d:b",
    "<q:b/>",
    "<a:b:c/>",
    "<",
  ],
  ...[
    ">",
    "/>",
    "< a>",
    "</",
    "</ a>",
    "<aa>",
    "</aa>",
    "<d:a>",
    "</d:a>",
    "<:a>",
    "<1a/>",
    "<a.-1/>",
  ],
  ...[
    ` xmlns="u"`,
    ` xmlns=""`,
    ` xmlns:d="DAV:"`,
    ` xmlns:d=''`,
    ` xmlns:q="u"`,
    ` xmlns:xml="u"`,
  ],
  ...[` xmlns:xmlns="u"`, ` xmlns:q=" u "`, ` xmlns:q="http://www.w3.org/2000/xmlns/"`],
  ...[
    ` n="1"`,
    ` n='2'`,
    ` n = "a>b"`,
    `n="1"`,
    ` m="'"`,
    ` n`,
    ` n=`,
    ` n="<"`,
    ` n="&"`,
    ` n="\t"`,
  ],
  ...[` d:n="1"`, ` xml:lang="de"`, ` n="a\r\nb"`, ` n=""`, "\n n='x'"],
  ...["text", " ", "\n", "\r\n", "\r", "&amp;", "&", "]]>", "ä", "\u0001", "\u007f", "<!-- x -->"],
  ...["<![CDATA[x]]>", "<?x y?>", "<!DOCTYPE a>", `"`, "'", "=", "/", "]]"],
];

const beginnings = [
  "",
  `<?xml version="1.0" encoding="utf-8"?>`,
  `<?xml version='1.0'?>\r\n`,
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`,
  `<?XML version="1.0"?>`,
  `<?xml version="1.1"?>`,
  ` <?xml version="1.0"?>`,
  `<?xml encoding="utf-8"?>`,
];

const texts = fc
  .tuple(fc.constantFrom(...beginnings), fc.array(fc.constantFrom(...parts), { maxLength: 14 }))
  .map(([beginning, all]) => beginning + all.join(""));

/** Usually well-formed. */
const trees = fc.letrec<{ readonly tree: string; readonly inner: string }>((tie) => ({
  inner: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("", "text", " a b ", "\r\n", "x\ry", ">", "]"),
    fc.array(tie("tree"), { maxLength: 3 }).map((all) => all.join("\n")),
  ),
  tree: fc
    .tuple(
      fc.constantFrom("a", "d:a", "c:href", "x-1"),
      fc.subarray([
        ` n="1"`,
        ` xmlns:d="DAV:"`,
        ` xmlns="u"`,
        `\n\tm='2 3'`,
        ` xmlns:c='v'`,
        ` xmlns=""`,
      ]),
      fc.constantFrom("", " ", "\n"),
      tie("inner"),
    )
    .map(([name, attributes, end, inner]) =>
      inner === ""
        ? `<${name}${attributes.join("")}${end}/>`
        : `<${name}${attributes.join("")}${end}>${inner}</${name}${end}>`,
    ),
}));

const bound = trees.tree.map((tree) => `<r xmlns:d="DAV:" xmlns:c="u">${tree}</r>`);

describe("readPlainXml()", () => {
  it("reads the same as the full reader", () => {
    fc.assert(
      fc.property(fc.oneof(texts, bound, trees.tree), (text) => {
        const read = plain(text);
        const full = fully(text);
        if (read) expect(full).toEqual({ ok: true, value: read });
        expect(readXml(Buffer.from(text)).ok).toBe(text.trim() === "" || full.ok);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    `<d:propfind xmlns:d="DAV:"><d:prop><d:getetag/></d:prop></d:propfind>`,
    `<?xml version="1.0" encoding="utf-8" ?>\r\n<propfind xmlns='DAV:'>\r\n  <prop />\r\n</propfind>\r\n`,
    `<C:calendar-query xmlns:C="${caldavNamespace}"><C:filter><C:comp-filter name="VCALENDAR"/></C:filter></C:calendar-query>`,
    `<a xmlns="u"><b xmlns=""><a/></b><a xmlns="v" n="1" m='"'>t</a></a>`,
  ])("reads %s", (text) => {
    expect(plain(text)).not.toBeNull();
    expect(fully(text)).toEqual({ ok: true, value: plain(text) });
  });

  it.each([
    ["a letter beyond ASCII", "<a>ä</a>"],
    ["a reference", "<a>&lt;</a>"],
    ["a comment", "<a><!-- x --></a>"],
    ["an attribute with a prefix", `<a xml:lang="de"/>`],
    ["an unbound prefix", "<d:a/>"],
    ["an attribute twice", `<a b="1" b="2"/>`],
    ["too many elements", `<a>${"<b/>".repeat(10_000)}</a>`],
    ["too deep a tree", "<a>".repeat(33) + "</a>".repeat(33)],
    ["too many attributes", `<a ${Array.from({ length: 65 }, (_, at) => `a${at}=""`).join(" ")}/>`],
    ["nothing", ""],
  ])("leaves %s to the full reader", (_what, text) => {
    expect(plain(text)).toBeNull();
  });
});
