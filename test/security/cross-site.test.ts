import { describe, expect, it } from "vitest";
import { accessTable } from "../../src/http/access.ts";
import { token } from "../http/app-rig.ts";
import { attackedWorld } from "./attacked-world.ts";

const form = { "content-type": "application/x-www-form-urlencoded", accept: "text/html" };
const here = { headers: {}, from: () => "127.0.0.1" };

const formRoutes = accessTable
  .filter(
    ({ door, who, methods }) => door === "page" && who !== "anyone" && methods.includes("POST"),
  )
  .map(({ path }) => path.replace(/:\w+/g, "1"));

describe("a request that another site's page has a browser send", () => {
  it("is refused at each form, by its token, its origin and its type", async () => {
    const world = await attackedWorld();
    const admin = world.role("the admin by session");
    const own = world.role("a member by session");
    const mine = new URLSearchParams({ form: admin.formToken }).toString();
    const tries: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
      ["no token", form, ""],
      ["a wrong token", form, "form=wrong"],
      ["a token twice", form, `${mine}&${mine}`],
      ["someone else's token", form, `form=${own.formToken}`],
      ["another origin", { ...form, origin: "https://evil.example" }, mine],
      ["an origin that ends alike", { ...form, origin: "https://evil-calendar.example.com" }, mine],
      ["an origin of another port", { ...form, origin: "https://calendar.example.com:444" }, mine],
      ["no origin to name", { ...form, origin: "null" }, mine],
      ["cross-site", { ...form, "sec-fetch-site": "cross-site" }, mine],
      ["another host of the site", { ...form, "sec-fetch-site": "same-site" }, mine],
      ["plain text", { ...form, "content-type": "text/plain" }, mine],
      [
        "JSON as plain text",
        { ...form, "content-type": "text/plain" },
        `{"form":"${admin.formToken}"}`,
      ],
      ["JSON", { ...form, "content-type": "application/json" }, `{"form":"${admin.formToken}"}`],
    ];
    const taken: string[] = [];
    expect(formRoutes.length).toBeGreaterThan(20);
    for (const path of formRoutes) {
      for (const [name, headers, body] of tries) {
        const { status } = await world.call(`POST ${path}`, { role: admin, headers, body });
        if (status !== 403) taken.push(`${path} with ${name}: ${status}`);
      }
    }
    expect(taken).toEqual([]);
  });

  it("logs nobody in or out", async () => {
    const world = await attackedWorld();
    const body = new URLSearchParams({ token }).toString();
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { origin: "null" },
    ]) {
      const tried = await world.call("POST /login", {
        role: here,
        headers: { ...form, ...headers },
        body,
      });
      expect([tried.status, tried.headers["set-cookie"]]).toEqual([403, undefined]);
    }
    const role = world.role("the admin by session");
    expect((await world.call("POST /logout", { role, headers: form })).status).toBe(403);
    expect((await world.call("GET /", { role, headers: form })).status).toBe(200);
  });
});

describe("a log-in", () => {
  it("gives a cookie that no script reads, no other site sends, and nobody could have set before", async () => {
    const world = await attackedWorld();
    const planted = `dayferry-session=${"B".repeat(43)}`;
    const logIn = (cookie: string, headers = {}) =>
      world.call("POST /login", {
        role: { headers: { cookie }, from: here.from },
        headers: { ...form, ...headers },
        body: new URLSearchParams({ token }).toString(),
      });
    const [line = ""] = (await logIn(planted)).headers["set-cookie"] ?? [];
    const [first = "", ...flags] = line.split("; ");
    expect(flags).toEqual(["Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=1209600"]);
    expect(first).not.toBe(planted);
    expect(
      (await world.call("GET /", { role: { ...here, headers: { cookie: planted } } })).status,
    ).toBe(401);
    // Another log-in ends the present one.
    const [second = ""] = ((await logIn(first)).headers["set-cookie"]?.[0] ?? "").split("; ");
    const role = (cookie: string) => ({ ...here, headers: { cookie } });
    expect((await world.call("GET /", { role: role(first), headers: form })).status).toBe(303);
    expect((await world.call("GET /", { role: role(second), headers: form })).status).toBe(200);
  });

  it("redirects only to a page of this server", async () => {
    const world = await attackedWorld();
    const targets = [
      "https://evil.example/",
      "//evil.example/",
      "/\\evil.example",
      "\\\\evil.example",
      "/%2f/evil.example",
      "javascript:alert(1)",
      "data:text/html,x",
      "edits//evil.example",
      "../../../evil.example",
      "edits\r\nSet-Cookie: a=b",
      "edits%0d%0aSet-Cookie:%20a=b",
      "/feeds/secret/a.ics",
      "login",
      "logout",
    ];
    for (const next of targets) {
      const { status, headers } = await world.call("POST /login", {
        role: here,
        headers: form,
        body: new URLSearchParams({ token, next }).toString(),
      });
      const to = new URL(headers.location ?? "none", "https://calendar.example.com/login");
      expect([next, status, to.origin, headers["a"]]).toEqual([
        next,
        303,
        "https://calendar.example.com",
        undefined,
      ]);
      expect(to.pathname).toMatch(/^\/(?:edits[^/]*)?$/);
    }
  });

  it("is slowed for guessers, and never denied to whoever knows the password", async () => {
    const world = await attackedWorld();
    const guess = (password: string, from: string) =>
      world.call("POST /login", {
        role: { headers: {}, from: () => from },
        headers: form,
        body: new URLSearchParams({ login: "ben@example.com", password }).toString(),
      });
    // All at once, as guessing goes: those beyond the limit are refused.
    const guessed = await Promise.all(
      Array.from({ length: 30 }, () => guess("wrong", "127.2.0.1")),
    );
    const statuses = guessed.map(({ status }) => status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10);
    expect(statuses.filter((status) => status === 303)).toEqual([]);
    expect((await guess(world.given["ben"] ?? "", "127.2.0.1")).status).toBe(303);
    expect((await guess(world.given["ben"] ?? "", "127.2.0.2")).status).toBe(303);
  });
});

describe("a claim of a request about itself", () => {
  it("enters no address: links use the configured host", async () => {
    const world = await attackedWorld();
    const headers = {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      "x-original-url": "/status",
      "x-rewrite-url": "/status",
      forwarded: "host=evil.example",
      ...{ accept: "text/html" },
    };
    const role = world.role("a member by session");
    for (const path of ["/", "/feeds", "/connect", "/me", "/people/11/dayferry.mobileconfig"]) {
      const { status, text, headers: got } = await world.call(`GET ${path}`, { role, headers });
      expect([path, status]).toEqual([path, 200]);
      expect(`${text}${JSON.stringify(got)}`).not.toContain("evil.example");
    }
    const led = await world.call("GET /.well-known/caldav", { role, headers });
    expect(led.headers.location).toBe("https://calendar.example.com/dav/");
  });

  it("reaches no JavaScript object: names of prototypes are ordinary names", async () => {
    const world = await attackedWorld();
    const role = world.role("the admin by token");
    const json = { "content-type": "application/json" };
    const bodies = [
      '{"__proto__":{"projectId":2001}}',
      '{"constructor":{"prototype":{"polluted":1}},"projectId":2001}',
      `{"projectId":2001,"filter":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}`,
      `${"[".repeat(100_000)}`,
      '{"projectId":2001,"projectId":2002}',
    ];
    for (const body of bodies) {
      const { status } = await world.call("POST /api/feeds", { role, headers: json, body });
      expect([body.slice(0, 40), status < 500]).toEqual([body.slice(0, 40), true]);
    }
    const query = "__proto__[state]=waiting&constructor=1&state[]=a&state[__proto__]=b";
    for (const path of ["/api/edits", "/api/items", "/api/status"]) {
      expect((await world.call(`GET ${path}?${query}`, { role })).status).toBeLessThan(500);
    }
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(Object.hasOwn(Object.prototype, "state")).toBe(false);
  });

  it("opens nothing by another spelling", async () => {
    const world = await attackedWorld();
    const role = world.role("nobody");
    const paths = [
      "/assets/..%2f..%2fpackage.json",
      "/assets/%2e%2e/%2e%2e/package.json",
      "/assets/..%252f..%252fpackage.json",
      "/assets/..\\..\\package.json",
      "/assets/%00",
      "/assets/style.css%00.png",
      "/people/outbox/..%2f1.eml",
      "/STATUS",
      "//status",
      "/./status",
      "/status/.",
      "/status%2f",
      "/x/../status",
      "/%73tatus",
      "/status;a=b",
      "/dav/../status",
      "/healthz/../status",
      "/feeds/../status/a.ics",
      `/${"a".repeat(8000)}`,
      "/%",
      "/%zz",
      "/%c0%ae%c0%ae/status",
      "http://127.0.0.1/status",
      "/api%2fstatus",
      "/api/status/",
    ];
    for (const path of paths) {
      const { status, text } = await world.call(`GET ${path}`, {
        role,
        headers: { accept: "text/html" },
      });
      expect([path, [303, 400, 401, 404, 414, 431].includes(status)]).toEqual([path, true]);
      expect(text).not.toMatch(/"dependencies"|Dayferry runs/);
    }
  });
});
