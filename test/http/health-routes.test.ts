import { SqliteError } from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { startApp } from "./app-rig.ts";

describe("health", () => {
  it("is alive at once and ready after the first sync", async () => {
    const { call, becomeReady } = await startApp();
    expect((await call("GET /healthz")).status).toBe(200);
    const early = await call("GET /readyz");
    expect([early.status, early.headers["retry-after"]]).toEqual([503, "10"]);
    becomeReady();
    const ready = await call("GET /readyz");
    expect(ready.status).toBe(200);
    expect(JSON.parse(ready.text)).toEqual({ status: "ready", fresh: true });
  });

  it("says when to ask again while nothing can be stored", async () => {
    for (const [code, seconds] of [
      ["SQLITE_FULL", "60"],
      ["SQLITE_CORRUPT", "300"],
    ] as const) {
      const { call, store } = await startApp();
      store.health.note(new SqliteError("no", code));
      const sick = await call("GET /healthz");
      expect([sick.status, sick.headers["retry-after"]]).toEqual([503, seconds]);
    }
  });

  it("allows fetchers that respect robots.txt to read feeds", async () => {
    const { call } = await startApp();
    expect((await call("GET /robots.txt")).text).toContain("Allow: /feeds/");
  });
});
