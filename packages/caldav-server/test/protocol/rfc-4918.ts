import { describe, expect, it } from "vitest";
import { preconditionsOf, readMultistatus, rootOf } from "../multistatus.ts";
import type { StartWorld } from "./world.ts";
import { events, type Headers, home, namespaces, principal, tasks, vevent } from "./world.ts";

export function rfc4918(start: StartWorld): void {
  describe("RFC 4918 4.3: xml:lang", () => {
    const described = "{urn:ietf:params:xml:ns:caldav}calendar-description";
    const note = `<n:note xmlns:n="urn:n"/>`;
    const ask = `<d:propfind ${namespaces}><d:prop><c:calendar-description/>${note}</d:prop></d:propfind>`;

    it.each([
      ["the property", "", `xml:lang="de"`],
      ["the prop around it", `xml:lang="de"`, ""],
      ["both, the inner one", `xml:lang="en"`, `xml:lang="de"`],
    ])("is kept if it is set on %s", async (_where, around, own) => {
      const { proppatch, call } = await start();
      await proppatch(
        events,
        `<d:set><d:prop ${around}><c:calendar-description ${own}>Termine</c:calendar-description><n:note xmlns:n="urn:n" ${own}><n:a/></n:note></d:prop></d:set>`,
      );
      const { text } = await call(`PROPFIND ${events}`, { headers: { depth: "0" }, body: ask });
      expect(text).toContain(`<c:calendar-description xml:lang="de">Termine<`);
      expect(text).toMatch(/<x:note xmlns:x="urn:n" xml:lang="de"><a xmlns="urn:n"\/>/);
    });

    it("is removed together with its value", async () => {
      const { proppatch, props, call } = await start();
      const set = (value: string) => proppatch(events, `<d:set><d:prop>${value}</d:prop></d:set>`);
      await set(`<c:calendar-description xml:lang="de">Termine</c:calendar-description>`);
      await set("<c:calendar-description>Dates</c:calendar-description>");
      const { text } = await call(`PROPFIND ${events}`, { headers: { depth: "0" }, body: ask });
      expect(text).toContain("<c:calendar-description>Dates<");
      expect(await props(events, "<c:calendar-description/>")).toEqual({ [described]: "Dates" });
      const everything = await call(`PROPFIND ${events}`, {
        headers: { depth: "0" },
        body: `<d:propfind ${namespaces}><d:propname/></d:propfind>`,
      });
      expect(everything.text).not.toContain("lang");
    });
  });

  describe("RFC 4918 5.2: collections without trailing slash", () => {
    it.each([
      [events.slice(0, -1), events],
      [home.slice(0, -1), home],
      [principal.slice(0, -1), principal],
      ["/dav", "/dav/"],
      [events, undefined],
    ])("%s answers with the Content-Location %s", async (path, expected) => {
      const { call } = await start();
      for (const request of [`PROPFIND ${path}`, `GET ${path}`]) {
        const { headers } = await call(request, { headers: { depth: "0" } });
        expect(headers["content-location"]).toBe(expected);
      }
    });
  });

  describe("RFC 4918 8.3: URLs in responses", () => {
    it("are absolute paths, the requested resource first, collections with a trailing slash", async () => {
      const { propfind } = await start();
      for (const path of ["/dav/", principal, home, events]) {
        const { responses } = await propfind(path, "<d:prop><d:resourcetype/></d:prop>", "1");
        expect(responses[0]?.href).toBe(path);
        for (const { href, props } of responses) {
          expect(href).toMatch(/^\/dav\/[!-~]*$/);
          const isCollection = !href.endsWith(".ics");
          expect(href.endsWith("/")).toBe(isCollection);
          expect(Object.keys(props)).toEqual(["{DAV:}resourcetype"]);
        }
      }
    });
  });

  describe("RFC 4918 8.4: unexpected bodies", () => {
    it.each(["DELETE", "COPY", "MOVE"])(
      "%s rejects a body with 415 and changes nothing",
      async (method) => {
        const { call, event } = await start();
        const headers = { destination: `${events}other.ics`, "content-length": "4" };
        const answer = await call(`${method} ${event.href}`, { headers, body: "<x/>" });
        expect(answer.status).toBe(415);
        expect((await call(`HEAD ${event.href}`)).headers.etag).toBe(event.etag);
      },
    );
  });

  describe("RFC 4918 9.2: PROPPATCH", () => {
    it("accepts the removal of a missing property", async () => {
      const { proppatch } = await start();
      const remove = `<d:remove><d:prop><n:none xmlns:n="urn:n"/></d:prop></d:remove>`;
      const { status, text } = await proppatch(events, remove);
      expect(status).toBe(207);
      expect(text).toMatch(/<x:none xmlns:x="urn:n"\/><\/d:prop><d:status>HTTP\/1.1 200 OK/);
    });

    it("keeps white space and line breaks of unknown properties", async () => {
      const { proppatch, props } = await start();
      const value = ' a\n  <n:b xmlns:n="urn:n"> c </n:b>&#13;\n\t';
      await proppatch(
        events,
        `<d:set><d:prop><n:n xmlns:n="urn:n">${value}</n:n></d:prop></d:set>`,
      );
      const read = await props(events, `<n:n xmlns:n="urn:n"/>`);
      expect(read["{urn:n}n"]).toBe(" a\n   c \r\n\t");
    });
  });

  describe("RFC 4918 9.6 to 9.9: DELETE, PUT, COPY and MOVE", () => {
    it.each<[string, string, Headers, number]>([
      ["DELETE", "EVENT", {}, 204],
      ["DELETE", `${events}none.ics`, {}, 404],
      ["DELETE", events, {}, 403],
      ["COPY", "EVENT", { destination: `${events}b.ics` }, 201],
      ["COPY", "EVENT", { destination: `${events}b.ics`, overwrite: "F" }, 201],
      ["COPY", "EVENT", {}, 400],
      ["COPY", "EVENT", { destination: "EVENT" }, 403],
      ["COPY", "EVENT", { destination: `${home}none/b.ics` }, 409],
      ["COPY", "EVENT", { destination: "https://other.example.net/dav/x.ics" }, 502],
      ["MOVE", "EVENT", { destination: `${events}b.ics` }, 201],
      ["MOVE", "EVENT", { destination: "TAKEN", overwrite: "F" }, 412],
      ["MOVE", "EVENT", { destination: "TAKEN", overwrite: "T" }, 403],
      ["MOVE", "EVENT", { destination: `${home}none/b.ics` }, 409],
      ["MOVE", `${events}none.ics`, { destination: `${events}b.ics` }, 404],
      ["MKCOL", `${home}new/`, {}, 403],
      ["MKCOL", events, {}, 405],
      ["PUT", events, {}, 405],
      ["PUT", `${home}none/a.ics`, {}, 409],
      ["LOCK", "EVENT", {}, 405],
      ["UNLOCK", "EVENT", {}, 405],
    ])("%s of %s with %j is answered %i", async (method, path, headers, status) => {
      const { call, event, put } = await start();
      const taken = `${events}taken.ics`;
      expect((await put(taken, vevent("taken"))).status).toBe(201);
      const named = (text: string) => text.replace("EVENT", event.href).replace("TAKEN", taken);
      const sent = Object.entries(headers).map(([name, value]) => [name, named(value)]);
      const answer = await call(`${method} ${named(path)}`, { headers: Object.fromEntries(sent) });
      expect(answer.status, answer.text).toBe(status);
    });

    it("keeps the source after a COPY but not after a MOVE", async () => {
      const { call, event } = await start();
      await call(`COPY ${event.href}`, { headers: { destination: `${events}b.ics` } });
      expect((await call(`GET ${event.href}`)).status).toBe(200);
      await call(`MOVE ${event.href}`, { headers: { destination: `${events}c.ics` } });
      expect((await call(`GET ${event.href}`)).status).toBe(404);
      const [copied, moved] = [await call(`GET ${events}b.ics`), await call(`GET ${events}c.ics`)];
      expect([copied.status, moved.status]).toEqual([200, 200]);
      const uidIn = (text: string) => /^UID:(.*)$/m.exec(text)?.[1];
      expect(uidIn(copied.text)).not.toBe(uidIn(moved.text));
    });
  });

  describe("RFC 4918 10.4: the If header", () => {
    it.each<[string, string, number]>([
      ["the version of another object", `<EVENT> ([ETAG])`, 201],
      ["another version of another object", `<EVENT> (["x"])`, 412],
      ["a version of a missing object", `<${events}none.ics> (["x"])`, 412],
      ["no version of a missing object", `<${events}none.ics> (Not ["x"])`, 201],
      ["another server", `<https://other.example.net${events}none.ics> (["x"])`, 412],
      ["one that fails and one that holds", `<EVENT> (["x"]) <${events}new.ics> (Not ["x"])`, 201],
      ["one that holds for another", `<${events}new.ics> (["x"]) <EVENT> ([ETAG])`, 201],
      ["a lock that nobody has", `<${events}new.ics> (<urn:uuid:1>)`, 412],
      ["no lock", `(Not <DAV:no-lock>)`, 201],
      ["nothing at all", "", 400],
      ["nonsense", `<EVENT> [ETAG]`, 400],
    ])("of a PUT names %s", async (_what, header, status) => {
      const { put, event } = await start();
      const named = header.replace("EVENT", event.href).replace("ETAG", event.etag);
      const answer = await put(`${events}new.ics`, vevent("new"), { if: named });
      expect(answer.status, answer.text).toBe(status);
    });

    it.each([
      ["GET", 200],
      ["PROPFIND", 207],
      ["PROPPATCH", 207],
      ["DELETE", 204],
    ])("applies to %s as well", async (method, status) => {
      const { call, event } = await start();
      const path = method === "PROPPATCH" ? events : event.href;
      const body =
        method === "PROPPATCH"
          ? `<d:propertyupdate ${namespaces}><d:set><d:prop><ical:calendar-order>7</ical:calendar-order></d:prop></d:set></d:propertyupdate>`
          : "";
      const ask = async (header: string) =>
        (await call(`${method} ${path}`, { headers: { if: header, depth: "0" }, body })).status;
      expect(await ask(`<${event.href}> (["x"])`)).toBe(412);
      expect(await ask(`<${event.href}> ([${event.etag}])`)).toBe(status);
    });
  });

  describe("RFC 4918 15.4 to 15.6: properties that describe GET", () => {
    const asked = ["getetag", "getcontenttype", "getcontentlength"] as const;
    const question = asked.map((name) => `<d:${name}/>`).join("");

    it.each(["/dav/", principal, "/dav/calendars/", home, events, tasks, `${home}assigned/`])(
      "matches GET for the collection %s",
      async (path) => {
        const { call, props, put } = await start();
        await put(`${events}a.ics`, vevent("a", "DESCRIPTION:Straße"));
        const { headers } = await call(`GET ${path}`, {
          headers: { "accept-encoding": "identity" },
        });
        expect(await props(path, question)).toEqual({
          "{DAV:}getetag": headers.etag,
          "{DAV:}getcontenttype": headers["content-type"],
          "{DAV:}getcontentlength": headers["content-length"],
        });
        expect(headers["content-length"]).toMatch(/^[1-9]\d+$/);
        expect(headers.etag).toMatch(/^W\/"/);
      },
    );

    it("omits the length of a streamed calendar, like GET", async () => {
      const { call, props, put } = await start();
      const long = vevent("long", `DESCRIPTION:${"long ".repeat(18_000)}`);
      expect((await put(`${events}long.ics`, long)).status).toBe(201);
      const { headers } = await call(`GET ${events}`, {
        headers: { "accept-encoding": "identity" },
      });
      expect(headers["content-length"]).toBeUndefined();
      expect(Object.keys(await props(events, question))).toEqual([
        "{DAV:}getetag",
        "{DAV:}getcontenttype",
      ]);
    });
  });

  describe("RFC 4918 16: the error body", () => {
    it.each<[string, Headers, string, number, string]>([
      [`PROPFIND ${home}`, { depth: "infinity" }, "", 403, "propfind-finite-depth"],
      [`REPORT ${events}`, {}, `<x xmlns="urn:x"/>`, 403, "supported-report"],
      [`MKCALENDAR ${home}new/`, {}, "", 403, "calendar-collection-location-ok"],
      [`MKCALENDAR ${events}`, {}, "", 403, "resource-must-be-null"],
      [`MKCOL ${home}new/`, {}, "", 403, "need-privileges"],
      ["PROPFIND /dav/calendars/12/", { depth: "0" }, "", 403, "need-privileges"],
      [`PROPPATCH ${principal}`, {}, "", 403, "need-privileges"],
      [`PUT ${events}a.ics`, { "content-type": "text/plain" }, "x", 409, "supported-calendar-data"],
      [`PUT ${events}a.ics`, { "content-type": "text/calendar" }, "x", 409, "valid-calendar-data"],
    ])(
      "of %s with %j names the rule and says why",
      async (request, headers, body, status, rule) => {
        const { call } = await start();
        const answer = await call(request, { headers, body });
        expect(answer.status).toBe(status);
        expect(answer.headers["content-type"]).toBe("application/xml; charset=utf-8");
        expect(preconditionsOf(answer.text)).toEqual([rule]);
        expect(answer.text).toMatch(/<df:reason>.{10,}<\/df:reason>/);
      },
    );
  });

  describe("RFC 4918 17: unknown elements in a request", () => {
    it("is ignored, and the namespace of an element matters", async () => {
      const { call } = await start();
      const body = `<?xml version="1.0"?><p:propfind xmlns:p="DAV:" xmlns:q="urn:q" q:odd="1"><q:more><p:allprop/></q:more><p:prop q:odd="1"><p:displayname/><q:displayname/></p:prop></p:propfind>`;
      const { text } = await call(`PROPFIND ${events}`, { headers: { depth: "0" }, body });
      const [response] = readMultistatus(text).responses;
      expect(response?.props).toEqual({ "{DAV:}displayname": "Website" });
      expect(response?.absent).toEqual({ 404: ["displayname"] });
    });
  });

  describe("RFC 4918 20.6: entities", () => {
    it.each([
      `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`,
      `<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>`,
      "<a>&unknown;</a>",
      "<a",
    ])("%s is a bad request", async (body) => {
      const { call } = await start();
      for (const request of [`PROPFIND ${tasks}`, `REPORT ${tasks}`, `PROPPATCH ${tasks}`]) {
        const answer = await call(request, { headers: { depth: "0" }, body });
        expect(answer.status).toBe(400);
        expect(rootOf(answer.text).name).toBe("error");
      }
    });
  });
}
