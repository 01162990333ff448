import { describe, expect, it } from "vitest";
import {
  bodyFault,
  caldavFault,
  davFault,
  faultAnswer,
  plainFault,
  xmlFault,
} from "../src/fault.ts";
import { childrenOf, readXml, xmlTextOf } from "../src/xml/read-xml.ts";
import { caldav, dav } from "../src/xml/xml-names.ts";

function childrenIn(body: string | Buffer | undefined) {
  const result = readXml(Buffer.from(body ?? ""));
  if (!result.ok || !result.value) throw new Error("the answer is no XML");
  return childrenOf(result.value);
}

describe("faultAnswer()", () => {
  it("has the precondition for programs and the reason for people", () => {
    const fault = caldavFault("no-uid-conflict", `"a" & b`, "<d:href>/dav/x.ics</d:href>");
    const { status, headers, body } = faultAnswer(fault);
    expect(status).toBe(403);
    expect(headers).toEqual({ "Content-Type": "application/xml; charset=utf-8" });
    const [rule, reason] = childrenIn(body);
    expect(rule).toMatchObject(caldav("no-uid-conflict"));
    expect(rule && childrenOf(rule)).toMatchObject([dav("href")]);
    expect(reason).toMatchObject({ namespace: "urn:dayferry", name: "reason" });
    expect(reason && xmlTextOf(reason)).toBe(`"a" & b`);
  });

  it.each([
    [davFault("valid-sync-token", "too old"), 403, 2],
    [plainFault(409, "no"), 409, 1],
    [bodyFault("no"), 400, 1],
    [xmlFault({ line: 3, reason: "unclosed tag: a" }), 400, 1],
  ])("writes %j", (fault, status, children) => {
    const answer = faultAnswer(fault);
    expect(answer.status).toBe(status);
    expect(childrenIn(answer.body)).toHaveLength(children);
  });

  it("keeps additional headers", () => {
    const answer = faultAnswer({ ...plainFault(503, "x"), headers: { "Retry-After": "30" } });
    expect(answer.headers).toMatchObject({
      "Retry-After": "30",
      "Content-Type": "application/xml; charset=utf-8",
    });
  });
});

it("xmlFault() names the line if it is known", () => {
  expect(xmlFault({ line: 3, reason: "bad" }).reason).toBe(
    "the XML of the request cannot be read: bad (line 3)",
  );
  expect(xmlFault({ line: null, reason: "bad" }).reason).not.toContain("line");
});
