import { describe, expect, it } from "vitest";
import type { StartWorld } from "./world.ts";
import { events, home, principal, vevent } from "./world.ts";

export function rfc6578(start: StartWorld): void {
  const token = "{DAV:}sync-token";

  describe("RFC 6578 3.2: the report", () => {
    it("is listed on calendars only", async () => {
      const { propfind, call, event } = await start();
      const { responses } = await propfind(home, "<d:prop><d:resourcetype/></d:prop>", "1");
      const calendars = responses.map(({ href }) => href).filter((href) => href !== home);
      expect(calendars.length).toBeGreaterThan(3);
      const names = async (path: string) =>
        (
          await call(`PROPFIND ${path}`, {
            headers: { depth: "0" },
            body: `<propfind xmlns="DAV:"><prop><supported-report-set/></prop></propfind>`,
          })
        ).text;
      for (const path of calendars) expect(await names(path)).toContain("<d:sync-collection/>");
      for (const path of [home, principal, "/dav/", event.href]) {
        expect(await names(path)).not.toContain("sync-collection");
      }
    });

    it("lists a member once, however often it changed", async () => {
      const { call, put, event, sync } = await start();
      const { token: first } = await sync("");
      await put(`${events}a.ics`, vevent("a"));
      await put(`${events}a.ics`, vevent("a", "LOCATION:Hall"));
      await put(event.href, vevent(uidOf(event.href), "LOCATION:Hall"));
      await call(`DELETE ${event.href}`);
      const { responses, token: second } = await sync(first ?? "");
      expect(responses.map(({ href, status }) => [href, status])).toEqual([
        [`${events}a.ics`, null],
        [event.href, 404],
      ]);
      expect((await sync(second ?? "")).responses).toEqual([]);
    });

    it("reports a recreated member as changed", async () => {
      const { call, put, sync } = await start();
      await put(`${events}a.ics`, vevent("a"));
      const { token: first } = await sync("");
      await call(`DELETE ${events}a.ics`);
      await put(`${events}a.ics`, vevent("a"), { "if-none-match": "*" });
      const { responses } = await sync(first ?? "");
      expect(responses.map(({ href, status }) => [href, status])).toEqual([
        [`${events}a.ics`, null],
      ]);
    });

    it("reports a renamed member as changed under the new name and removed under the old one", async () => {
      const { call, event, sync } = await start();
      const { token: first } = await sync("");
      await call(`MOVE ${event.href}`, { headers: { destination: `${events}b.ics` } });
      const { responses } = await sync(first ?? "");
      expect(responses.map(({ href, status }) => [href, status])).toEqual([
        [`${events}b.ics`, null],
        [event.href, 404],
      ]);
    });

    it("ignores Depth if there is a level", async () => {
      const { sync } = await start();
      for (const headers of [{ depth: "0" }, { depth: "1" }, { depth: "infinity" }, {}]) {
        expect((await sync("", { headers })).responses).toHaveLength(1);
      }
    });
  });

  describe("RFC 6578 3.5.2: created and deleted members", () => {
    it("reports a member that was created and deleted since the token as removed, under every name", async () => {
      const { sync, put, call } = await start();
      const { token: at } = await sync("");
      expect((await put(`${events}a.ics`, vevent("a"))).status).toBe(201);
      const destination = `https://calendar.example.com${events}b.ics`;
      expect((await call(`MOVE ${events}a.ics`, { headers: { destination } })).status).toBe(201);
      expect((await call(`DELETE ${events}b.ics`)).status).toBe(204);
      expect((await put(`${events}c.ics`, vevent("c"))).status).toBe(201);
      expect((await call(`DELETE ${events}c.ics`)).status).toBe(204);
      const { responses, token: now } = await sync(at ?? "");
      const told = new Map(responses.map(({ href, status }) => [href, status]));
      expect(told).toEqual(new Map(["a", "b", "c"].map((name) => [`${events}${name}.ics`, 404])));
      expect((await sync(now ?? "")).responses).toEqual([]);
    });
  });

  describe("RFC 6578 3.6: truncation", () => {
    it("leads to the same result in pages of one", async () => {
      const { put, sync } = await start();
      for (const name of ["a", "b", "c", "d"]) await put(`${events}${name}.ics`, vevent(name));
      const whole = (await sync("")).responses.map(({ href }) => href);
      const paged: string[] = [];
      let at = "";
      for (let page = 0; page < 10; page++) {
        const { responses, token: next } = await sync(at, {
          more: "<d:limit><d:nresults>1</d:nresults></d:limit>",
        });
        const [last] = responses.filter(({ status }) => status === 507);
        paged.push(...responses.filter(({ status }) => status === null).map(({ href }) => href));
        at = next ?? "";
        if (!last) break;
        expect(last).toMatchObject({
          href: events,
          errors: ["number-of-matches-within-limits", "reason"],
        });
      }
      expect(paged).toEqual(whole);
    });
  });

  describe("RFC 6578 4: the sync-token property", () => {
    it("equals the token of the report, is a URI, is protected and not in allprop", async () => {
      const { props, sync, proppatch, propfind } = await start();
      const told = (await props(events, "<d:sync-token/>"))[token] ?? "";
      expect(told).toBe((await sync("")).token);
      expect(new URL(told).protocol).toBe("urn:");
      const set = "<d:set><d:prop><d:sync-token>urn:x</d:sync-token></d:prop></d:set>";
      expect((await proppatch(events, set)).text).toContain(
        "<d:cannot-modify-protected-property/>",
      );
      const { responses } = await propfind(events, "<d:allprop/>");
      expect(Object.keys(responses[0]?.props ?? {})).not.toContain(token);
    });

    it("is only on resources that support the report", async () => {
      const { props, event } = await start();
      for (const path of [home, principal, "/dav/", event.href]) {
        expect(await props(path, "<d:sync-token/>")).toEqual({});
      }
    });
  });

  describe("RFC 6578 5: the token in an If header", () => {
    it("allows a PUT only if the calendar has not changed", async () => {
      const { sync, put } = await start();
      const { token: at } = await sync("");
      const condition = { if: `<${events}> (<${at}>)` };
      expect((await put(`${events}a.ics`, vevent("a"), condition)).status).toBe(201);
      expect((await put(`${events}b.ics`, vevent("b"), condition)).status).toBe(412);
      const { token: now } = await sync(at ?? "");
      expect(
        (await put(`${events}b.ics`, vevent("b"), { if: `<${events}> (<${now}>)` })).status,
      ).toBe(201);
    });

    it.each([
      ["another calendar", (at: string) => `<${home}tasks-3001/> (<${at}>)`],
      ["nobody's token", () => `<${events}> (<urn:dayferry:sync:x>)`],
      ["an object", (at: string) => `<${events}a.ics> (<${at}>)`],
      ["a token that is not to be there", (at: string) => `<${events}> (Not <${at}>)`],
      ["an empty token", () => `<${events}> (<>)`],
    ])("is not met for %s", async (_what, header) => {
      const { sync, put } = await start();
      const { token: at } = await sync("");
      const answer = await put(`${events}a.ics`, vevent("a"), { if: header(at ?? "") });
      expect(answer.status).toBe(412);
    });
  });

  const uidOf = (href: string): string =>
    decodeURIComponent(href.split("/").at(-1) ?? "").replace(/\.ics$/, "");
}
