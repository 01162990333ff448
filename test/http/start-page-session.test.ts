import { describe, expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { calendar } from "../edits/rig.ts";
import { bearer, startApp, token } from "./app-rig.ts";

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
    const { call, cookie, cookieLine, path, store, clock } = await signedIn();
    expect(cookieLine).toMatch(/HttpOnly; SameSite=Lax/);
    store.sources.set("events", [{ kind: "events", projectId: projectId(2001) }]);
    store.sources.attempted({ kind: "events", projectId: projectId(2001) }, clock());
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
