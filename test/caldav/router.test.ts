import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { object, vevent } from "../../packages/caldav-server/test/protocol/world.ts";
import { personId } from "../../src/domain/ids.ts";
import { startDav } from "../support/dav-server.ts";
import { anEvent, times } from "../support/items.ts";

const calendar = "/dav/calendars/11/events-2001/";

async function withEvents(count: number) {
  const dav = await startDav();
  for (let id = 1; id <= count; id++) dav.store.mirror.put(anEvent(id), "events:2001");
  return dav;
}

describe("unsupported methods", () => {
  it("are 405 with the supported ones", async () => {
    const { call } = await startDav();
    for (const method of ["POST", "LOCK", "UNLOCK", "ACL", "PATCH", "SEARCH"]) {
      const { status, headers } = await call(`${method} ${calendar}`);
      expect(status, method).toBe(405);
      expect(headers.allow).toBe((await call(`OPTIONS ${calendar}`)).headers.allow);
    }
  });

  it("include making and deleting calendars, with the reason", async () => {
    const { call } = await startDav();
    for (const request of [
      "MKCALENDAR /dav/calendars/11/new/",
      "MKCOL /dav/calendars/11/new/",
      `DELETE ${calendar}`,
    ]) {
      const { status, text } = await call(request);
      expect(status).toBe(403);
      expect(text).toContain("<d:error");
      expect(text).toContain("<df:reason>");
    }
  });

  it("include putting an object into a missing calendar", async () => {
    const { call } = await startDav();
    const options = { headers: { "content-type": "text/calendar" }, body: "x" };
    expect((await call("PUT /dav/calendars/11/none/a.ics", options)).status).toBe(409);
    expect((await call(`PUT ${calendar}a/b.ics`, options)).status).toBe(409);
    expect((await call("PUT /dav/elsewhere/a.ics", options)).status).toBe(409);
  });

  it.each(["a%2Fb.ics", "a%00.ics", "%FF.ics", ".."])(
    "include putting an object under the name %s",
    async (name) => {
      const { call } = await startDav();
      const options = { headers: { "content-type": "text/calendar" }, body: "x" };
      const { status, text } = await call(`PUT ${calendar}${name}`, options);
      expect(status).toBe(409);
      expect(text).toContain("the name of an object must not");
      expect((await call(`GET ${calendar}${name}`)).status).toBe(404);
    },
  );
});

it("a refusal is in the person's language, else in the program's", async () => {
  const { call, store } = await startDav();
  const put = (language: string) =>
    call(`PUT ${calendar}series.ics`, {
      headers: { "content-type": "text/calendar", "accept-language": language },
      body: object(vevent("series@example.com", "RRULE:FREQ=DAILY")),
    });
  expect((await put("en")).text).toContain("RRULE: the service has no repeating items");
  store.personLanguages.choose(personId(11), "de");
  expect((await put("en")).text).toContain("RRULE: der Dienst hat keine wiederholten Einträge");
});

describe("long bodies", () => {
  const type = { headers: { "content-type": "text/calendar" } };
  const text = "A long text. ".repeat(20_000);
  const long = (...lines: readonly string[]) =>
    object(vevent("long@example.com", `DESCRIPTION:${text}`, ...lines));

  it("can be objects: put, put again with a condition, and refused", async () => {
    const { call, store } = await startDav();
    const made = await call(`PUT ${calendar}long.ics`, { ...type, body: long() });
    expect(made.status).toBe(201);
    expect(store.view.findUid("long@example.com")?.item.description).toBe(text.trim());
    const headers = { ...type.headers, "if-match": String(made.headers.etag) };
    const changed = { headers, body: long("CATEGORIES:Changed") };
    expect((await call(`PUT ${calendar}long.ics`, changed)).status).toBe(204);
    expect((await call(`PUT ${calendar}long.ics`, changed)).status).toBe(412);
    expect((await call(`GET ${calendar}long.ics`)).text).toBe(changed.body);
    const refused = await call(`PUT ${calendar}other.ics`, {
      ...type,
      body: long("RRULE:FREQ=DAILY"),
    });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("max-instances");
    const endless = await call(`PUT ${calendar}other.ics`, {
      ...type,
      body: object(vevent("endless@example.com", `DESCRIPTION:${"a".repeat(600_000)}`)),
    });
    expect(endless.text).toContain("max-resource-size");
    const plain = { headers: { "content-type": "text/plain" }, body: long() };
    expect((await call(`PUT ${calendar}other.ics`, plain)).text).toContain(
      "supported-calendar-data",
    );
  });

  it("can be requests, and errors name their line", async () => {
    const { call } = await withEvents(3);
    const ask = (rest: string) =>
      call(`PROPFIND ${calendar}`, {
        headers: { depth: "1" },
        body: `<d:propfind xmlns:d="DAV:">\n<d:prop><d:getetag/></d:prop>${rest}</d:propfind>`,
      });
    const short = await ask("");
    expect(short.status).toBe(207);
    const filler = "<!-- nothing -->\n".repeat(6000);
    expect((await ask(filler)).text).toBe(short.text);
    const wrong = await ask(`${filler}</d:wrong>`);
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain("line 6002");
  });
});

describe("bodies", () => {
  it("of objects are refused beyond the announced size", async () => {
    const { call } = await startDav({ maxSize: 2000 });
    const options = { headers: { "content-type": "text/calendar" }, body: "x".repeat(2001) };
    const { status, text, headers } = await call(`PUT ${calendar}a.ics`, options);
    expect(status).toBe(409);
    expect(text).toContain("<c:max-resource-size/>");
    expect(headers.connection).toBe("close");
  });

  it("may be compressed", async () => {
    const { call } = await withEvents(1);
    const body = gzipSync('<propfind xmlns="DAV:"><prop><displayname/></prop></propfind>');
    const headers = { depth: "0", "content-encoding": "gzip" };
    expect((await call(`PROPFIND ${calendar}`, { headers, body })).text).toContain("Website");
    const broken = await call(`PROPFIND ${calendar}`, { headers, body: "no gzip" });
    expect(broken.status).toBe(400);
    const odd = await call(`PROPFIND ${calendar}`, {
      headers: { ...headers, "content-encoding": "odd" },
      body,
    });
    expect(odd.status).toBe(415);
    expect(odd.text).toContain("<df:reason>the content encoding of the body is not");
    expect(odd.headers["accept-encoding"]).toBe("gzip, deflate, br");
  });
});

it("bodies that grow when decompressed are refused at the size limit of plain ones", async () => {
  const { call } = await startDav({ maxSize: 2000 });
  const headers = { "content-type": "text/calendar", "content-encoding": "gzip" };
  const body = gzipSync(" ".repeat(50_000_000));
  const put = await call(`PUT ${calendar}a.ics`, { headers, body });
  expect([put.status, put.text.includes("<c:max-resource-size/>")]).toEqual([409, true]);
  expect((await call(`PROPFIND ${calendar}`, { headers, body })).status).toBe(413);
});

describe("chunked bodies", () => {
  it("are stored unchanged if they are objects", async () => {
    const { call } = await startDav();
    const body = object(vevent("a", "X-KEPT:1", "DESCRIPTION:folded", " here"));
    const type = { "content-type": "text/calendar" };
    const headers = { ...type, "transfer-encoding": "chunked", expect: "100-continue" };
    const put = await call(`PUT ${calendar}a.ics`, { headers, body });
    const got = await call(`GET ${calendar}a.ics`);
    expect([put.status, got.text, got.headers.etag]).toEqual([201, body, put.headers.etag]);
  });

  it("are read, even from programs that wait for 100-continue", async () => {
    const { call } = await withEvents(1);
    const body = '<propfind xmlns="DAV:"><prop><displayname/></prop></propfind>';
    const headers = { depth: "0", "transfer-encoding": "chunked", expect: "100-continue" };
    expect((await call(`PROPFIND ${calendar}`, { headers, body })).text).toContain("Website");
  });
});

describe("answers", () => {
  it("are compressed if requested and large", async () => {
    const { call } = await withEvents(30);
    const plain = await call(`PROPFIND ${calendar}`, { headers: { depth: "1" } });
    const headers = { depth: "1", "accept-encoding": "br, gzip;q=0.5" };
    const zipped = await call(`PROPFIND ${calendar}`, { headers });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(zipped.headers.vary).toContain("Accept-Encoding");
    expect(gunzipSync(zipped.bytes).toString()).toBe(plain.text);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers.vary).toContain("Accept-Encoding");
    const refused = await call(`PROPFIND ${calendar}`, {
      headers: { depth: "1", "accept-encoding": "gzip;q=0" },
    });
    expect(refused.headers["content-encoding"]).toBeUndefined();
    const small = await call("PROPFIND /dav/", { headers: { ...headers, depth: "0" } });
    expect(small.headers["content-encoding"]).toBeUndefined();
  });

  it("have headers for caches and lengths", async () => {
    const { call } = await withEvents(1);
    const listing = await call(`PROPFIND ${calendar}`, { headers: { depth: "0" } });
    expect(listing.headers["cache-control"]).toBe("no-store");
    expect(listing.headers["dav"]).toContain("calendar-access");
    expect(listing.headers["content-type"]).toBe("application/xml; charset=utf-8");
    const whole = await call(`GET ${calendar}`);
    expect(whole.headers["cache-control"]).toBe("private, no-cache");
    const head = await call(`HEAD ${calendar}`);
    expect(head.bytes).toHaveLength(0);
    expect(head.headers["content-length"]).toBe(String(whole.bytes.length));
  });
});

it("GET of a calendar returns all of it in one file, each time zone once", async () => {
  const { call, store } = await withEvents(3);
  const when = times("2031-07-01T10:00", "2031-07-01T11:00");
  store.mirror.put(anEvent(9, { title: "Later", when }), "events:2001");
  const { text, headers } = await call(`GET ${calendar}`);
  expect(headers["content-type"]).toBe("text/calendar; charset=utf-8");
  expect(text.match(/BEGIN:VCALENDAR/g)).toHaveLength(1);
  expect(text.match(/BEGIN:VTIMEZONE/g)).toHaveLength(1);
  expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(4);
  expect(text.match(/END:VEVENT/g)).toHaveLength(4);
  expect(text).toContain("X-WR-CALNAME:Website\r\n");
  expect(text.endsWith("END:VEVENT\r\nEND:VCALENDAR\r\n")).toBe(true);

  const etag = headers.etag ?? "";
  expect(etag).toMatch(/^W\//);
  const again = await call(`GET ${calendar}`, { headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
  store.mirror.put(anEvent(9, { title: "Renamed", when }), "events:2001");
  const changed = await call(`GET ${calendar}`, { headers: { "if-none-match": etag } });
  expect(changed.status).toBe(200);
  expect(changed.text).toContain("SUMMARY:Renamed");
});

it("GET of a calendar converts ambiguous custom time zones to UTC", async () => {
  const { call } = await withEvents(1);
  const object = (uid: string, tzid: string, offset: string) => [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//x//EN",
    "BEGIN:VTIMEZONE",
    `TZID:${tzid}`,
    "BEGIN:STANDARD",
    "DTSTART:16010101T000000",
    `TZOFFSETFROM:${offset}`,
    `TZOFFSETTO:${offset}`,
    "END:STANDARD",
    "END:VTIMEZONE",
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "DTSTAMP:20261121T080000Z",
    `DTSTART;TZID=${tzid}:20261201T100000`,
    `DTEND;TZID=${tzid}:20261201T110000`,
    `SUMMARY:Elsewhere ${uid}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ];
  for (const [uid, tzid, offset] of [
    ["c1", "Customized Time Zone", "+0100"],
    ["c2", "Customized Time Zone", "+0500"],
    ["c3", "EST", "-0300"],
  ] as const) {
    const body = object(uid, tzid, offset).join("\r\n");
    const headers = { "content-type": "text/calendar" };
    expect((await call(`PUT ${calendar}${uid}.ics`, { headers, body })).status).toBe(201);
    expect((await call(`GET ${calendar}${uid}.ics`)).text).toBe(body);
  }
  const { text } = await call(`GET ${calendar}`);
  const startOf = (uid: string) =>
    new RegExp(`UID:${uid}\r\n[\\s\\S]*?(DTSTART.*)\r\n(DTEND.*)\r\n`).exec(text)?.slice(1);
  expect(startOf("c1")).toEqual(["DTSTART:20261201T090000Z", "DTEND:20261201T100000Z"]);
  expect(startOf("c2")).toEqual(["DTSTART:20261201T050000Z", "DTEND:20261201T060000Z"]);
  expect(startOf("c3")).toEqual(["DTSTART:20261201T130000Z", "DTEND:20261201T140000Z"]);
  expect(text.match(/BEGIN:VTIMEZONE/g)).toHaveLength(1);
});

it("an internal error is 500 with a line in the log, and the next request works", async () => {
  const { call, store, lines } = await withEvents(1);
  const broken = vi.spyOn(store.calendarProperties, "of").mockImplementationOnce(() => {
    throw new Error("the disk is gone");
  });
  onTestFinished(() => broken.mockRestore());
  const { status, text } = await call(`PROPFIND ${calendar}`, { headers: { depth: "0" } });
  expect(status).toBe(500);
  expect(text).not.toContain("disk");
  expect(lines.join()).toContain("the disk is gone");
  expect((await call(`PROPFIND ${calendar}`, { headers: { depth: "0" } })).status).toBe(207);
});
