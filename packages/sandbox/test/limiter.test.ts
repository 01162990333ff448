import { expect, onTestFinished, test } from "vitest";
import { Limiter } from "../src/limiter.ts";
import { startSandbox } from "../src/server.ts";
import { noon, startRig } from "./rig.ts";

test("refusalSeconds() slides: no window of the length contains more than the quota", () => {
  const limiter = new Limiter({ requests: 3, perMs: 10_000 });
  const ask = (now: number) => limiter.refusalSeconds("a", now);
  expect([ask(0), ask(4000), ask(9000)]).toEqual([null, null, null]);
  expect(ask(9001)).toBe(1);
  expect(ask(9999)).toBe(1);
  expect(ask(10_000)).toBeNull();
  expect(ask(10_001)).toBe(4);
  expect(ask(13_999)).toBe(1);
  expect(ask(14_000)).toBeNull();
});

test("refusalSeconds() does not count refused requests, and counts each address separately", () => {
  const limiter = new Limiter({ requests: 1, perMs: 1000 });
  expect(limiter.refusalSeconds("a", 0)).toBeNull();
  for (let now = 100; now < 1000; now += 100) expect(limiter.refusalSeconds("a", now)).toBe(1);
  expect(limiter.refusalSeconds("b", 500)).toBeNull();
  expect(limiter.refusalSeconds("a", 1000)).toBeNull();
});

test("startSandbox() answers 25 requests in 10 s over all keys and the upload address, then 429", async () => {
  let now = 0;
  const { call, key, sandbox } = await startRig({
    runtime: { monotonic: () => now },
    quota: { requests: 25, perMs: 10_000 },
  });
  for (let count = 0; count < 8; count += 1) {
    now += 100;
    expect((await call("GET /labels")).status).toBe(200);
    expect((await call("HEAD /labels", { key: key("Ben") })).status).toBe(200);
    expect((await call(`POST ${sandbox.uploadUrl}`)).status).toBe(415);
  }
  expect((await call("GET /labels", { key: null })).status).toBe(403);
  now = 1500;
  const refused = await call(`POST ${sandbox.uploadUrl}`, { key: null });
  expect(refused.status).toBe(429);
  expect(refused.headers["retry-after"]).toBe("9");
  now = 10_099;
  expect((await call("GET /labels")).headers["retry-after"]).toBe("1");
  now = 10_100;
  for (let count = 0; count < 3; count += 1) expect((await call("GET /labels")).status).toBe(200);
  expect((await call("GET /labels")).status).toBe(429);
  // The three at the last instant, the 22 others in the window, and four that were rejected or late.
  expect(sandbox.requests.entries()).toHaveLength(31);
  expect(sandbox.requests.maxInWindow(100)).toBe(5);
});

test("startSandbox() allows the documented 25 per 10 s when no quota is given", async () => {
  const sandbox = await startSandbox({
    seed: 1,
    size: "empty",
    discovery: true,
    port: 0,
    timeZone: "UTC",
    clock: () => noon,
    runtime: { monotonic: () => 0 },
  });
  onTestFinished(() => sandbox.close());
  const statuses: number[] = [];
  for (let count = 0; count < 26; count += 1)
    statuses.push((await fetch(`${sandbox.baseUrl}/labels`)).status);
  expect(statuses.slice(0, 25).every((it) => it === 403)).toBe(true);
  expect(statuses[25]).toBe(429);
});
