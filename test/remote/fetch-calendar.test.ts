import type { ServerResponse } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type AddressGuard, anyAddress, publicOnly } from "../../src/remote/address-guard.ts";
import {
  type FetchedCalendar,
  type FetchLimits,
  fetchCalendar,
} from "../../src/remote/fetch-calendar.ts";
import { untilHung } from "../support/eventually.ts";
import { calendarServer } from "./server.ts";

const body = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n";
const calendar = (response: ServerResponse, headers: Record<string, string> = {}) =>
  response.writeHead(200, { "content-type": "text/calendar", ...headers }).end(body);

function get(
  url: string,
  change: Partial<
    FetchLimits & { known: { etag: string | null; lastModified: string | null } }
  > = {},
): Promise<FetchedCalendar> {
  const { known = null, ...limits } = change;
  return fetchCalendar(
    { url, known, signal: untilHung() },
    {
      allows: anyAddress,
      timeout: Temporal.Duration.from({ seconds: 5 }),
      most: 5_000_000,
      ...limits,
    },
  );
}

const text = (fetched: FetchedCalendar): string =>
  fetched.kind === "calendar" ? Buffer.from(fetched.body).toString() : JSON.stringify(fetched);

describe("fetchCalendar()", () => {
  it("gives the body with its validators, requested as a browser does", async () => {
    const server = await calendarServer((_request, response) =>
      calendar(response, { etag: '"v1"', "last-modified": "Fri, 20 Nov 2026 10:00:00 GMT" }),
    );
    const fetched = await get(server.url);
    expect(text(fetched)).toBe(body);
    expect(fetched).toMatchObject({
      validators: { etag: '"v1"', lastModified: "Fri, 20 Nov 2026 10:00:00 GMT" },
    });
    const [request] = server.requests;
    expect(request?.headers["user-agent"]).toMatch(/^Mozilla\/5\.0 \(.*Dayferry/);
    expect(request?.headers).not.toHaveProperty("if-none-match");
    expect(request?.headers).not.toHaveProperty("authorization");
  });

  it("says unchanged when nothing changed since", async () => {
    const server = await calendarServer((request, response) => {
      const same =
        request.headers["if-none-match"] === '"v1"' &&
        request.headers["if-modified-since"] === "Fri, 20 Nov 2026 10:00:00 GMT";
      response.writeHead(same ? 304 : 500).end();
    });
    const known = { etag: '"v1"', lastModified: "Fri, 20 Nov 2026 10:00:00 GMT" };
    expect(await get(server.url, { known })).toEqual({ kind: "unchanged" });
  });

  it.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["identity", (plain: Buffer) => plain],
  ])("unpacks a body packed with %s", async (encoding, pack) => {
    const server = await calendarServer((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(pack(Buffer.from(body))),
    );
    expect(text(await get(server.url))).toBe(body);
  });

  it("fails on a small body that unpacks into a huge one, without holding it", async () => {
    const bomb = gzipSync(Buffer.alloc(80_000_000, 32));
    expect(bomb.length).toBeLessThan(100_000);
    const server = await calendarServer((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    expect(text(await get(server.url))).toContain("larger than the 5000000 bytes");
  });

  it.each([
    ["damaged", "gzip", Buffer.from("no gzip at all"), "truncated or damaged"],
    ["cut", "gzip", gzipSync(Buffer.from(body)).subarray(0, 30), "truncated or damaged"],
    ["packed strangely", "zstd", Buffer.from(body), "unknown content encoding"],
  ])("fails when the body is %s", async (_what, encoding, sent, told) => {
    const server = await calendarServer((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(sent),
    );
    expect(text(await get(server.url))).toContain(told);
  });

  it("fails at the limit of an endless body", async () => {
    const server = await calendarServer((_request, response) => {
      response.writeHead(200);
      const more = () => {
        if (!response.destroyed && response.write(Buffer.alloc(64_000, 32))) setImmediate(more);
      };
      response.on("drain", more);
      more();
    });
    expect(text(await get(server.url, { most: 300_000 }))).toContain("larger than the 300000");
  });

  it("fails when the answer is shorter than announced", async () => {
    const server = await calendarServer((_request, response) => {
      response.writeHead(200, { "content-length": "5000" });
      response.write(body, () => response.destroy());
    });
    expect(text(await get(server.url))).toContain("closed the connection");
  });

  it("fails in time when octets drip in for ever", async () => {
    const server = await calendarServer((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("B"), 20);
      response.on("close", () => clearInterval(timer));
    });
    const timeout = Temporal.Duration.from({ milliseconds: 300 });
    expect(text(await get(server.url, { timeout }))).toContain("within 0.3 s");
  });

  it("ends at once when the daemon stops", async () => {
    const stop = new AbortController();
    const server = await calendarServer(() => stop.abort());
    const fetching = fetchCalendar(
      { url: server.url, known: null, signal: stop.signal },
      { allows: anyAddress, timeout: Temporal.Duration.from({ minutes: 1 }), most: 1000 },
    );
    expect((await fetching).kind).toBe("failed");
  });

  it.each([
    [401, "denies access to"],
    [403, "denies access to"],
    [404, "no calendar at this address"],
    [410, "no calendar at this address"],
    [500, "answered 500"],
    [206, "answered 206"],
  ])("fails and says so when the server answers %i", async (status, told) => {
    const server = await calendarServer((_request, response) =>
      response.writeHead(status).end("no"),
    );
    expect(text(await get(server.url))).toContain(told);
  });

  it("fails with the length of the pause that the server asks for", async () => {
    const server = await calendarServer((_request, response) =>
      response.writeHead(429, { "retry-after": "120" }).end(),
    );
    const fetched = await get(server.url);
    expect(fetched.kind === "failed" && fetched.retryAfter?.total("seconds")).toBe(120);
  });

  it("never reveals the secret address in an error", async () => {
    const closed = await calendarServer(() => {});
    const failures = await Promise.all([
      get("http://127.0.0.1:1/secret-path/basic.ics"),
      get("http://no-such-host.invalid/secret-path"),
      get(closed.url, { timeout: Temporal.Duration.from({ milliseconds: 50 }) }),
      get("not an address/secret-path"),
      get(closed.url, { allows: publicOnly }),
    ]);
    expect(failures.map(({ kind }) => kind)).toEqual(Array(5).fill("failed"));
    expect(JSON.stringify(failures)).not.toContain("secret-path");
    expect(JSON.stringify(failures)).toContain("does not accept connections");
  });
});

describe("fetchCalendar() with redirects", () => {
  const to = (location: string, status = 302) =>
    calendarServer((_request, response) => response.writeHead(status, { location }).end());

  it("gives the calendar at the end, without sending the login along", async () => {
    const end = await calendarServer((_request, response) => calendar(response));
    const middle = await to(end.url, 308);
    const start = await to(middle.url, 301);
    const fetched = await get(start.url.replace("http://", "http://ana:p%40ss@"));
    expect(text(fetched)).toBe(body);
    const login = `Basic ${Buffer.from("ana:p@ss").toString("base64")}`;
    expect(start.requests[0]?.headers.authorization).toBe(login);
    expect(end.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it("follows a relative redirect", async () => {
    const server = await calendarServer((request, response) =>
      request.url === "/there.ics"
        ? calendar(response)
        : response.writeHead(307, { location: "/there.ics" }).end(),
    );
    expect(text(await get(server.url))).toBe(body);
  });

  it("fails after the third of endless redirects", async () => {
    const server = await calendarServer((request, response) =>
      response.writeHead(302, { location: request.url }).end(),
    );
    expect(text(await get(server.url))).toContain("more than 3 times");
    expect(server.requests).toHaveLength(4);
  });

  const onlyHere: AddressGuard = (address) => address === "127.0.0.1";

  it.each([
    "http://127.0.0.2/",
    "http://[::1]/",
    "http://2130706434/",
    "http://169.254.169.254/latest/meta-data/",
  ])("refuses a public server's redirect to %s, and requests nothing there", async (inside) => {
    const server = await to(inside);
    expect(text(await get(server.url, { allows: onlyHere }))).toContain("private network");
    expect(server.requests).toHaveLength(1);
  });

  it("refuses a redirect to a host name that leads inside when it connects", async () => {
    const server = await to("http://localhost:9/");
    const fetched = await get(server.url, {
      allows: (address) => publicOnly(address) || server.requests.length === 0,
    });
    expect(text(fetched)).toContain("private network");
  });

  it("refuses an address inside unless private networks are allowed", async () => {
    const server = await calendarServer((_request, response) => calendar(response));
    const byName = server.url.replace("127.0.0.1", "localhost");
    expect(text(await get(server.url, { allows: publicOnly }))).toContain("allowPrivate");
    expect(text(await get(byName, { allows: publicOnly }))).toContain("allowPrivate");
    expect(server.requests).toHaveLength(0);
    expect(text(await get(server.url))).toBe(body);
  });

  it.each([
    ["ftp://example.com/x.ics", "not followed"],
    ["file:///etc/passwd", "not followed"],
    ["http://[", "without a target"],
  ])("fails on a redirect to %s", async (location, told) => {
    expect(text(await get((await to(location)).url))).toContain(told);
  });
});
