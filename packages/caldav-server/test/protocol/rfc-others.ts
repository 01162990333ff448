import { describe, expect, it } from "vitest";
import type { StartWorld } from "./world.ts";
import { events, home, namespaces, principal } from "./world.ts";

export function otherRfcs(start: StartWorld): void {
  describe("RFC 3744 5.4: current-user-privilege-set", () => {
    const set = `<propfind xmlns="DAV:"><prop><current-user-privilege-set/></prop></propfind>`;
    const told = (text: string) =>
      [...text.matchAll(/<d:privilege><[a-z]+:([a-z-]+)\/>/g)]
        .map(([, name = ""]) => name)
        .toSorted();

    it.each([
      ["/dav/", ["read", "read-current-user-privilege-set"]],
      [principal, ["read", "read-current-user-privilege-set"]],
      [
        events,
        [
          "bind",
          "read",
          "read-current-user-privilege-set",
          "read-free-busy",
          "unbind",
          "write",
          "write-content",
          "write-properties",
        ],
      ],
      [
        `${home}assigned/`,
        [
          "read",
          "read-current-user-privilege-set",
          "read-free-busy",
          "unbind",
          "write-content",
          "write-properties",
        ],
      ],
    ])("of %s matches what is allowed there", async (path, expected) => {
      const { call } = await start();
      const { text } = await call(`PROPFIND ${path}`, { headers: { depth: "0" }, body: set });
      expect(told(text)).toEqual(expected);
    });

    it("is a subset of supported-privilege-set", async () => {
      const { call, event } = await start();
      const body = `<propfind xmlns="DAV:"><prop><supported-privilege-set/></prop></propfind>`;
      for (const path of [events, event.href, home]) {
        const all = told((await call(`PROPFIND ${path}`, { headers: { depth: "0" }, body })).text);
        const own = await call(`PROPFIND ${path}`, { headers: { depth: "0" }, body: set });
        expect(all).toEqual(expect.arrayContaining(told(own.text)));
      }
    });
  });

  describe("RFC 3744 7.1.1: need-privileges", () => {
    it.each([
      ["PUT", `${events}new.ics`, "write-content", `${events}new.ics`],
      ["DELETE", "EVENT", "unbind", events],
      ["PROPPATCH", events, "write-properties", events],
      ["MKCOL", `${home}new/`, "bind", home],
      ["PROPFIND", "/dav/calendars/12/", "read", "/dav/calendars/12/"],
    ])("of %s on %s contains %s and the resource", async (method, path, privilege, resource) => {
      const { call, event } = await start({ readOnly: [11] });
      const headers = { "content-type": "text/calendar", depth: "0" };
      const answer = await call(`${method} ${path.replace("EVENT", event.href)}`, { headers });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain(
        `<d:need-privileges><d:resource><d:href>${resource}</d:href><d:privilege><d:${privilege}/></d:privilege></d:resource></d:need-privileges>`,
      );
    });
  });

  describe("RFC 3744 4: the principal", () => {
    it("has its own URL, no groups, and equals current-user-principal", async () => {
      const { props } = await start();
      const asked =
        "<d:principal-URL/><d:alternate-URI-set/><d:group-member-set/><d:group-membership/><d:displayname/><d:resourcetype/>";
      expect(await props(principal, asked)).toEqual({
        "{DAV:}principal-URL": principal,
        "{DAV:}alternate-URI-set": "",
        "{DAV:}group-member-set": "",
        "{DAV:}group-membership": "",
        "{DAV:}displayname": "Ana",
        "{DAV:}resourcetype": "",
      });
      for (const path of ["/", "/dav/", home, events]) {
        expect(
          (await props(path, "<d:current-user-principal/>"))["{DAV:}current-user-principal"],
        ).toBe(principal);
      }
    });
  });

  describe("RFC 7240: Prefer", () => {
    it.each([
      ["return=minimal", true],
      ["RETURN = minimal", true],
      ['return="minimal"; x=1, respond-async', true],
      ["wait=10, return=minimal", true],
      ["return=minimal, return=representation", true],
      ["return=representation, return=minimal", false],
      ["return=minimalist", false],
      ["handling=strict, odd", false],
    ])("%s is honoured: %s", async (prefer, isMinimal) => {
      const { call, event } = await start();
      const requests = [
        [`PROPFIND ${events}`, `<d:propfind ${namespaces}><d:prop><d:none/></d:prop></d:propfind>`],
        [
          `REPORT ${events}`,
          `<c:calendar-multiget ${namespaces}><d:prop><d:none/></d:prop><d:href>${event.href}</d:href></c:calendar-multiget>`,
        ],
      ] as const;
      for (const [request, body] of requests) {
        const { text, headers } = await call(request, { headers: { depth: "0", prefer }, body });
        expect(text.includes("HTTP/1.1 404")).toBe(!isMinimal);
        expect(headers["preference-applied"]).toBe(isMinimal ? "return=minimal" : undefined);
        if (isMinimal) expect(headers.vary).toContain("Prefer");
      }
    });
  });

  describe("RFC 6764 5: the well-known URL", () => {
    it("redirects to a context root that has current-user-principal", async () => {
      const { bare, call, port } = await start({ publicUrl: "own" });
      const body = `<propfind xmlns="DAV:"><prop><current-user-principal/></prop></propfind>`;
      const first = await bare("PROPFIND /.well-known/caldav", { headers: { depth: "0" }, body });
      expect(first.status).toBe(301);
      const { href, pathname } = new URL(first.headers.location ?? "");
      expect(href).toBe(`http://127.0.0.1:${port}/dav/`);
      const second = await call(`PROPFIND ${pathname}`, { headers: { depth: "0" }, body });
      expect(second.text).toContain(`<d:href>${principal}</d:href>`);
    });
  });
}
