import { describe, expect, it } from "vitest";
import { childOf, childrenNamed, readXml, xmlTextOf } from "../../src/xml/read-xml.ts";
import {
  type Multistatus,
  multistatus as piecesOf,
  response,
  statusResponse,
} from "../../src/xml/write-xml.ts";

const multistatus = (content: Multistatus): string => [...piecesOf(content)].join("");

function responsesOf(text: string) {
  const result = readXml(Buffer.from(text));
  if (!result.ok || !result.value) throw new Error("the answer is no XML");
  return { root: result.value, responses: childrenNamed(result.value, "response") };
}

describe("multistatus()", () => {
  it("writes responses with their propstats, statuses, errors and token", () => {
    const { root, responses } = responsesOf(
      multistatus({
        responses: [
          response("/dav/a&b.ics", [
            { status: 200, props: `<d:getetag>&quot;1&quot;</d:getetag>` },
            { status: 404, props: "<d:owner/>" },
            { status: 424, props: "<c:x/>", error: "<d:cannot-modify-protected-property/>" },
          ]),
          statusResponse("/dav/b.ics", { status: 404 }),
          statusResponse("/dav/", { status: 507, error: "<d:number-of-matches-within-limits/>" }),
        ],
        syncToken: "urn:x?a&b",
      }),
    );
    expect(root).toMatchObject({ namespace: "DAV:", name: "multistatus" });
    expect(xmlTextOf(childOf(root, "sync-token") ?? root)).toBe("urn:x?a&b");
    const [first, second, third] = responses;
    if (!first || !second || !third) throw new Error("three responses were written");
    const propstats = childrenNamed(first, "propstat");
    expect(propstats.map((each) => xmlTextOf(childOf(each, "status") ?? each))).toEqual([
      "HTTP/1.1 200 OK",
      "HTTP/1.1 404 Not Found",
      "HTTP/1.1 424 Failed Dependency",
    ]);
    expect(propstats.map((each) => childOf(each, "error") !== null)).toEqual([false, false, true]);
    expect(xmlTextOf(childOf(second, "status") ?? second)).toBe("HTTP/1.1 404 Not Found");
    expect(childrenNamed(second, "propstat")).toEqual([]);
    expect(
      childOf(childOf(third, "error") ?? third, "number-of-matches-within-limits"),
    ).not.toBeNull();
  });

  it("writes a propstat even when nothing was requested", () => {
    const { responses } = responsesOf(multistatus({ responses: [response("/dav/a", [])] }));
    const [only] = responses.flatMap((each) => childrenNamed(each, "propstat"));
    expect(only && childOf(only, "prop")).toMatchObject({ children: [] });
    expect(only && xmlTextOf(only)).toBe("HTTP/1.1 200 OK");
  });

  it("is well-formed without any response", () => {
    expect(responsesOf(multistatus({ responses: [] })).responses).toEqual([]);
  });
});
