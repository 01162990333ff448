import { describe, expect, it } from "vitest";
import { type DavSettings, startDav } from "../../support/dav-server.ts";

const calendar = "/dav/calendars/11/events-2001/";
const name = (text: string) => `<d:displayname>${text}</d:displayname>`;
const color = (text: string) =>
  `<i:calendar-color xmlns:i="http://apple.com/ns/ical/">${text}</i:calendar-color>`;

const update = (...steps: readonly string[]): string =>
  `<d:propertyupdate xmlns:d="DAV:">${steps.join("")}</d:propertyupdate>`;
const set = (...props: readonly string[]) => `<d:set><d:prop>${props.join("")}</d:prop></d:set>`;
const remove = (prop: string) => `<d:remove><d:prop>${prop}</d:prop></d:remove>`;

async function start(settings: DavSettings = {}) {
  const dav = await startDav(settings);
  return {
    ...dav,
    patch: (body: string, path = calendar, headers = {}) =>
      dav.call(`PROPPATCH ${path}`, { headers, body }),
    show: async (props: string, headers = {}) => {
      const body = `<d:propfind xmlns:d="DAV:"><d:prop>${props}</d:prop></d:propfind>`;
      const options = { headers: { depth: "0", ...headers }, body };
      return (await dav.call(`PROPFIND ${calendar}`, options)).text;
    },
  };
}

describe("PROPPATCH of a calendar", () => {
  it("sets name and color for the person alone, and restores the project's if they are removed", async () => {
    const { patch, show, call, as, secrets } = await start();
    const done = await patch(update(set(name("My &lt;site&gt;"), color("#12ab34FF"))));
    expect(done.status).toBe(207);
    expect(done.text).toContain("HTTP/1.1 200 OK");
    expect(done.text).not.toContain("My");
    const shown = await show(`<d:displayname/>${color("")}`);
    expect(shown).toContain("<d:displayname>My &lt;site&gt;</d:displayname>");
    expect(shown).toContain("<ical:calendar-color>#12ab34FF</ical:calendar-color>");

    const bens = await call("PROPFIND /dav/calendars/12/events-2001/", {
      headers: { ...as("12", secrets.ben), depth: "0" },
    });
    expect(bens.text).toContain("<d:displayname>Website</d:displayname>");

    await patch(update(remove("<d:displayname/>")));
    expect(await show("<d:displayname/>")).toContain("<d:displayname>Website</d:displayname>");
  });

  it("keeps unknown properties as XML, and returns them by allprop", async () => {
    const { patch, show, call } = await start();
    const dead = `<x:flag xmlns:x="urn:x" xmlns:y="urn:y"><y:on a="1 &amp; 2">yes</y:on> &lt;ok&gt;</x:flag>`;
    expect((await patch(update(set(dead)))).text).toContain("200 OK");
    const shown = await show('<x:flag xmlns:x="urn:x"/>');
    expect(shown).toMatch(
      /<x:flag xmlns:x="urn:x"><(\w*:?)on [^>]*a="1 &amp; 2"[^>]*>yes<\/\1on> &lt;ok&gt;<\/x:flag>/,
    );
    expect(shown).toContain('"urn:y"');
    const all = await call(`PROPFIND ${calendar}`, { headers: { depth: "0" } });
    expect(all.text).toContain('<x:flag xmlns:x="urn:x">');
  });

  it.each(["getetag", "resourcetype", "sync-token", "owner", "current-user-privilege-set"])(
    "changes nothing if a request sets %s, which is protected",
    async (prop) => {
      const { patch, show } = await start();
      const { status, text } = await patch(update(set(name("New"), `<d:${prop}>x</d:${prop}>`)));
      expect(status).toBe(207);
      expect(text).toMatch(
        new RegExp(
          `<d:${prop}/></d:prop><d:status>HTTP/1.1 403 [^<]*</d:status><d:error><d:cannot-modify-protected-property/>`,
        ),
      );
      expect(text).toMatch(/<d:displayname\/><\/d:prop><d:status>HTTP\/1\.1 424/);
      expect(await show("<d:displayname/>")).toContain("Website");
    },
  );

  it.each([
    ["a colour by name", color("red")],
    ["an empty name", name(" ")],
    [
      "an invalid time zone",
      '<c:calendar-timezone xmlns:c="urn:ietf:params:xml:ns:caldav">Europe/Berlin</c:calendar-timezone>',
    ],
    [
      "an order that is no number",
      '<i:calendar-order xmlns:i="http://apple.com/ns/ical/">first</i:calendar-order>',
    ],
  ])("refuses %s with 409", async (_what, prop) => {
    const { patch } = await start();
    const { status, text } = await patch(update(set(prop)));
    expect(status).toBe(207);
    expect(text).toContain("HTTP/1.1 409");
    expect(text).toContain("<df:reason>");
  });

  it("accepts a time zone as Apple sends it, and returns it", async () => {
    const { patch, show } = await start();
    const zone = [
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//x//EN",
      "BEGIN:VTIMEZONE",
      "TZID:Europe/Lisbon",
      "BEGIN:STANDARD",
      "DTSTART:19700101T000000",
      "TZOFFSETFROM:+0000",
      "TZOFFSETTO:+0000",
      "END:STANDARD",
      "END:VTIMEZONE",
      "END:VCALENDAR",
    ].join("&#13;\n");
    const prop = (inner: string) =>
      `<c:calendar-timezone xmlns:c="urn:ietf:params:xml:ns:caldav">${inner}</c:calendar-timezone>`;
    expect((await patch(update(set(prop(`${zone}&#13;\n`))))).text).toContain("200 OK");
    expect(await show(prop(""))).toContain("TZID:Europe/Lisbon\r\nBEGIN:STANDARD");
  });

  it("refuses more and longer values than any program needs", async () => {
    const { patch } = await start();
    const long = `<x:a xmlns:x="urn:x">${"a".repeat(20_001)}</x:a>`;
    expect((await patch(update(set(long)))).text).toContain("HTTP/1.1 507");
    const many = Array.from({ length: 101 }, (_, at) => `<x:a${at} xmlns:x="urn:x">1</x:a${at}>`);
    expect((await patch(update(set(...many)))).text).toContain("HTTP/1.1 507");
    expect((await patch(update(set(...many.slice(0, 100))))).text).toContain("200 OK");
  });

  it("uses the last value of the document", async () => {
    const { patch, show } = await start();
    await patch(update(set(name("First")), set(name("Second"))));
    expect(await show("<d:displayname/>")).toContain("Second");
    await patch(update(set(name("Third")), remove("<d:displayname/>")));
    expect(await show("<d:displayname/>")).toContain("Website");
  });

  it("reports a wrong value even if a later one of the same name is right", async () => {
    const { patch } = await start();
    const { text } = await patch(update(set(color("red")), set(color("#123456"))));
    expect(text).toContain("HTTP/1.1 409");
    expect(text).not.toContain("424");
  });

  it("returns only the status line if that is preferred", async () => {
    const { patch } = await start();
    const prefer = { prefer: "return=minimal" };
    const done = await patch(update(set(name("New"))), calendar, prefer);
    expect(done.status).toBe(200);
    expect(done.bytes).toHaveLength(0);
    expect(done.headers["preference-applied"]).toBe("return=minimal");
    const failed = await patch(update(set("<d:getetag/>")), calendar, prefer);
    expect(failed.status).toBe(207);
  });

  it("answers 400 to an invalid body", async () => {
    const { patch } = await start();
    const open = "<d:propertyupdate xmlns:d='DAV:'";
    for (const body of ["", "<x/>", `${open}/>`, `${open}>`]) {
      expect((await patch(body)).status, body).toBe(400);
    }
  });
});

describe("PROPPATCH of other resources", () => {
  it("is refused", async () => {
    const { patch } = await start();
    const paths = ["/dav/", "/dav/principals/11/", `${calendar}a.ics`];
    for (const path of paths) {
      const { status, text } = await patch(update(set(name("New"))), path);
      expect(status, path).toBe(403);
      expect(text).toContain("<d:need-privileges>");
    }
  });

  it("of a home stores only unknown properties", async () => {
    const { call, patch } = await start();
    const home = "/dav/calendars/11/";
    const alarm = '<c:default-alarm-vevent-date xmlns:c="urn:ietf:params:xml:ns:caldav"';
    const kept = await patch(
      update(set(`${alarm}>BEGIN:VALARM</c:default-alarm-vevent-date>`)),
      home,
    );
    expect(kept.text).toContain("HTTP/1.1 200 OK");
    const body = `<d:propfind xmlns:d="DAV:"><d:prop>${alarm}/></d:prop></d:propfind>`;
    const { text } = await call(`PROPFIND ${home}`, { headers: { depth: "0" }, body });
    expect(text).toContain(">BEGIN:VALARM</");
    const refused = await patch(update(set(name("New"))), home);
    expect(refused.text).toContain("cannot-modify-protected-property");
  });

  it("of a read-only calendar is refused", async () => {
    const { patch, show } = await start({ readOnly: [11] });
    expect((await patch(update(set(name("New"))))).status).toBe(403);
    expect(await show("<d:displayname/>")).toContain("Website");
  });
});
