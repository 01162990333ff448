import { describe, expect, it } from "vitest";
import type { TrustProxy } from "../../src/http/trusted-proxies.ts";
import { bearer, startApp, token } from "./app-rig.ts";

const form = { "content-type": "application/x-www-form-urlencoded" };

/** The headers that a proxy adds to a request of a client at this address that sent some of them itself. */
const through = (client: string, claimed = "") => ({
  ...form,
  "x-forwarded-for": claimed === "" ? client : `${claimed}, ${client}`,
  "x-forwarded-proto": "https",
});

async function app({ trustProxy }: { readonly trustProxy: TrustProxy }) {
  const started = await startApp({ more: { trustProxy } });
  const logIn = (headers: Readonly<Record<string, string>>, given = "wrong", from = "127.0.0.1") =>
    started.call("POST /login", {
      headers,
      from,
      body: new URLSearchParams({ token: given }).toString(),
    });
  return { ...started, logIn };
}

describe("behind a trusted proxy", () => {
  it("counts guesses by the address the proxy names, whatever the client has sent", async () => {
    const { logIn, throttle } = await app({ trustProxy: true });
    for (let count = 0; count < 15; count++) throttle.wrong("203.0.113.9", "token by form");
    for (const claimed of ["", "127.0.0.1", "198.51.100.1, 198.51.100.2", "unknown"]) {
      expect((await logIn(through("203.0.113.9", claimed))).status).toBe(429);
    }
    expect((await logIn(through("198.51.100.7"))).status).toBe(403);
    expect((await logIn(through("198.51.100.7", "203.0.113.9"))).status).toBe(403);
  });

  it("sets Secure cookies if the proxy uses https with the browser", async () => {
    const { logIn } = await app({ trustProxy: true });
    const secure = await logIn(through("203.0.113.9"), token);
    expect(secure.headers["set-cookie"]?.[0]).toMatch(/; Secure/);
    const plain = await logIn({ ...form, "x-forwarded-proto": "http" }, token);
    expect(plain.headers["set-cookie"]?.[0]).not.toMatch(/; Secure/);
  });

  it("takes link addresses from the configuration, not from the request's host", async () => {
    const { call, logIn } = await app({ trustProxy: true });
    const forged = { host: "evil.example", "x-forwarded-host": "evil.example" };
    const feeds = await call("GET /api/feeds", { headers: { ...bearer, ...forged } });
    expect(feeds.text).toContain("https://calendar.example.com/");
    const session = (await logIn(through("203.0.113.9"), token)).headers["set-cookie"]?.[0] ?? "";
    const cookie = session.split(";")[0] ?? "";
    for (const path of ["/", "/feeds", "/login", "/connect"]) {
      const page = await call(`GET ${path}`, { headers: { cookie, ...forged } });
      expect(page.text + JSON.stringify(page.headers)).not.toContain("evil.example");
    }
  });
});

it("without a trusted proxy, forwarding headers are ignored", async () => {
  const { logIn, throttle } = await app({ trustProxy: false });
  const given = await logIn(through("203.0.113.9"), token);
  expect(given.headers["set-cookie"]?.[0]).not.toMatch(/; Secure/);
  for (let count = 0; count < 15; count++) throttle.wrong("127.0.0.1", "token by form");
  for (const claimed of ["203.0.113.9", "198.51.100.7"]) {
    expect((await logIn(through(claimed))).status).toBe(429);
  }
});

describe("with proxies listed by address", () => {
  const named = ["127.0.0.2", "192.0.2.0/24"];

  it("believes only these, and only what one of them has added", async () => {
    const { logIn, throttle } = await app({ trustProxy: named });
    for (let count = 0; count < 15; count++) throttle.wrong("203.0.113.9", "token by form");
    const statusOf = async (forwarded: string, from: string) =>
      (await logIn(through(forwarded), "wrong", from)).status;
    expect(await statusOf("203.0.113.9", "127.0.0.2")).toBe(429);
    expect(await statusOf("203.0.113.9, 192.0.2.7", "127.0.0.2")).toBe(429);
    expect(await statusOf("203.0.113.9, 198.51.100.7", "127.0.0.2")).toBe(403);
    expect(await statusOf("203.0.113.9", "127.0.0.3")).toBe(403);
    expect(await statusOf("203.0.113.9", "127.0.0.1")).toBe(403);
  });

  it("counts a forged address against its sender", async () => {
    const { logIn, throttle, call } = await app({ trustProxy: named });
    for (let count = 0; count < 15; count++) throttle.wrong("127.0.0.3", "token by form");
    for (const claimed of ["203.0.113.9", "192.0.2.7", "127.0.0.2"]) {
      expect((await logIn(through(claimed), "wrong", "127.0.0.3")).status).toBe(429);
    }
    const status = await call("GET /api/status", { headers: bearer });
    expect(JSON.parse(status.text).proxy).toMatchObject({
      trusted: true,
      forwardedAt: expect.any(String),
    });
  });

  it("sets Secure cookies if one of them reports https", async () => {
    const { logIn, call } = await app({ trustProxy: named });
    const cookieFrom = async (from: string) =>
      (await logIn(through("203.0.113.9"), token, from)).headers["set-cookie"]?.[0];
    expect(await cookieFrom("127.0.0.2")).toMatch(/; Secure/);
    expect(await cookieFrom("127.0.0.3")).not.toMatch(/; Secure/);
    const feeds = await call("GET /api/feeds", {
      headers: { ...bearer, ...through("203.0.113.9"), "x-forwarded-host": "evil.example" },
      from: "127.0.0.2",
    });
    expect(feeds.text).not.toContain("evil.example");
  });
});
