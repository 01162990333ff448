import { describe, expect, it, onTestFinished } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import { origin, sharedCacheOf } from "../caches/cache-rig.ts";

const kept = "public, max-age=0, s-maxage=60, stale-while-revalidate=30, stale-if-error=86400";

async function served(written: unknown) {
  const server = await origin(written);
  onTestFinished(() => server.stop());
  return server;
}

describe("http.sharedCache", () => {
  it("is off by default", async () => {
    expect(sharedCacheOf(undefined)).toBeNull();
    expect(sharedCacheOf(false)).toBeNull();
    const { direct, path } = await served(null);
    const { headers } = await direct(`GET ${path}`);
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(headers["xkey"]).toBeUndefined();
    const gone = await direct("GET /feeds/00000000000000000000000000000000/x.ics");
    expect(gone.headers["cache-control"]).toBe("no-store");
  });

  it("lets shared caches store a feed, with keys and an exact Vary, even if unchanged", async () => {
    const { direct, path, feed, store } = await served(true);
    const { headers } = await direct(`GET ${path}`);
    const own = store.meta.installation.replaceAll(".", "-");
    expect(headers).toMatchObject({
      "cache-control": kept,
      vary: "Accept-Encoding",
      "surrogate-key": `${own}-feed-${feed.id} ${own}`,
      xkey: `${own}-feed-${feed.id} ${own}`,
      "cache-tag": `${own}-feed-${feed.id},${own}`,
    });
    const unchanged = await direct(`GET ${path}`, { "if-none-match": headers.etag ?? "" });
    expect(unchanged.status).toBe(304);
    expect(unchanged.headers["cache-control"]).toBe(kept);
  });

  it("keeps a response to a login or a query for that reader", async () => {
    const { direct, path } = await served(true);
    const asked = [
      await direct(`GET ${path}`, { authorization: "Basic YTpi" }),
      await direct(`GET ${path}?token=1`),
    ];
    for (const { status, headers } of asked) {
      expect(status).toBe(200);
      expect(headers["cache-control"]).toBe("private, no-cache");
      expect(headers["surrogate-key"]).toBeUndefined();
    }
  });

  it("keeps a person's own feed, and one with private items, for that reader", async () => {
    const { direct, feeds } = await served(true);
    const wish = { name: null, colour: null } as const;
    const person = { kind: "person", projectId: null, personId: personId(1001) } as const;
    const made = [
      feeds.create({ ...wish, ...person, filter: null }),
      feeds.create({
        ...{ ...wish, kind: "all", projectId: null, personId: null },
        filter: { private: "show" },
      }),
    ];
    for (const { path } of made) {
      const { status, headers } = await direct(`GET ${path}`);
      expect(status).toBe(200);
      expect(headers["cache-control"]).toBe("private, no-cache");
    }
  });

  it("lets an unknown address be cached for seconds, in one form for everybody", async () => {
    const { direct, path, feeds, feed } = await served(true);
    feeds.revoke(feed.id);
    for (const accept of ["text/html", "*/*"]) {
      const { status, headers } = await direct(`GET ${path}`, { accept });
      expect(status).toBe(404);
      expect(headers["cache-control"]).toBe("public, max-age=0, s-maxage=10");
      expect(headers["content-type"]).toContain("application/problem+json");
      expect(headers.vary).toBeUndefined();
    }
  });

  it("redirects to the true address if copies are purged by address", async () => {
    const purge = { url: "http://127.0.0.1:9{path}" };
    const { direct, path } = await served({ purge });
    const other = path.replace(/[^/]+$/, "another-name.ics");
    expect((await direct(`GET ${path}`)).headers["cache-control"]).toBe(kept);
    expect((await direct(`GET ${other}`)).headers["cache-control"]).toBe("private, no-cache");
    const byKey = await served({ purge: { url: "http://127.0.0.1:9/{key}" } });
    const named = byKey.path.replace(/[^/]+$/, "another-name.ics");
    expect((await byKey.direct(`GET ${named}`)).headers["cache-control"]).toBe(kept);
  });

  it("explains wrong settings", () => {
    expect(() => sharedCacheOf({ maxAge: "1 minute" })).toThrow("ISO 8601");
    expect(() => sharedCacheOf({ age: "PT1M" })).toThrow("http.sharedCache.age");
    expect(() => sharedCacheOf({ purge: { url: "http://127.0.0.1/" } })).toThrow(
      "must contain {key}",
    );
    expect(() => sharedCacheOf({ purge: { url: "http://127.0.0.1/{feed}" } })).toThrow("{feed}");
    expect(() => sharedCacheOf({ purge: { url: "ftp://h/{key}" } })).toThrow("https://");
    expect(() => sharedCacheOf({ purge: { url: "http://h/{key}", method: "purge" } })).toThrow(
      "must be a method",
    );
    expect(() =>
      sharedCacheOf({ purge: { url: "http://h/{key}", token: "a", tokenFile: "b" } }),
    ).toThrow("is given twice");
  });
});
