import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import { feedRoutes } from "../../src/http/feed-routes.ts";
import { createSharedCache } from "../../src/http/shared-cache.ts";
import { createLog } from "../../src/log.ts";
import { replaceRuntime } from "../../src/runtime.ts";
import { feedKey } from "../feeds/rig.ts";
import { feedOptions } from "../support/feed-options.ts";
import { callHttp } from "../support/http-call.ts";
import { anEvent } from "../support/items.ts";
import { startApp } from "./app-rig.ts";
import { listening } from "./listening.ts";

const noCache = createSharedCache({ config: null, installation: "i", onServed() {} });

describe("GET /feeds/<secret>/<slug>.ics", () => {
  it("returns the calendar with a strong ETag, Last-Modified and no-cache", async () => {
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

  it("answers HEAD like GET without a body", async () => {
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

  it("answers 200 after a change, whatever date is sent beside the old ETag", async () => {
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

  it("compresses only on request, with an ETag for each coding", async () => {
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

  it("answers 404 to a wrong or revoked secret and to another extension", async () => {
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

  it("answers 503 and never an empty calendar if it cannot be built, and logs no secret", async () => {
    const { call, path, lines } = await startApp({ broken: true });
    const { status, headers, text } = await call(`GET ${path}`);
    expect(status).toBe(503);
    expect(headers["retry-after"]).toBe("60");
    expect(text).not.toContain("VCALENDAR");
    expect(lines.join("")).toContain("feed cannot be built");
    expect(lines.join("")).not.toContain(path.split("/")[2]);
  });

  it("answers 503 until the project was read completely", async () => {
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

  it("records who fetched it", async () => {
    const { call, path, feeds } = await startApp();
    await call(`GET ${path}`, { headers: { "user-agent": "Google-Calendar-Importer" } });
    expect(feeds.list()[0]?.lastFetch?.agent).toBe("Google-Calendar-Importer");
  });
});

it("a feed is still served if the disk is read-only", async () => {
  const { call, path, feeds, store, clock } = await startApp();
  const { text } = await call(`GET ${path}`);
  // As after a restart: the feed's state is stored, and its text is not in memory.
  const [row] = feeds.list();
  const restarted = createPublishedFeeds({
    store,
    key: feedKey,
    options: feedOptions({ webUrl: null }),
    clock,
    hasRead: () => true,
  });
  const app = express().use(
    feedRoutes({ feeds: restarted, sharedCache: noCache, log: createLog({ level: "silent" }) }),
  );
  const port = await listening(app);
  let writes = 0;
  onTestFinished(
    replaceRuntime({
      databaseStep(step) {
        if (step === "committed") return;
        writes += 1;
        // A request that retries for ever must not hang the tests.
        if (writes > 100) throw new Error("it is tried again and again");
        throw new Database.SqliteError("attempt to write a readonly database", "SQLITE_READONLY");
      },
    }),
  );
  const answer = await callHttp(port, `GET ${row?.path}`);
  expect([answer.status, answer.text]).toEqual([200, text]);
  expect(writes).toBeGreaterThan(0);
});
