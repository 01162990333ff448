import { randomBytes } from "node:crypto";
import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { createDesk } from "../../src/edits/desk/desk.ts";
import { createAccept } from "../../src/edits/intake/accept.ts";
import { createPublishedFeeds } from "../../src/feeds/feeds.ts";
import { createApp } from "../../src/http/app.ts";
import { type EventCard, writeEvent } from "../../src/ics/write/write-event.ts";
import { createLog } from "../../src/log.ts";
import { createReception } from "../../src/people/reception.ts";
import { anEvent, aProject, zone } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

const token = "the-admin-token-of-this-test";

async function startApp({
  broken = false,
  unread = false,
}: {
  readonly broken?: boolean;
  readonly unread?: boolean;
} = {}) {
  const clock = handClock("2026-11-21T09:00:00Z");
  const store = testStore(clock);
  store.directory.putProjects([aProject(2001, "Website, relaunch")], true);
  store.mirror.put(anEvent(1, { title: "Review <b>" }), "events:2001");
  const feeds = createPublishedFeeds({
    store,
    key: new Uint8Array(32).fill(7),
    options: {
      zone,
      past: Temporal.Duration.from("P90D"),
      future: Temporal.Duration.from("P2Y"),
      completed: Temporal.Duration.from("P14D"),
      private: "omit",
      tasks: "due",
      customDates: false,
      assignees: true,
      webUrl: null,
    },
    clock,
    hasRead: () => !unread,
    ...(broken && {
      render(card: EventCard) {
        if (card.uid.startsWith("event-1@")) throw new Error("cannot be rendered");
        return writeEvent(card);
      },
    }),
  });
  feeds.ensure();
  const accept = createAccept({
    store,
    zone,
    policy: { labels: "known", mode: "apply" },
    clock,
    feeds: { assignees: true, tasks: "due", webUrl: null },
    onAccepted() {},
  });
  const lines: string[] = [];
  let ready = false;
  const app = createApp({
    caldav: null,
    version: "0.0.0",
    store,
    feeds,
    desk: createDesk({ store, accept, onReleased() {} }),
    workspace: null,
    links: null,
    ...createReception({ store, zone, clock, randomBytes, listed: [] }),
    ready: () => ready,
    clockLead: () => Temporal.Duration.from({ seconds: 2 }),
    gate: () => ({
      used: 3,
      share: 25,
      quota: 25,
      pausedUntil: null,
      inFlight: 0,
      waiting: { edit: 0, interactive: 0, sweep: 0 },
      sent: 3,
      rateLimited: 0,
    }),
    channels: () => ({ inbox: null, subscriptions: [] }),
    adminToken: token,
    baseUrl: () => "https://calendar.example.com",
    trustProxy: false,
    zone,
    clock,
    log: createLog({ level: "info", write: (line) => void lines.push(line) }),
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const [feed] = feeds.list();
  return {
    clock,
    store,
    feeds,
    lines,
    path: feed?.path ?? "",
    becomeReady: () => {
      ready = true;
    },
    call: (request: string, options: CallOptions = {}) => call(port, request, options),
  };
}

interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** node:http adds no header of its own that matters here, unlike fetch. */
function call(port: number, request: string, { headers = {}, body }: CallOptions) {
  const [method, path] = request.split(" ");
  return new Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer; text: string }>(
    (resolve, reject) => {
      const sent = httpRequest({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const bytes = Buffer.concat(chunks);
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            bytes,
            text: bytes.toString(),
          });
        });
      });
      sent.on("error", reject);
      sent.end(body);
    },
  );
}

const bearer = { authorization: `Bearer ${token}` };
const calendar = (...lines: readonly string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", ...lines, "END:VCALENDAR", ""].join(
    "\r\n",
  );

describe("GET /feeds/<secret>/<slug>.ics", () => {
  it("answers the calendar with strong ETag, Last-Modified and no-cache", async () => {
    const { call, path } = await startApp();
    const { status, headers, text } = await call(`GET ${path}`);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/calendar; charset=utf-8");
    expect(headers.etag).toMatch(/^"[^"]+"$/);
    expect(headers["last-modified"]).toBe("Sat, 21 Nov 2026 09:00:00 GMT");
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(headers["content-disposition"]).toBeUndefined();
    expect(headers["content-encoding"]).toBeUndefined();
    expect(text).toContain("SUMMARY:Review <b>");
  });

  it("answers HEAD as GET without the body", async () => {
    const { call, path } = await startApp();
    const [get, head] = [await call(`GET ${path}`), await call(`HEAD ${path}`)];
    expect(head.status).toBe(200);
    expect(head.bytes.byteLength).toBe(0);
    for (const name of [
      "etag",
      "last-modified",
      "content-length",
      "content-type",
      "cache-control",
    ]) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });

  it.each([
    ["the same ETag", (etag: string) => ({ "if-none-match": etag })],
    ["a weak form of it", (etag: string) => ({ "if-none-match": `W/${etag}` })],
    ["a list with it", (etag: string) => ({ "if-none-match": `"x", ${etag}` })],
    ["any", () => ({ "if-none-match": "*" })],
    [
      "it, although the client also says no-cache",
      (etag: string) => ({ "if-none-match": etag, "cache-control": "no-cache" }),
    ],
    ["the date alone", () => ({ "if-modified-since": "Sat, 21 Nov 2026 09:00:00 GMT" })],
  ])("answers 304 to %s", async (_what, headersFor) => {
    const { call, path } = await startApp();
    const { headers } = await call(`GET ${path}`);
    const again = await call(`GET ${path}`, { headers: headersFor(headers.etag ?? "") });
    expect(again.status).toBe(304);
    expect(again.bytes.byteLength).toBe(0);
    expect(again.headers.etag).toBe(headers.etag);
  });

  it("answers 200 after a change, whatever date the client names beside the old ETag", async () => {
    const { call, path, store, clock } = await startApp();
    const { headers } = await call(`GET ${path}`);
    clock.advance({ minutes: 5 });
    store.mirror.put(anEvent(1, { title: "Renamed" }), "events:2001");
    const old = {
      "if-none-match": headers.etag ?? "",
      "if-modified-since": "Sat, 21 Nov 2026 12:00:00 GMT",
    };
    const changed = await call(`GET ${path}`, { headers: old });
    expect(changed.status).toBe(200);
    expect(changed.text).toContain("SUMMARY:Renamed");
    expect(changed.headers["last-modified"]).toBe("Sat, 21 Nov 2026 09:05:00 GMT");
    const since = { "if-modified-since": "Sat, 21 Nov 2026 09:00:00 GMT" };
    expect((await call(`GET ${path}`, { headers: since })).status).toBe(200);
  });

  it("compresses only when that is asked for, under an ETag for each coding", async () => {
    const { call, path } = await startApp();
    const asking = (accept: string) =>
      call(`GET ${path}`, { headers: { "accept-encoding": accept } });
    const plain = await asking("gzip;q=0, deflate");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const zipped = await asking("gzip, deflate, br");
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(zipped.headers.vary).toBe("Accept-Encoding");
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    const brotli = await asking("gzip;q=0, br");
    expect(brotli.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    const etags = [plain, zipped, brotli].map(({ headers }) => headers.etag ?? "");
    expect(new Set(etags).size).toBe(3);
    for (const etag of etags) {
      const headers = { "accept-encoding": "br", "if-none-match": etag };
      expect((await call(`GET ${path}`, { headers })).status).toBe(304);
    }
  });

  it("answers 404 to a wrong or revoked secret and to another ending", async () => {
    const { call, path, feeds } = await startApp();
    expect((await call(`GET ${path.replace(/feeds\/.{4}/, "feeds/aaaa")}`)).status).toBe(404);
    expect((await call(`GET ${path.replace(".ics", ".html")}`)).status).toBe(404);
    expect((await call("GET /feeds/..%2f..%2fetc/x.ics")).status).toBe(404);
    const [feed] = feeds.list();
    if (feed) feeds.revoke(feed.id);
    const gone = await call(`GET ${path}`);
    expect(gone.status).toBe(404);
    expect(gone.headers["content-type"]).toContain("application/problem+json");
  });

  it("answers 503 and never an empty calendar when it cannot be built, and logs no secret", async () => {
    const { call, path, lines } = await startApp({ broken: true });
    const { status, headers, text } = await call(`GET ${path}`);
    expect(status).toBe(503);
    expect(headers["retry-after"]).toBe("60");
    expect(text).not.toContain("VCALENDAR");
    expect(lines.join("")).toContain("feed cannot be built");
    expect(lines.join("")).not.toContain(path.split("/")[2]);
  });

  it("answers 503 while the project was never read as a whole, as a part would look like it", async () => {
    const { call, path, lines } = await startApp({ unread: true });
    const { status, headers, text } = await call(`GET ${path}`);
    expect(status).toBe(503);
    expect(headers["retry-after"]).toBe("30");
    expect(text).not.toContain("VCALENDAR");
    expect(lines).toEqual([]);
  });

  it.each(["PUT", "POST", "DELETE", "PROPFIND"])("answers 405 to %s", async (method) => {
    const { call, path } = await startApp();
    const { status, headers } = await call(`${method} ${path}`);
    expect(status).toBe(405);
    expect(headers.allow).toBe("GET, HEAD");
  });

  it("notes who fetched it", async () => {
    const { call, path, feeds } = await startApp();
    await call(`GET ${path}`, { headers: { "user-agent": "Google-Calendar-Importer" } });
    expect(feeds.list()[0]?.lastFetch?.agent).toBe("Google-Calendar-Importer");
  });
});

describe("health", () => {
  it("is alive at once and ready after the first sweep", async () => {
    const { call, becomeReady } = await startApp();
    expect((await call("GET /healthz")).status).toBe(200);
    expect((await call("GET /readyz")).status).toBe(503);
    becomeReady();
    expect((await call("GET /readyz")).status).toBe(200);
  });

  it("lets fetchers that obey robots.txt read feeds", async () => {
    const { call } = await startApp();
    expect((await call("GET /robots.txt")).text).toContain("Allow: /feeds/");
  });
});

describe("the API", () => {
  it.each([
    "POST /api/edits?project=2001",
    "GET /api/edits",
    "GET /api/edits/1",
    "POST /api/edits/1/approve",
    "GET /api/status",
    "GET /api/feeds",
    "POST /api/feeds",
    "POST /api/feeds/1/rotate",
    "DELETE /api/feeds/1",
    "GET /api/brakes",
    "POST /api/brakes/events:2001/release",
  ])("%s answers 401 without the token or with a wrong one", async (request) => {
    const { call } = await startApp();
    for (const headers of [
      {},
      { authorization: "Bearer wrong" },
      { authorization: `Basic ${token}` },
    ]) {
      const { status, headers: answered } = await call(request, { headers });
      expect(status).toBe(401);
      expect(answered["www-authenticate"]).toBe('Bearer realm="Dayferry"');
      expect(answered["content-type"]).toContain("application/problem+json");
    }
  });

  it("GET /api/status tells ages, quota, journal and mail", async () => {
    const { call } = await startApp();
    const { status, text } = await call("GET /api/status", { headers: bearer });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      ready: false,
      timeZone: zone,
      mirror: { event: 1, task: 0, projects: 1 },
      quota: { used: 3, quota: 25 },
      journal: {},
      mail: { sent: 0 },
      errors: [],
    });
  });

  it("lists, rotates, revokes and makes feeds", async () => {
    const { call } = await startApp();
    const listed = JSON.parse((await call("GET /api/feeds", { headers: bearer })).text).feeds;
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({
      id: 1,
      name: "Website, relaunch",
      kind: "project",
      projectId: 2001,
      personId: null,
      revokedAt: null,
      lastFetch: null,
    });
    expect(listed[0].url).toMatch(
      /^https:\/\/calendar\.example\.com\/feeds\/[A-Za-z0-9_-]{27,}\/website-relaunch\.ics$/,
    );
    const rotated = await call("POST /api/feeds/1/rotate", { headers: bearer });
    expect(JSON.parse(rotated.text).url).not.toBe(listed[0].url);
    expect((await call("DELETE /api/feeds/1", { headers: bearer })).status).toBe(204);
    expect((await call("DELETE /api/feeds/1", { headers: bearer })).status).toBe(404);
    expect((await call("POST /api/feeds/99/rotate", { headers: bearer })).status).toBe(404);
    const json = { ...bearer, "content-type": "application/json" };
    const made = await call("POST /api/feeds", {
      headers: json,
      body: JSON.stringify({ projectId: 2001 }),
    });
    expect(made.status).toBe(201);
    expect(JSON.parse(made.text)).toMatchObject({ id: 2, projectId: 2001 });
    expect((await call("POST /api/feeds", { headers: json, body: "{}" })).status).toBe(400);
    expect((await call("POST /api/feeds", { headers: json, body: "{" })).status).toBe(400);
    expect(
      (await call("POST /api/feeds", { headers: json, body: JSON.stringify({ projectId: 5 }) }))
        .status,
    ).toBe(404);
  });

  it("releases a brake once", async () => {
    const { call, store } = await startApp();
    store.brakes.hold("events:2001", { missing: 30, total: 40, needsPerson: true });
    const held = JSON.parse((await call("GET /api/brakes", { headers: bearer })).text).brakes;
    expect(held).toMatchObject([
      { source: "events:2001", missing: 30, total: 40, needsPerson: true },
    ]);
    expect((await call("POST /api/brakes/events%3A2001/release", { headers: bearer })).status).toBe(
      204,
    );
    expect((await call("POST /api/brakes/events%3A2001/release", { headers: bearer })).status).toBe(
      409,
    );
  });

  it("answers 404 as a problem to what is not there", async () => {
    const { call } = await startApp();
    const { status, text } = await call("GET /api/nothing", { headers: bearer });
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ title: "Not found", status: 404 });
  });
});

describe("POST /api/edits", () => {
  const headers = { ...bearer, "content-type": "text/calendar" };
  const fresh = calendar(
    "BEGIN:VEVENT",
    "UID:new@example.com",
    "SUMMARY:New",
    "DTSTART;VALUE=DATE:20261201",
    "END:VEVENT",
  );

  it("answers 200 with the plan of a dry run and stores nothing", async () => {
    const { call, store } = await startApp();
    const before = store.changes.latest();
    const { status, text } = await call("POST /api/edits?project=2001&dryRun=true", {
      headers,
      body: fresh,
    });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      items: [{ uid: "new@example.com", kind: "event", action: "create", editId: null }],
      summary: { create: 1 },
    });
    expect(store.changes.latest()).toBe(before);
  });

  it("answers 202 and the feed shows the edit at once", async () => {
    const { call, path } = await startApp();
    const { status, text } = await call("POST /api/edits?project=2001", { headers, body: fresh });
    expect(status).toBe(202);
    const { items, summary } = JSON.parse(text);
    expect(items).toMatchObject([{ uid: "new@example.com", action: "create", editId: 1 }]);
    expect(summary).toEqual({
      update: 0,
      create: 1,
      complete: 0,
      reopen: 0,
      delete: 0,
      unchanged: 0,
      refused: 0,
    });
    expect((await call(`GET ${path}`)).text).toContain("UID:new@example.com");
    const shown = JSON.parse((await call("GET /api/edits/1", { headers: bearer })).text);
    expect(shown).toMatchObject({
      id: 1,
      state: "pending",
      channel: "upload",
      item: { uid: "new@example.com", title: "New" },
    });
  });

  it("accepts the good items of a file and says why the others are refused", async () => {
    const { call } = await startApp();
    const mixed = calendar(
      ...[
        "BEGIN:VEVENT",
        "UID:good@example.com",
        "SUMMARY:Good",
        "DTSTART;VALUE=DATE:20261201",
        "END:VEVENT",
      ],
      ...[
        "BEGIN:VEVENT",
        "UID:bad@example.com",
        "SUMMARY:Bad",
        "DTSTART;VALUE=DATE:20261202",
        "RRULE:FREQ=DAILY",
        "END:VEVENT",
      ],
    );
    const { status, text } = await call("POST /api/edits?project=2001", { headers, body: mixed });
    expect(status).toBe(202);
    const { items, summary } = JSON.parse(text);
    expect(items.map(({ uid, action }: { uid: string; action: string }) => [uid, action])).toEqual([
      ["good@example.com", "create"],
      ["bad@example.com", "refused"],
    ]);
    expect(items[1].problems).toMatchObject([{ line: 13, code: "recurrence" }]);
    expect(summary).toMatchObject({ create: 1, refused: 1 });
  });

  it.each([
    ["a page", "<html><body>Sign in</body></html>"],
    ["nothing", ""],
    ["a cut file", fresh.slice(0, 80)],
    ["two calendars", fresh + fresh],
    [
      "only refused items",
      calendar(
        "BEGIN:VEVENT",
        "UID:r@example.com",
        "SUMMARY:R",
        "DTSTART;VALUE=DATE:20261201",
        "RRULE:FREQ=DAILY",
        "END:VEVENT",
      ),
    ],
  ])("answers 422 with line and reason to %s", async (_what, body) => {
    const { call, store } = await startApp();
    const before = store.changes.latest();
    const {
      status,
      headers: answered,
      text,
    } = await call("POST /api/edits?project=2001", { headers, body });
    expect(status).toBe(422);
    expect(answered["content-type"]).toContain("application/problem+json");
    const problem = JSON.parse(text);
    expect(problem.errors.length).toBeGreaterThan(0);
    expect(Object.keys(problem.errors[0]).toSorted()).toEqual(["code", "line", "message", "uid"]);
    expect(problem.detail).toContain(problem.errors[0].message);
    expect(store.changes.latest()).toBe(before);
  });

  it("answers 413 to more than 5 MB", async () => {
    const { call } = await startApp();
    for (const size of [5_000_001, 7_000_000]) {
      const { status, text } = await call("POST /api/edits?project=2001", {
        headers,
        body: Buffer.alloc(size, "A"),
      });
      expect(status).toBe(413);
      expect(JSON.parse(text).errors).toMatchObject([{ code: "too-large" }]);
    }
  });

  it.each([
    ["", "project"],
    ["?project=x", "project"],
    ["?project=2001&list=0", "list"],
    ["?project=2001&person=me", "person"],
    ["?project=2001&dryRun=yes", "dryRun"],
  ])("answers 400 to the query %s and names it", async (query, named) => {
    const { call } = await startApp();
    const { status, text } = await call(`POST /api/edits${query}`, { headers, body: fresh });
    expect(status).toBe(400);
    expect(JSON.parse(text).detail).toMatch(new RegExp(`^${named}: `));
  });

  it("lists by state, and lets a person discard what has not left", async () => {
    const { call, path } = await startApp();
    await call("POST /api/edits?project=2001", { headers, body: fresh });
    const list = async (query: string) =>
      JSON.parse((await call(`GET /api/edits${query}`, { headers: bearer })).text).edits;
    expect(await list("?state=pending")).toHaveLength(1);
    expect(await list("?state=confirmed")).toHaveLength(0);
    expect((await call("GET /api/edits?state=lost", { headers: bearer })).status).toBe(400);
    expect((await call("POST /api/edits/1/approve", { headers: bearer })).status).toBe(409);
    const discarded = await call("POST /api/edits/1/discard", { headers: bearer });
    expect(JSON.parse(discarded.text)).toMatchObject({ id: 1, state: "discarded" });
    expect((await call(`GET ${path}`)).text).not.toContain("UID:new@example.com");
    expect((await call("POST /api/edits/77/discard", { headers: bearer })).status).toBe(404);
  });

  it("takes a confirmed edit back by a new one, and says why another cannot be", async () => {
    const { call, store } = await startApp();
    const uid = store.view.ofProject(projectId(2001))[0]?.uid ?? "";
    const body = calendar("BEGIN:VEVENT", `UID:${uid}`, "SUMMARY:Renamed", "END:VEVENT");
    await call("POST /api/edits?project=2001", { headers, body });
    const undo = (query = "") => call(`POST /api/edits/1/undo${query}`, { headers: bearer });
    const early = await undo();
    expect(early.status).toBe(409);
    expect(early.headers["content-type"]).toContain("application/problem+json");
    expect(JSON.parse(early.text).detail).toContain("discard it");

    const edit = store.journal.claimNext() ?? expect.fail("nothing to claim");
    store.journal.leaving(edit.id, edit.base);
    store.journal.confirm(edit, anEvent(1, { title: "Renamed" }));
    const undone = await undo("?person=11");
    expect(undone.status).toBe(200);
    expect(JSON.parse(undone.text)).toMatchObject({
      id: 2,
      undoes: 1,
      state: "pending",
      channel: "upload",
      actor: 11,
      changes: [{ field: "title", from: "Renamed", to: "Review <b>" }],
    });
    expect((await undo()).status).toBe(409);
    expect((await undo("?person=me")).status).toBe(400);
    expect((await call("POST /api/edits/77/undo", { headers: bearer })).status).toBe(404);
  });

  it("shows both values of a conflict, and what is frozen", async () => {
    const { call, store } = await startApp();
    await call("POST /api/edits?project=2001", { headers, body: fresh });
    await call("POST /api/edits?project=2001", {
      headers,
      body: fresh.replace("UID:new@", "UID:other@"),
    });
    const [first, second] = [store.journal.claimNext(), store.journal.claimNext()];
    if (!first || !second) return expect.fail("nothing to claim");
    const conflict = { field: "title", base: "A", ours: "B", theirs: "C", taken: null } as const;
    const clash = { before: anEvent(1), conflicts: [conflict] };
    store.journal.settle(first, { kind: "park", reason: "conflict", problem: "both", clash });
    const frozen = { reason: "failed", problem: "frozen: 5 writes", frozen: true } as const;
    store.journal.settle(second, { kind: "park", ...frozen });
    const shown = JSON.parse((await call("GET /api/edits/1", { headers: bearer })).text);
    expect(shown).toMatchObject({ reason: "conflict", problem: "both", conflicts: [conflict] });
    const status = JSON.parse((await call("GET /api/status", { headers: bearer })).text);
    expect(status.frozen).toMatchObject([{ edit: 2, problem: "frozen: 5 writes" }]);
  });
});

describe("the start page", () => {
  async function signedIn() {
    const app = await startApp();
    const answer = await app.call("POST /login", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `token=${token}`,
    });
    const cookie = answer.headers["set-cookie"]?.[0] ?? "";
    return { ...app, answer, cookie: cookie.split(";")[0] ?? "", cookieLine: cookie };
  }

  it("asks for the token and shows nothing before", async () => {
    const { call, path } = await startApp();
    const { status, text } = await call("GET /");
    expect(status).toBe(200);
    expect(text).toContain('name="token"');
    expect(text).not.toContain(path);
    const wrong = await call("POST /login", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "token=wrong",
    });
    expect(wrong.status).toBe(403);
    expect(wrong.text).toContain("This is not the admin token.");
    expect(
      (await call("GET /", { headers: { cookie: "dayferry-session=9999999999.forged" } })).text,
    ).not.toContain(path);
  });

  it("shows feeds with their addresses, the mirror's age and the last edits, everything escaped", async () => {
    const { call, cookie, cookieLine, path, store } = await signedIn();
    expect(cookieLine).toMatch(/HttpOnly; SameSite=Lax/);
    store.sources.set("events", [{ kind: "events", projectId: projectId(2001) }]);
    store.sources.attempted({ kind: "events", projectId: projectId(2001) });
    store.sources.succeeded(
      { kind: "events", projectId: projectId(2001) },
      { items: 1, doubts: null },
    );
    const body = calendar(
      "BEGIN:VEVENT",
      "UID:x@example.com",
      "SUMMARY:<script>alert(1)</script>",
      "DTSTART;VALUE=DATE:20261201",
      "END:VEVENT",
    );
    await call("POST /api/edits?project=2001", {
      headers: { ...bearer, "content-type": "text/calendar" },
      body,
    });
    const { status, headers, text } = await call("GET /", { headers: { cookie } });
    expect(status).toBe(200);
    expect(text).toContain(`https://calendar.example.com${path}`);
    expect(text).toContain("the oldest list was read 0 s ago");
    expect(text).toContain("&lt;script&gt;alert(1)");
    expect(text).not.toContain("<script>");
    expect(headers["content-security-policy"]).toContain("default-src 'self'");
    expect(headers["content-security-policy"]).not.toContain("upgrade-insecure-requests");
    expect(headers["cache-control"]).toBe("no-store");
  });

  it("lets nobody guess tokens, and counts no right one", async () => {
    const { call } = await startApp();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const login = (given: string) =>
      call("POST /login", { headers, body: new URLSearchParams({ token: given }).toString() });
    for (let count = 0; count < 12; count++) expect((await login(token)).status).toBe(303);
    for (let count = 0; count < 5; count++) {
      expect((await login("wrong")).status).toBe(403);
      expect((await call("GET /?token=wrong")).status).toBe(200);
    }
    const refused = await login("wrong");
    expect(refused.status).toBe(429);
    expect(refused.text).toContain("Please wait a minute");
    expect((await call("GET /?token=wrong")).status).toBe(429);
    expect((await call("GET /")).status).toBe(200);
  });

  it("takes the token once from the address and then leaves it out", async () => {
    const { call } = await startApp();
    const { status, headers } = await call(`GET /?token=${token}`);
    expect(status).toBe(303);
    expect(headers.location).toBe("./");
    expect(headers["set-cookie"]?.[0]).toContain("dayferry-session=");
  });

  it("signs out only with the form of the session, and sessions end", async () => {
    const { call, cookie, clock } = await signedIn();
    const form = { "content-type": "application/x-www-form-urlencoded", cookie };
    expect((await call("POST /logout", { headers: form, body: "form=forged" })).status).toBe(403);
    const page = (await call("GET /", { headers: { cookie } })).text;
    const value = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const out = await call("POST /logout", {
      headers: form,
      body: `form=${encodeURIComponent(value)}`,
    });
    expect(out.status).toBe(303);
    expect(out.headers["set-cookie"]?.[0]).toContain("Max-Age=0");
    clock.advance({ hours: 24 * 15 });
    expect((await call("GET /", { headers: { cookie } })).text).toContain('name="token"');
  });
});
