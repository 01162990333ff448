import { describe, expect, it } from "vitest";
import { shownIn, startActs } from "./act-rig.ts";

describe("GET /act/<signed>", () => {
  it("says what would happen and asks, with every text escaped", async () => {
    const { ask, link } = await startActs();
    const { status, text } = await ask(link("day"));
    expect(status).toBe(200);
    expect(text).toContain(
      "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;",
    );
    expect(text).not.toContain("<script>");
    expect(text).toContain("Thursday, 12 November 2026");
    expect(text).toContain("Friday, 13 November 2026");
    expect(text).toContain('<form method="post"');
    expect(text).toContain('name="viewport"');
    expect(shownIn(text)).toBe("2026-11-12");
  });

  it("is kept out of caches, search engines, frames and referrers, and loads no foreign resources", async () => {
    const { ask, link } = await startActs();
    for (const text of [link("done"), "A".repeat(46), `${link("done")}/1`]) {
      const { headers } = await ask(text);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-robots-tag")).toBe("noindex, nofollow");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("set-cookie")).toBeNull();
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
    }
  });

  it("changes nothing, however often and with whatever method it is requested", async () => {
    const { ask, link, store, edits, item } = await startActs();
    const before = [store.changes.latest(), store.view.get(item)?.sequence];
    for (const action of ["done", "day", "week", "reopen"] as const) {
      for (const method of ["GET", "HEAD", "OPTIONS", "GET", "PUT", "DELETE", "PATCH"]) {
        await ask(link(action), { method });
        await ask(`${link(action)}?confirm=true&shown=2026-11-12`, { method });
      }
    }
    expect(edits()).toEqual([]);
    expect([store.changes.latest(), store.view.get(item)?.sequence]).toEqual(before);
  });

  it.each<[string, number, string]>([
    ["is not signed", 404, "It may be incomplete"],
    ["has expired", 410, "The link has expired"],
    ["belongs to an old address of the feed", 410, "another address now"],
    ["names a deleted item", 410, "no longer exists"],
  ])("returns a readable page if the link %s", async (what, expected, words) => {
    const { ask, press, link, clock, store, feed, item } = await startActs();
    const text = what === "is not signed" ? link("done").slice(1) : link("done");
    if (what === "has expired") clock.set("2027-04-01T00:00:00Z");
    if (what.startsWith("belongs")) store.feeds.rotate(feed.id);
    if (what.startsWith("names")) {
      store.mirror.bury(item);
      store.changes.publish(item);
    }
    for (const { status, text: page } of [await ask(text), await press(text, "2026-11-12")]) {
      expect(status).toBe(expected);
      expect(page).toContain(words);
      expect(page).not.toContain("<form");
    }
    expect(store.journal.list({ limit: 1 })).toEqual([]);
  });

  it("says if there is nothing to do", async () => {
    const { ask, link } = await startActs();
    const { status, text } = await ask(link("reopen"));
    expect(status).toBe(200);
    expect(text).toContain("It is open.");
    expect(text).not.toContain("<form");
  });

  it("answers 404 if action links are switched off", async () => {
    const { ask, press, link, edits } = await startActs({ off: true });
    expect((await ask(link("done"))).status).toBe(404);
    expect((await press(link("done"), "2026-11-12")).status).toBe(404);
    expect((await ask(`${link("done")}/1`)).status).toBe(404);
    expect(edits()).toEqual([]);
  });
});

it("too many requests of one link get a 429 page, and other links still work", async () => {
  const { ask, press, link, edits } = await startActs();
  const answers: number[] = [];
  for (let round = 0; round < 13; round++) {
    const some = await Promise.all(Array.from({ length: 10 }, () => ask("x")));
    answers.push(...some.map(({ status }) => status));
  }
  expect(answers.filter((status) => status === 404)).toHaveLength(120);
  expect(answers.filter((status) => status === 429)).toHaveLength(10);
  const refused = await ask("x");
  expect(refused.status).toBe(429);
  expect(refused.text).toContain("Wait a minute, then reload");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.headers.get("cache-control")).toBe("no-store");
  // Strangers behind the same proxy slow nobody else.
  expect((await press(link("done"), "2026-11-12")).status).toBe(303);
  expect(edits()).toHaveLength(1);
});
