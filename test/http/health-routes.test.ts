import { describe, expect, it } from "vitest";
import { startApp } from "./app-rig.ts";

describe("health", () => {
  it("is alive at once and ready after the first sweep", async () => {
    const { call, becomeReady } = await startApp();
    expect((await call("GET /healthz")).status).toBe(200);
    expect((await call("GET /readyz")).status).toBe(503);
    becomeReady();
    const ready = await call("GET /readyz");
    expect(ready.status).toBe(200);
    expect(JSON.parse(ready.text)).toEqual({ status: "ready", fresh: true });
  });

  it("lets fetchers that obey robots.txt read feeds", async () => {
    const { call } = await startApp();
    expect((await call("GET /robots.txt")).text).toContain("Allow: /feeds/");
  });
});
