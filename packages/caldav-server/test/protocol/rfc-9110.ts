import { describe, expect, it } from "vitest";
import type { StartWorld } from "./world.ts";
import { events, type Headers, home, object, vevent } from "./world.ts";

export function rfc9110(start: StartWorld): void {
  const now = "Sat, 21 Nov 2026 09:00:00 GMT";

  describe("RFC 9110 5.6.7: dates", () => {
    it.each([now, "Saturday, 21-Nov-26 09:00:00 GMT", "Sat Nov 21 09:00:00 2026"])(
      "are read in the format %s",
      async (since) => {
        const { call, event } = await start();
        const { status } = await call(`GET ${event.href}`, {
          headers: { "if-modified-since": since },
        });
        expect(status).toBe(304);
      },
    );
  });

  describe("RFC 9110 9.3.2: HEAD", () => {
    it("returns the headers of GET without the body", async () => {
      const { call, event } = await start();
      for (const path of [event.href, events, home]) {
        const [got, head] = [await call(`GET ${path}`), await call(`HEAD ${path}`)];
        expect(head.bytes).toHaveLength(0);
        expect({ ...head.headers, date: "" }).toEqual({ ...got.headers, date: "" });
        expect(head.headers["content-length"]).toBe(String(got.bytes.length));
      }
    });
  });

  describe("RFC 9110 9.3.4: PUT", () => {
    it("returns a validator only if the object is stored as it was sent", async () => {
      const { put, call } = await start();
      const item = vevent("a", "X-KEPT:1");
      const { headers } = await put(`${events}a.ics`, item);
      const got = await call(`GET ${events}a.ics`);
      expect(got.headers.etag).toBe(headers.etag);
      expect(got.text).toBe(object(item));
      expect(headers.location).toBe(`https://calendar.example.com${events}a.ics`);
    });
  });

  describe("RFC 9110 13.1: conditions on reading", () => {
    const before = "Sat, 21 Nov 2026 08:59:59 GMT";
    it.each<[string, Headers, number]>([
      ["EVENT", { "if-match": "ETAG" }, 200],
      ["EVENT", { "if-match": '"a", ETAG' }, 200],
      ["EVENT", { "if-match": "*" }, 200],
      ["EVENT", { "if-match": '"a"' }, 412],
      ["EVENT", { "if-match": "W/ETAG" }, 412],
      ["EVENT", { "if-unmodified-since": now }, 200],
      ["EVENT", { "if-unmodified-since": before }, 412],
      ["EVENT", { "if-unmodified-since": "some day" }, 200],
      ["EVENT", { "if-match": "ETAG", "if-unmodified-since": before }, 200],
      ["EVENT", { "if-match": "ETAG", "if-none-match": "ETAG" }, 304],
      ["EVENT", { "if-none-match": '"a"', "if-modified-since": now }, 200],
      ["EVENT", { "if-modified-since": before }, 200],
      [`${events}none.ics`, { "if-match": "*" }, 404],
      [`${events}none.ics`, { "if-none-match": "*" }, 404],
      [events, { "if-match": "*" }, 200],
      [events, { "if-match": '"a"' }, 412],
    ])("GET of %s with %j is answered %i", async (path, headers, status) => {
      const { call, event } = await start();
      const sent = Object.entries(headers).map(([name, value]) => [
        name,
        value.replace("ETAG", event.etag),
      ]);
      for (const method of ["GET", "HEAD"]) {
        const answer = await call(`${method} ${path.replace("EVENT", event.href)}`, {
          headers: Object.fromEntries(sent),
        });
        expect(answer.status).toBe(status);
      }
    });

    it("are ignored by OPTIONS", async () => {
      const { call, event } = await start();
      const headers = { "if-match": '"a"', if: '(["a"])' };
      expect((await call(`OPTIONS ${event.href}`, { headers })).status).toBe(200);
    });
  });

  describe("RFC 9110 13.1: conditions on writing", () => {
    it.each<[string, Headers, number]>([
      ["PUT", { "if-match": '"a"' }, 412],
      ["PUT", { "if-match": "W/ETAG" }, 412],
      ["PUT", { "if-none-match": "*" }, 412],
      ["PUT", { "if-none-match": "W/ETAG" }, 412],
      ["PUT", { "if-unmodified-since": "Saturday, 21-Nov-26 08:00:00 GMT" }, 412],
      ["DELETE", { "if-match": '"a"' }, 412],
      ["MOVE", { "if-match": '"a"', destination: `${events}b.ics` }, 412],
      ["COPY", { "if-match": '"a"', destination: `${events}b.ics` }, 412],
      ["DELETE", { "if-match": "ETAG" }, 204],
    ])("%s with %j is answered %i", async (method, headers, status) => {
      const { call, event } = await start();
      const sent = Object.entries(headers).map(([name, value]) => [
        name,
        value.replace("ETAG", event.etag),
      ]);
      const uid = decodeURIComponent(event.href.split("/").at(-1) ?? "").replace(/\.ics$/, "");
      const answer = await call(`${method} ${event.href}`, {
        headers: { ...Object.fromEntries(sent), "content-type": "text/calendar" },
        ...(method === "PUT" && { body: object(vevent(uid)) }),
      });
      expect(answer.status, answer.text).toBe(status);
      const after = await call(`HEAD ${event.href}`);
      expect(after.headers.etag).toBe(status === 412 ? event.etag : undefined);
    });
  });

  describe("RFC 9110 14: ranges", () => {
    it("are not supported: GET returns everything, PUT is rejected", async () => {
      const { call, event, put } = await start();
      const part = await call(`GET ${event.href}`, { headers: { range: "bytes=0-9" } });
      expect([part.status, part.text.startsWith("BEGIN:VCALENDAR")]).toEqual([200, true]);
      const answer = await put(event.href, vevent("x"), { "content-range": "bytes 0-9/100" });
      expect(answer.status).toBe(400);
      expect((await call(`HEAD ${event.href}`)).headers.etag).toBe(event.etag);
    });
  });

  describe("RFC 9110 15.4.5: 304", () => {
    it("of an object has ETag, Vary and Cache-Control", async () => {
      const { call, event } = await start();
      const headers = { "if-none-match": event.etag };
      const answer = await call(`GET ${event.href}`, { headers });
      expect(answer.status).toBe(304);
      expect(answer.headers.etag).toBe(event.etag);
      expect(answer.headers["last-modified"]).toBe(now);
      expect(answer.headers["cache-control"]).toBe("private, no-cache");
      expect(answer.bytes).toHaveLength(0);
    });

    it("of a calendar file compares weakly and has Vary", async () => {
      const { call } = await start();
      const { etag = "" } = (await call(`GET ${events}`)).headers;
      expect(etag).toMatch(/^W\/"[^"]+"$/);
      for (const tag of [etag, etag.slice(2), `"a", ${etag}`, "*"]) {
        const answer = await call(`GET ${events}`, { headers: { "if-none-match": tag } });
        expect(answer.status).toBe(304);
        expect(answer.headers).toMatchObject({ etag, vary: "Accept-Encoding" });
      }
    });
  });

  describe("RFC 9110 15.5.6: 405", () => {
    it.each([
      ["POST", events],
      ["PATCH", "EVENT"],
      ["PUT", home],
      ["ACL", events],
    ])("of %s on %s lists the allowed methods", async (method, path) => {
      const { call, event } = await start();
      const target = path.replace("EVENT", event.href);
      const [refused, asked] = [await call(`${method} ${target}`), await call(`OPTIONS ${target}`)];
      expect(refused.status).toBe(405);
      expect(refused.headers.allow).toBe(asked.headers.allow);
      expect(refused.headers.allow?.split(", ")).not.toContain(method);
    });

    it("of a PUT on a calendar does not list PUT", async () => {
      const { call } = await start();
      const refused = (await call(`PUT ${events}`, { body: "x" })).headers.allow?.split(", ");
      const asked = (await call(`OPTIONS ${events}`)).headers.allow?.split(", ") ?? [];
      expect(asked).toContain("PUT");
      expect(refused).toEqual(asked.filter((method) => method !== "PUT"));
    });
  });
}
