import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasXkey } from "../clients/programs.ts";
import { eventually } from "../support/eventually.ts";
import { callHttp } from "../support/http-call.ts";
import { freePort, varnish } from "./cache-process.ts";
import { origin } from "./cache-rig.ts";

// Debian's Varnish by the example in deploy/, in front of the real HTTP side.

describe.skipIf(!hasXkey())("Varnish in front of feeds", () => {
  async function behindVarnish() {
    const port = await freePort();
    const purge = { url: `http://127.0.0.1:${port}/`, headers: { xkey: "{key}" } };
    const server = await origin({ maxAge: "PT1H", staleWhileRevalidate: "PT0S", purge });
    const cache = await varnish(server.port, port);
    onTestFinished(async () => {
      await cache.stop();
      await server.stop();
    });
    const get = (headers: Readonly<Record<string, string>> = {}, path = server.path) =>
      callHttp(port, `GET ${path}`, { headers });
    return { ...server, get };
  }

  it("requests a feed once, answers 304 itself, and shows a change after a purge", async () => {
    const { get, asked, rename, purge, turns } = await behindVarnish();
    const first = await get();
    expect(first.status).toBe(200);
    const again = await get();
    expect(again.text).toBe(first.text);
    expect(again.headers["x-varnish"] ?? again.headers["xkey"]).toBeUndefined();
    const unchanged = await get({ "if-none-match": first.headers.etag ?? "" });
    expect(unchanged.status).toBe(304);
    expect(asked).toHaveLength(1);

    rename("Moved");
    expect((await get()).text).toBe(first.text);
    await purge();
    const fresh = await get({ "if-none-match": first.headers.etag ?? "" });
    expect(fresh.status).toBe(200);
    expect(fresh.text).toContain("SUMMARY:Moved");
    expect(asked).toHaveLength(2);
    await purge();
    await get();
    expect(asked).toHaveLength(2);
    expect(turns).toEqual([]);
  });

  it("keeps each coding with its own ETag", async () => {
    const { get, asked } = await behindVarnish();
    const plain = await get();
    const zipped = await get({ "accept-encoding": "gzip, deflate, br" });
    const brotli = await get({ "accept-encoding": "br" });
    const unwanted = await get({ "accept-encoding": "gzip;q=0, deflate" });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(zipped.bytes).toString()).toBe(plain.text);
    expect(brotli.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(brotli.bytes).toString()).toBe(plain.text);
    expect(unwanted.headers["content-encoding"]).toBeUndefined();
    expect(new Set([plain, zipped, brotli].map(({ headers }) => headers.etag)).size).toBe(3);
    for (const coding of ["gzip", "deflate, gzip;q=1.0", "br"]) {
      await get({ "accept-encoding": coding });
    }
    expect(asked).toHaveLength(3);
  });

  it("removes an ended address at once, and serves its copy while the daemon does not respond", async () => {
    const { get, feeds, feed, purge, stop, path } = await behindVarnish();
    const first = await get();
    await stop();
    expect((await get()).text).toBe(first.text);
    feeds.rotate(feed.id);
    await purge();
    const gone = await get();
    expect(gone.status).toBe(503);
    expect(gone.text).not.toContain("VCALENDAR");
    expect(feeds.list()[0]?.path).not.toBe(path);
  });

  it("passes logins on, and accepts purges only from this machine", async () => {
    const { get, asked } = await behindVarnish();
    for (let count = 0; count < 2; count += 1) await get({ authorization: "Basic YTpi" });
    expect(asked).toHaveLength(2);
  });

  it("serves the daemon's own response for an ended address", async () => {
    const { get, feeds, feed, purge } = await behindVarnish();
    await get();
    feeds.revoke(feed.id);
    await purge();
    const answer = await eventually("it is gone", async () => {
      const got = await get();
      return got.status === 404 ? got : null;
    });
    expect(JSON.parse(answer.text)).toMatchObject({ status: 404 });
  });
});
