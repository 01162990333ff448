import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { origin } from "../caches/cache-rig.ts";
import { listening } from "../http/listening.ts";

/** A cache that records its requests, and answers as the test says. */
async function aCache() {
  const received: string[] = [];
  const answer = { status: 200 };
  const port = await listening((request, response) => {
    const { method, url, headers } = request;
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      received.push(
        [method, url, headers["authorization"] ?? headers["x-token"] ?? "", body].join(" "),
      );
      response.writeHead(answer.status).end();
    });
  });
  return { received, answer, url: `http://127.0.0.1:${port}` };
}

async function behind(purge: object, lengths: object = {}) {
  const server = await origin({ ...lengths, purge });
  onTestFinished(() => server.stop());
  const key = `${server.store.meta.installation.replaceAll(".", "-")}-feed-${server.feed.id}`;
  return { ...server, key };
}

describe("the cache purger", () => {
  it("purges a feed once after any number of changes, and never before it was fetched", async () => {
    const cache = await aCache();
    const { rename, purge, direct, path, key } = await behind({ url: `${cache.url}/{key}` });
    rename("One");
    await purge();
    expect(cache.received).toEqual([]);
    await direct(`GET ${path}`);
    await purge();
    expect(cache.received).toEqual([]);
    for (const title of ["Two", "Three", "Four"]) rename(title);
    await purge();
    await purge();
    expect(cache.received).toEqual([`PURGE /${key}  `]);
  });

  it("purges what a new day has changed", async () => {
    const cache = await aCache();
    const { clock, purge, direct, path } = await behind({ url: `${cache.url}/{key}` });
    await direct(`GET ${path}`);
    clock.advance({ hours: 24 });
    await purge();
    expect(cache.received).toHaveLength(1);
  });

  it("fills in key, address and token wherever they are requested", async () => {
    const cache = await aCache();
    const { purge, direct, path, key, rename } = await behind({
      url: `${cache.url}/purge{path}?of={url}`,
      method: "POST",
      headers: { "X-Token": "{token}" },
      body: '{"tags":["{key}"]}',
      token: "the-token",
    });
    await direct(`GET ${path}`);
    rename("Other");
    await purge();
    const address = encodeURIComponent(`https://calendar.example.com${path}`);
    expect(cache.received).toEqual([
      `POST /purge${path}?of=${address} the-token {"tags":["${key}"]}`,
    ]);
  });

  it("sends a token as Bearer if no template names it", async () => {
    const cache = await aCache();
    const { purge, direct, path, key, rename } = await behind({
      url: `${cache.url}/{key}`,
      token: "the-token",
    });
    await direct(`GET ${path}`);
    rename("Other");
    await purge();
    expect(cache.received).toEqual([`PURGE /${key} Bearer the-token `]);
  });

  it("purges an ended address until the cache confirms, then once more", async () => {
    const cache = await aCache();
    const { feeds, feed, purge, store, clock, turns, path } = await behind({
      url: `${cache.url}{path}`,
    });
    cache.answer.status = 503;
    feeds.rotate(feed.id);
    await purge();
    await purge();
    expect(cache.received).toEqual([`PURGE ${path}  `]);
    expect(store.cachePurges.state()).toMatchObject({
      waiting: 1,
      ended: 1,
      problem: "the cache answers PURGE with 503",
    });
    clock.advance({ hours: 24 * 30 });
    await purge();
    cache.answer.status = 200;
    clock.advance({ hours: 1 });
    await purge();
    expect(store.cachePurges.state()).toMatchObject({ waiting: 0, problem: null });
    clock.advance({ seconds: 11 });
    await purge();
    clock.advance({ hours: 1 });
    await purge();
    expect(cache.received).toEqual(Array.from({ length: 4 }, () => `PURGE ${path}  `));
    expect(turns).toEqual(["the cache answers PURGE with 503", null]);
  });

  it("drops a failed purge once copies have expired", async () => {
    const { rename, purge, direct, path, store, clock } = await behind(
      { url: "http://127.0.0.1:9/{key}" },
      { maxAge: "PT5M", staleWhileRevalidate: "PT5M" },
    );
    await direct(`GET ${path}`);
    rename("Other");
    await purge();
    expect(store.cachePurges.state().problem).toBe("the cache cannot be reached (ECONNREFUSED)");
    clock.advance({ minutes: 12 });
    await purge();
    expect(store.cachePurges.state().waiting).toBe(0);
  });

  it("purges again what changed during a request", async () => {
    const received: string[] = [];
    let meanwhile = () => {};
    const port = await listening((request, response) => {
      received.push(request.url ?? "");
      meanwhile();
      response.writeHead(204).end();
    });
    const { feeds, feed, purge, store } = await behind({ url: `http://127.0.0.1:${port}/{key}` });
    feeds.change(feed.id, { name: "First" });
    meanwhile = () => {
      meanwhile = () => {};
      feeds.change(feed.id, { name: "Second" });
    };
    await purge();
    expect(store.cachePurges.state().waiting).toBe(1);
    await purge();
    expect(store.cachePurges.state().waiting).toBe(0);
    expect(received).toHaveLength(2);
  });

  it("accepts that a cache has no copy, and counts a silent one as failing", async () => {
    const cache = await aCache();
    cache.answer.status = 404;
    const first = await behind({ url: `${cache.url}/{key}` });
    first.feeds.change(first.feed.id, { name: "Other" });
    await first.purge();
    expect(first.store.cachePurges.state().waiting).toBe(0);

    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const address = silent.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const second = await behind({ url: `http://127.0.0.1:${port}/{key}`, timeout: "PT0.05S" });
    second.feeds.change(second.feed.id, { name: "Other" });
    await second.purge();
    expect(second.store.cachePurges.state().problem).toBe(
      "the cache did not respond within 0.05 s",
    );
  });
});
