import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { type Attack, countOf, send, sendAll, type Target } from "./target.ts";

const refused = [0, 400, 401, 403, 404, 405, 409, 411, 413, 414, 415, 422, 429, 431];
/** CalDAV reports many small refusals in one answer, and 507 if an answer would be too long. */
const told = [...refused, 207, 507];

const dav = 'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"';

/** Attacks by bodies, addresses and headers: bombs, depth, width, and requests with endless answers. */
export const bodyAttacks: readonly Attack[] = [
  packed("gzip", (zeros) => gzipSync(zeros)),
  packed("deflate", (zeros) => deflateSync(zeros)),
  packed("br", (zeros) => brotliCompressSync(zeros)),
  xml("entities of entities", () => {
    const inner = "bcdefghij"
      .split("")
      .map((name, nth) => `<!ENTITY ${name} "${`&${"abcdefghi".charAt(nth)};`.repeat(10)}">`);
    return `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">${inner.join("")}]><d:propfind ${dav}><d:prop><d:x>&j;</d:x></d:prop></d:propfind>`;
  }),
  xml("100,000 elements deep", () => `<d:propfind ${dav}>${"<d:prop>".repeat(100_000)}`),
  xml("a million attributes", () => {
    const attributes = Array.from({ length: 1_000_000 }, (_, nth) => `a${nth}=""`).join(" ");
    return `<d:propfind ${dav} ${attributes}><d:allprop/></d:propfind>`;
  }),
  xml("one text of 900,000 characters", () => {
    return `<d:propfind ${dav}><d:prop><d:x>${"a".repeat(900_000)}</d:x></d:prop></d:propfind>`;
  }),
  xml("one name of 900,000 characters", () => {
    return `<d:propfind ${dav}><d:prop><d:${"a".repeat(900_000)}/></d:prop></d:propfind>`;
  }),
  xml("20,000 name spaces", () => {
    const spaces = Array.from({ length: 20_000 }, (_, nth) => `xmlns:a${nth}="b"`).join(" ");
    return `<d:propfind ${dav} ${spaces}><d:allprop/></d:propfind>`;
  }),
  report(
    "a multiget of 10,000 addresses",
    ({ calendar }) =>
      `<c:calendar-multiget ${dav}><d:prop><d:getetag/><c:calendar-data/></d:prop>${`<d:href>${calendar}a.ics</d:href>`.repeat(9990)}</c:calendar-multiget>`,
  ),
  report(
    "a query that repeats over ten centuries",
    () =>
      `<c:calendar-query ${dav}><d:prop><c:calendar-data><c:expand start="20000101T000000Z" end="29991231T000000Z"/></c:calendar-data></d:prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"/></c:comp-filter></c:filter></c:calendar-query>`,
  ),
  report("a filter of 3,000 in each other", () => {
    const open = '<c:comp-filter name="VCALENDAR">'.repeat(3000);
    return `<c:calendar-query ${dav}><d:prop><d:getetag/></d:prop><c:filter>${open}${"</c:comp-filter>".repeat(3000)}</c:filter></c:calendar-query>`;
  }),
  report("a filter of 5,000 beside each other", () => {
    const one = '<c:prop-filter name="SUMMARY"><c:text-match>aaa</c:text-match></c:prop-filter>';
    return `<c:calendar-query ${dav}><d:prop><d:getetag/></d:prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT">${one.repeat(5000)}</c:comp-filter></c:comp-filter></c:filter></c:calendar-query>`;
  }),
  report(
    "free and busy over ten centuries",
    () =>
      `<c:free-busy-query ${dav}><c:time-range start="20000101T000000Z" end="29991231T000000Z"/></c:free-busy-query>`,
  ),
  {
    name: "PROPFIND of everything below",
    allowed: told,
    prepare: (target) => () =>
      sendAll(times(target, 20), () =>
        send(target, "PROPFIND /dav/", {
          headers: { authorization: target.login, depth: "infinity" },
        }),
      ),
  },
  {
    name: "a form of 100,000 parts",
    allowed: refused,
    prepare: (target) => {
      const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n';
      const body = `${part.repeat(100_000)}--x--\r\n`;
      const headers = {
        cookie: target.cookie,
        origin: `http://127.0.0.1:${target.port}`,
        "content-type": "multipart/form-data; boundary=x",
      };
      return () =>
        sendAll(times(target, 20), () => send(target, "POST /edits/file", { headers, body }));
    },
  },
  {
    name: "a form of 200,000 fields",
    allowed: refused,
    prepare: (target) => {
      const body = Array.from({ length: 200_000 }, (_, nth) => `a${nth}=b`).join("&");
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return () => sendAll(times(target, 20), () => send(target, "POST /login", { headers, body }));
    },
  },
  {
    name: "JSON that nests 500,000 deep",
    allowed: refused,
    prepare: (target) => {
      const body = "[".repeat(500_000);
      const headers = { authorization: target.bearer, "content-type": "application/json" };
      return () =>
        sendAll(times(target, 20), () => send(target, "POST /api/feeds", { headers, body }));
    },
  },
  {
    name: "addresses, headers and words of what regular expressions fear",
    allowed: [...refused, 200, 304],
    prepare: (target) => async () => {
      const spaces = " ".repeat(14_000);
      const asked: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
        [`GET /${"a".repeat(15_000)}`, {}],
        [`GET /${"%2e%2e%2f".repeat(1500)}`, {}],
        [`GET ${target.feed}?${"a=b&".repeat(3000)}`, {}],
        [`GET ${target.feed}`, { "if-none-match": `"${"a".repeat(14_000)}` }],
        [`GET ${target.feed}`, { "if-none-match": '"a",'.repeat(3500) }],
        [`GET ${target.feed}`, { "if-none-match": `W/${spaces}x` }],
        [`GET ${target.feed}`, { "accept-encoding": `gzip;q=${"0".repeat(14_000)}` }],
        [`GET ${target.feed}`, { "accept-encoding": "a;q=0.1,".repeat(1700) }],
        [`GET ${target.feed}`, { "if-modified-since": `Mon,${spaces}x` }],
        [`GET ${target.feed}`, { range: `bytes=${"0-1,".repeat(3500)}` }],
        [`GET ${target.feed}`, { "user-agent": `${"a/".repeat(7000)}!` }],
        ["GET /", { cookie: "a=b; ".repeat(2800) }],
        ["GET /", { cookie: `${"=".repeat(14_000)}` }],
        ["GET /", { "accept-language": "a-".repeat(7000), "x-forwarded-for": "1, ".repeat(2000) }],
        ["GET /api/status", { authorization: `Bearer${spaces}x` }],
        ["PROPFIND /dav/", { authorization: `Basic${spaces}x` }],
        ["PROPFIND /dav/", { authorization: target.login, depth: "1".repeat(14_000) }],
        [
          `PUT ${target.calendar}a.ics`,
          {
            authorization: target.login,
            if: `(${"[".repeat(14_000)}`,
            "content-type": "text/calendar",
          },
        ],
        [
          "GET /api/items",
          { authorization: target.bearer, "accept-encoding": `${",".repeat(14_000)}` },
        ],
        [
          `GET /api/items?from=${"2".repeat(5000)}&to=${"9".repeat(5000)}`,
          { authorization: target.bearer },
        ],
        [
          `GET /api/reports/agenda?from=-271821-04-20&to=%2B275760-09-13`,
          { authorization: target.bearer },
        ],
        [`GET /api/edits?q=${"%25_".repeat(3000)}`, { authorization: target.bearer }],
      ];
      const found: number[] = [];
      for (const [request, headers] of asked) found.push(await send(target, request, { headers }));
      return countOf(found);
    },
  },
];

const times = ({ scale }: Target, most: number): number => Math.max(1, Math.ceil(most * scale));

function packed(encoding: string, pack: (zeros: Uint8Array) => Uint8Array): Attack {
  return {
    name: `bodies of 50 MB packed by ${encoding}`,
    allowed: refused,
    prepare: (target) => {
      const body = pack(Buffer.alloc(50_000_000));
      const { bearer, login, project, calendar } = target;
      const doors: readonly (readonly [string, string, string])[] = [
        ["POST /login", "", "application/x-www-form-urlencoded"],
        ["POST /api/feeds", bearer, "application/json"],
        [`POST /api/edits?project=${project}`, bearer, "text/calendar"],
        ["PROPFIND /dav/", login, "text/xml"],
        [`PUT ${calendar}bomb.ics`, login, "text/calendar"],
      ];
      return () =>
        sendAll(times(target, 20), (nth) => {
          const [request = "", authorization = "", type = ""] = doors[nth % doors.length] ?? [];
          const headers = {
            "content-type": type,
            "content-encoding": encoding,
            ...(authorization !== "" && { authorization }),
          };
          return send(target, request, { headers, body });
        });
    },
  };
}

function xml(name: string, write: () => string): Attack {
  return document(`XML: ${name}`, { method: "PROPFIND", write });
}

function report(name: string, write: (target: Target) => string): Attack {
  return document(`CalDAV: ${name}`, { method: "REPORT", write });
}

function document(
  name: string,
  { method, write }: { readonly method: string; readonly write: (target: Target) => string },
): Attack {
  return {
    name,
    allowed: [...told, 200],
    prepare: (target) => {
      const body = write(target);
      const headers = { authorization: target.login, "content-type": "text/xml", depth: "1" };
      return () =>
        sendAll(times(target, 10), () =>
          send(target, `${method} ${target.calendar}`, { headers, body }),
        );
    },
  };
}
