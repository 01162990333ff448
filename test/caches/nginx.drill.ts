import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { isInstalled } from "../clients/programs.ts";
import { eventually } from "../support/eventually.ts";
import { callHttp } from "../support/http-call.ts";
import { nginx } from "./cache-process.ts";
import { origin } from "./cache-rig.ts";

// Debian's nginx by the example in deploy/: it cannot drop copies on request, so that they end only by age.

describe.skipIf(!isInstalled("nginx"))("nginx in front of feeds", () => {
  async function behindNginx(written: object) {
    const server = await origin(written);
    const cache = await nginx(server.port);
    onTestFinished(async () => {
      await cache.stop();
      await server.stop();
    });
    const get = (headers: Readonly<Record<string, string>> = {}) =>
      callHttp(cache.port, `GET ${server.path}`, { headers });
    return { ...server, get };
  }

  it("requests each coding once, and answers 304 itself", async () => {
    const { get, asked } = await behindNginx({ maxAge: "PT1H" });
    const plain = await get();
    const zipped = await get({ "accept-encoding": "gzip, br" });
    const brotli = await get({ "accept-encoding": "br" });
    expect(gunzipSync(zipped.bytes).toString()).toBe(plain.text);
    expect(brotliDecompressSync(brotli.bytes).toString()).toBe(plain.text);
    expect(zipped.headers.vary).toBe("Accept-Encoding");
    expect(zipped.headers["xkey"]).toBeUndefined();
    const etag = zipped.headers.etag ?? "";
    const unchanged = await get({ "accept-encoding": "gzip", "if-none-match": etag });
    expect(unchanged.status).toBe(304);
    await get({ "accept-encoding": "gzip;q=0" });
    expect(asked).toHaveLength(3);
    for (let count = 0; count < 2; count += 1) await get({ authorization: "Basic YTpi" });
    expect(asked).toHaveLength(5);
  });

  it("shows a change, and the end of an address, once its copy is too old", async () => {
    const written = { maxAge: "PT1S", staleWhileRevalidate: "PT0S", staleIfError: "PT1H" };
    const { get, rename, feeds, feed } = await behindNginx(written);
    expect((await get()).text).toContain("SUMMARY:Review");
    rename("Moved");
    await eventually("the change is there", async () =>
      (await get()).text.includes("SUMMARY:Moved") ? true : null,
    );
    feeds.revoke(feed.id);
    await eventually("the address is gone", async () =>
      (await get()).status === 404 ? true : null,
    );
  });

  it("serves its copy while the daemon does not respond", async () => {
    const written = { maxAge: "PT1S", staleWhileRevalidate: "PT0S", staleIfError: "PT1H" };
    const { get, stop, restart, rename } = await behindNginx(written);
    const first = await get();
    await stop();
    await eventually("its copy is too old", async () => {
      const stale = await get();
      expect(stale.text).toBe(first.text);
      return stale.headers["x-cache"] === "STALE" ? true : null;
    });
    rename("Moved");
    await restart();
    await eventually("the change is there", async () =>
      (await get()).text.includes("SUMMARY:Moved") ? true : null,
    );
  });
});
