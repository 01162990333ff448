import { describe, expect, it } from "vitest";
import { zone } from "../support/items.ts";
import { bearer, startApp, token } from "./app-rig.ts";

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
    "PATCH /api/feeds/1",
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

  it.each(["status", "brakes", "feeds", "edits", "people"])(
    "GET /api/%s is indented for people and compact for programs",
    async (name) => {
      const { call } = await startApp();
      const get = async (agent: string) => {
        const headers = { ...bearer, "user-agent": agent };
        return (await call(`GET /api/${name}`, { headers })).text;
      };
      const [byHand, byProgram] = [await get("curl/8.5.0"), await get("agenda-board/1")];
      expect(byHand).toMatch(/^\{\n {2}"/);
      expect(byProgram).not.toContain("\n");
      expect(Object.keys(JSON.parse(byHand))).toEqual(Object.keys(JSON.parse(byProgram)));
    },
  );

  it("GET /api/status returns ages, quota, journal and mail", async () => {
    const { call } = await startApp();
    const { status, text } = await call("GET /api/status", { headers: bearer });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      ready: false,
      timeZone: zone,
      zoneData: { tz: "2026c", icu: "78.3" },
      mirror: { event: 1, task: 0, projects: 1 },
      quota: { used: 3, quota: 25 },
      journal: {},
      mail: { sent: 0 },
      eventLoop: { longestMs: 12.5, minutes: 5 },
      feeds: 1,
      errors: [],
    });
  });

  it("lists, rotates, revokes and creates feeds", async () => {
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
    expect(JSON.parse(made.text)).toMatchObject({ id: 2, projectId: 2001, colour: "project" });
    expect((await call("POST /api/feeds", { headers: json, body: "{}" })).status).toBe(400);
    expect((await call("POST /api/feeds", { headers: json, body: "{" })).status).toBe(400);
    expect(
      (await call("POST /api/feeds", { headers: json, body: JSON.stringify({ projectId: 5 }) }))
        .status,
    ).toBe(404);
  });

  it("renames a feed under the same address", async () => {
    const { call, path } = await startApp();
    const patch = async (name: unknown) => {
      const headers = { ...bearer, "content-type": "application/json" };
      const answer = await call("PATCH /api/feeds/1", { headers, body: JSON.stringify({ name }) });
      return { status: answer.status, feed: JSON.parse(answer.text) };
    };
    const named = await patch("  Our relaunch ");
    expect(named).toMatchObject({ status: 200, feed: { id: 1, name: "Our relaunch" } });
    expect(named.feed.url).toContain(`${path.split("/")[2]}/our-relaunch.ics`);
    const listed = JSON.parse((await call("GET /api/feeds", { headers: bearer })).text).feeds;
    expect(listed).toMatchObject([{ id: 1, name: "Our relaunch" }]);
    expect((await call(`GET ${path}`)).text).toContain("X-WR-CALNAME:Our relaunch");
    for (const wrong of ["", " ", 5, "a\nb", "x".repeat(201)]) {
      const { status, feed } = await patch(wrong);
      expect(status).toBe(400);
      expect(feed.detail).toMatch(/^name: /);
    }
    expect((await patch(null)).feed.name).toBe("Website, relaunch");
  });

  it("releases a brake once", async () => {
    const { call, store } = await startApp();
    store.brakes.set("events:2001", { missing: 30, total: 40, needsPerson: true });
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

  it("answers 404 as a problem document for missing resources", async () => {
    const { call } = await startApp();
    const { status, text } = await call("GET /api/nothing", { headers: bearer });
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ title: "Not found", status: 404 });
  });

  it("GET /api/status reports a proxy that is not trusted", async () => {
    const { call } = await startApp();
    const proxy = async (): Promise<unknown> =>
      Object(JSON.parse((await call("GET /api/status", { headers: bearer })).text)).proxy;
    expect(await proxy()).toEqual({ trusted: false, forwardedAt: null });
    await call("GET /healthz", { headers: { "x-forwarded-for": "192.0.2.7" } });
    expect(await proxy()).toEqual({ trusted: false, forwardedAt: "2026-11-21T09:00:00Z" });
  });

  it("no answer of the API and no page may be cached", async () => {
    const { call } = await startApp();
    for (const request of [
      "GET /api/status",
      "GET /api/edits",
      "GET /api/edits/99",
      "POST /api/edits?project=1",
      "GET /api/feeds",
      "POST /api/feeds/1/rotate",
      "DELETE /api/feeds/9",
      "GET /api/people",
      "GET /api/brakes",
      "GET /api/nothing",
      "PATCH /api/status",
      "GET /",
      "GET /healthz",
      "POST /login",
      "GET /nothing",
      "GET /feeds/wrong/x.ics",
    ]) {
      for (const headers of [{}, bearer]) {
        const answer = await call(request, { headers });
        expect(answer.headers["cache-control"], request).toBe("no-store");
        expect(answer.headers["x-content-type-options"], request).toBe("nosniff");
      }
    }
  });
});
