import { describe, expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { calendar } from "../edits/rig.ts";
import { bearer, startApp, token } from "./app-rig.ts";

const html = { accept: "text/html" };

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
    const { call } = await startApp();
    const start = await call("GET /", { headers: html });
    expect([start.status, start.headers.location]).toEqual([303, "./login"]);
    expect((await call("GET /")).status).toBe(401);
    const { status, text } = await call("GET /login");
    expect(status).toBe(200);
    expect(text).toContain('name="token"');
    const wrong = await call("POST /login", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "token=wrong",
    });
    expect(wrong.status).toBe(403);
    expect(wrong.text).toContain("This is not the admin token.");
    for (const value of ["9999999999.forged", "x".repeat(43)]) {
      const headers = { cookie: `dayferry-session=${value}` };
      expect((await call("GET /", { headers })).status).toBe(401);
    }
  });

  it("shows its projects and the last edits, everything escaped", async () => {
    const { call, cookie, cookieLine, store, clock } = await signedIn();
    expect(cookieLine).toMatch(/HttpOnly; SameSite=Lax/);
    store.sources.put([{ kind: "events", projectId: projectId(2001) }]);
    store.sources.attempted({ kind: "events", projectId: projectId(2001) }, clock());
    store.sources.succeeded(
      { kind: "events", projectId: projectId(2001) },
      { items: 1, gaps: null },
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
    expect(text).toContain("Website, relaunch");
    expect(text).toContain("&lt;script&gt;alert(1)");
    expect(text).not.toContain("<script>");
    expect(headers["content-security-policy"]).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self';",
    );
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers["content-security-policy"]).not.toContain("upgrade-insecure-requests");
    expect(headers["cache-control"]).toBe("no-store");
  });

  it("slows down guessing of tokens, blocks it in the end, and still accepts the right one", async () => {
    const { call, throttle, waits } = await startApp();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const login = (given: string) =>
      call("POST /login", { headers, body: new URLSearchParams({ token: given }).toString() });
    for (let count = 0; count < 12; count++) expect((await login(token)).status).toBe(303);
    for (let count = 0; count < 5; count++) expect((await login("wrong")).status).toBe(403);
    expect(waits).toEqual([]);
    expect((await login("wrong")).status).toBe(403);
    expect(waits).toEqual([500]);
    for (let count = 0; count < 15; count++) throttle.wrong("127.0.0.1", "token by form");
    const refused = await login("wrong");
    expect(refused.status).toBe(429);
    expect(refused.text).toContain("Wait a minute, then reload");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await login(token)).status).toBe(303);
    expect((await call("GET /login")).status).toBe(200);
  });

  it("counts wrong tokens in addresses separately, so that an image on another page locks nobody out", async () => {
    const { call, cookie, throttle } = await signedIn();
    const image = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" };
    for (let count = 0; count < 5; count++) {
      expect((await call("GET /?token=wrong", { headers: image })).status).toBe(403);
    }
    for (let count = 0; count < 15; count++) throttle.wrong("127.0.0.1", "token by address");
    expect((await call("GET /?token=wrong", { headers: image })).status).toBe(429);
    // In the browser with a session such an image is the page as before, and ends nothing.
    const own = await call("GET /?token=wrong", { headers: { ...image, cookie } });
    expect([own.status, own.headers["set-cookie"]]).toEqual([200, undefined]);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect((await call("POST /login", { headers: form, body: "token=typo" })).status).toBe(403);
    expect((await call(`GET /?token=${token}`)).status).toBe(303);
    expect((await call("GET /api/status", { headers: bearer })).status).toBe(200);
    // The throttle of log-ins counts one wrong token: it does not slow yet.
    expect(throttle.wrong("127.0.0.1", "token by form").kind).toBe("go");
  });

  it("slows down wrong Bearer tokens, and never right ones", async () => {
    const { call, throttle, waits } = await startApp();
    const wrong = { authorization: "Bearer wrong" };
    const ask = (headers: Readonly<Record<string, string>>) => call("GET /api/status", { headers });
    for (let count = 0; count < 5; count++) expect((await ask(wrong)).status).toBe(401);
    expect(waits).toEqual([]);
    expect((await ask(wrong)).status).toBe(401);
    expect(waits).toEqual([500]);
    for (let count = 0; count < 15; count++) throttle.wrong("127.0.0.1", "bearer");
    const refused = await ask(wrong);
    expect([refused.status, refused.headers["content-type"]]).toEqual([
      429,
      "application/problem+json; charset=utf-8",
    ]);
    for (const path of ["/api/edits", "/api/feeds", "/api/people", "/api/brakes"]) {
      expect((await call(`GET ${path}`, { headers: wrong })).status).toBe(429);
      expect((await call(`GET ${path}`, { headers: bearer })).status).toBe(200);
    }
    expect((await ask({})).status).toBe(401);
  });

  it("takes the token once from the address and then removes it", async () => {
    const { call } = await startApp();
    const { status, headers } = await call(`GET /?token=${token}`);
    expect(status).toBe(303);
    expect(headers.location).toBe("./");
    expect(headers["set-cookie"]?.[0]).toContain("dayferry-session=");
  });

  it("signs out only with the session's form, and sessions expire", async () => {
    const { call, cookie, clock } = await signedIn();
    const form = { "content-type": "application/x-www-form-urlencoded", cookie };
    const other = await call(`GET /?token=${token}`);
    expect((await call("POST /logout", { headers: form, body: "form=forged" })).status).toBe(403);
    const page = (await call("GET /", { headers: { cookie } })).text;
    const value = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const out = await call("POST /logout", {
      headers: form,
      body: `form=${encodeURIComponent(value)}`,
    });
    expect(out.status).toBe(303);
    expect(out.headers["set-cookie"]?.[0]).toContain("Max-Age=0");
    // Also where the cookie was copied to; other sessions stay.
    expect((await call("GET /", { headers: { cookie } })).status).toBe(401);
    expect(
      (await call("POST /edits/1/discard", { headers: form, body: `form=${value}` })).status,
    ).toBe(401);
    const kept = other.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    expect((await call("GET /", { headers: { cookie: kept } })).text).toContain('name="form"');
    clock.advance({ hours: 24 * 15 });
    expect((await call("GET /", { headers: { cookie: kept } })).status).toBe(401);
  });
});
