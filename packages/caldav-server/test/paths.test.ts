import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DavTarget } from "../src/dav-request.ts";
import { createPaths } from "../src/paths.ts";

const ana = "11";
const file = "dayferry.mobileconfig";
const slug = "events-2001";

describe("createPaths()", () => {
  it("writes every kind of URL below the path of the public URL", () => {
    const paths = createPaths("/team", file);
    expect(paths.root).toBe("/team/dav/");
    expect(paths.principals).toBe("/team/dav/principals/");
    expect(paths.principal(ana)).toBe("/team/dav/principals/11/");
    expect(paths.file(ana)).toBe("/team/dav/principals/11/dayferry.mobileconfig");
    expect(paths.homes).toBe("/team/dav/calendars/");
    expect(paths.home(ana)).toBe("/team/dav/calendars/11/");
    expect(paths.calendar({ person: ana, slug })).toBe("/team/dav/calendars/11/events-2001/");
    expect(paths.object({ person: ana, slug }, "a.ics")).toBe(
      "/team/dav/calendars/11/events-2001/a.ics",
    );
  });

  it("encodes every ambiguous character", () => {
    const name = "Größe 100% a@b+c!d'e(f)*;g?h#i.ics";
    expect(createPaths("", file).object({ person: ana, slug }, name)).toBe(
      "/dav/calendars/11/events-2001/Gr%C3%B6%C3%9Fe%20100%25%20a%40b%2Bc%21d%27e(f)%2A%3Bg%3Fh%23i.ics",
    );
  });

  it("reads the URLs that it writes, with and without prefix", () => {
    const names = fc
      .string({ unit: "binary", minLength: 1, maxLength: 60 })
      .filter((name) => name !== "." && name !== ".." && !/[/\p{Cc}\p{Cs}]/u.test(name));
    fc.assert(
      fc.property(names, names, (calendar, name) => {
        const target: DavTarget = { kind: "object", person: ana, slug: calendar, name };
        const paths = createPaths("/team", file);
        const path = paths.of(target);
        expect(paths.read(path)).toEqual(target);
        expect(paths.read(path.slice("/team".length))).toEqual(target);
        expect(paths.read(`https://x.example${path}?q=1`)).toEqual(target);
      }),
    );
  });

  it.each<[string, DavTarget]>([
    ["/dav", { kind: "root" }],
    ["/dav/", { kind: "root" }],
    ["/dav/principals", { kind: "principals" }],
    ["/dav/principals/11", { kind: "principal", person: ana }],
    ["/dav/principals/11/dayferry.mobileconfig", { kind: "file", person: ana, name: file }],
    ["/dav/calendars/", { kind: "homes" }],
    ["/dav/calendars/11", { kind: "home", person: ana }],
    ["/dav/calendars/11/events-2001", { kind: "calendar", person: ana, slug }],
    ["http://other.example:81/dav/calendars/11/", { kind: "home", person: ana }],
    ["/dav/calendars/11/events-2001/a%2bb", { kind: "object", person: ana, slug, name: "a+b" }],
    ["/dav/calendars/11/events-2001/a+b/", { kind: "object", person: ana, slug, name: "a+b" }],
  ])("read() understands %s", (address, target) => {
    expect(createPaths("", file).read(address)).toEqual(target);
  });

  it.each([
    "",
    "/",
    "/davs/",
    "/feeds/x.ics",
    "/dav//",
    "/dav/other/",
    "/dav/calendars/11//a.ics",
    "/dav/calendars/11/events-2001/a/b.ics",
    "/dav/calendars/11/events-2001/a%2Fb.ics",
    "/dav/calendars/11/events-2001/..",
    "/dav/calendars/11/events-2001/%2e%2e",
    "/dav/calendars/11/events-2001/a%00.ics",
    "/dav/calendars/11/events-2001/a%0d%0a.ics",
    "/dav/calendars/11/events-2001/%ff.ics",
    "/dav/calendars/11/events-2001/%zz.ics",
    "/dav/principals/11/other.txt",
    "/dav/principals/11/dayferry.mobileconfig/x",
  ])("read() refuses %s", (address) => {
    expect(createPaths("", file).read(address)).toBeNull();
  });
});
