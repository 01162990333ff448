import { expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { Faults } from "../src/faults.ts";
import { processRuntime } from "../src/runtime.ts";
import { type Answer, at, items, type Rig, startRig } from "./rig.ts";

async function labelCount(rig: Rig): Promise<number> {
  return items((await rig.call("GET /labels")).json).length;
}

function create(rig: Rig): Promise<Answer> {
  return rig.call("POST /labels", { body: { name: "made" } });
}

test("Faults.take() matches method and path, as often as set, the oldest first", () => {
  const faults = new Faults(processRuntime.startTimer);
  faults.add({ kind: "status", status: 500, method: "PUT" });
  faults.add({ kind: "status", status: 502, path: /labels$/g, times: 2 });
  const take = (method: string, path: string) => at(faults.take({ method, path }), "status");
  expect(take("GET", "/events")).toBeUndefined();
  expect(take("GET", "/labels")).toBe(502);
  expect(take("PUT", "/labels")).toBe(500);
  expect(take("PUT", "/labels")).toBe(502);
  expect(take("PUT", "/labels")).toBeUndefined();
  faults.add({ kind: "html" });
  faults.clear();
  expect(take("GET", "/labels")).toBeUndefined();
});

test("fault status answers without effect, counts in the log, and strikes once", async () => {
  const rig = await startRig();
  const headers = { "retry-after": "7" };
  rig.sandbox.faults.add({ kind: "status", status: 503, headers, body: { message: "later" } });
  const answer = await create(rig);
  expect(answer.status).toBe(503);
  expect(answer.headers["retry-after"]).toBe("7");
  expect(answer.json).toEqual({ message: "later" });
  expect(await labelCount(rig)).toBe(0);
  expect(rig.sandbox.requests.entries().map((it) => it.status)).toEqual([503, 200]);
});

test.each([
  ["drop-before", 0],
  ["drop-after", 1],
] as const)("fault %s ends the connection", async (kind, labels) => {
  const rig = await startRig();
  rig.sandbox.faults.add({ kind });
  await expect(create(rig)).rejects.toThrow(/socket hang up|ECONNRESET/);
  expect(await labelCount(rig)).toBe(labels);
  expect(rig.sandbox.requests.entries()[0]?.status).toBeNull();
});

test.each([
  ["hang-before", 0],
  ["hang-after", 1],
] as const)("fault %s never answers until the sandbox closes", async (kind, labels) => {
  const rig = await startRig();
  rig.sandbox.faults.add({ kind, method: "POST" });
  const hanging = create(rig);
  const ending = expect(hanging).rejects.toThrow();
  const first = await Promise.race([hanging, arrivals(rig, 1)]);
  expect(first).toBe("arrived");
  expect(await labelCount(rig)).toBe(labels);
  await rig.sandbox.close();
  await ending;
});

test.each([
  ["drop", /socket hang up|ECONNRESET/],
  [503, null],
] as const)("fault late answers with %s, and is carried out when released", async (kind, error) => {
  const rig = await startRig();
  rig.sandbox.faults.add({ kind: "late", answer: kind, method: "POST" });
  if (error) await expect(create(rig)).rejects.toThrow(error);
  else expect((await create(rig)).status).toBe(503);
  expect(await labelCount(rig)).toBe(0);
  expect(rig.sandbox.faults.deliverLate()).toBe(1);
  await expect.poll(() => labelCount(rig)).toBe(1);
  expect(rig.sandbox.faults.deliverLate()).toBe(0);
});

test("fault late is carried out after its time, and never once it is cleared", async () => {
  const rig = await startRig();
  rig.sandbox.faults.add({ kind: "late", answer: 500, ms: 1, method: "POST" });
  await create(rig);
  await expect.poll(() => labelCount(rig)).toBe(1);
  rig.sandbox.faults.add({ kind: "late", answer: 500, method: "POST" });
  await create(rig);
  rig.sandbox.faults.clear();
  expect(rig.sandbox.faults.deliverLate()).toBe(0);
});

test("fault html is a page under 200 without effect", async () => {
  const rig = await startRig();
  rig.sandbox.faults.add({ kind: "html" });
  const answer = await create(rig);
  expect(answer.status).toBe(200);
  expect(answer.headers["content-type"]).toContain("text/html");
  expect(answer.json).toBeUndefined();
  expect(await labelCount(rig)).toBe(0);
});

test("fault cut breaks off the answer after the effect", async () => {
  const rig = await startRig();
  rig.sandbox.faults.add({ kind: "cut" });
  await expect(create(rig)).rejects.toThrow("aborted");
  rig.sandbox.faults.add({ kind: "cut", plain: true });
  const answer = await rig.call("GET /labels");
  expect(answer.status).toBe(200);
  expect(answer.text.length).toBeGreaterThan(0);
  expect(answer.json).toBeUndefined();
  expect(await labelCount(rig)).toBe(1);
});

test("fault replace and transform change the answer, not the effect", async () => {
  const rig = await startRig();
  rig.sandbox.faults.add({ kind: "replace", body: { nothing: true } });
  expect((await create(rig)).json).toEqual({ nothing: true });
  rig.sandbox.faults.add({ kind: "transform", transform: (json) => items(json).slice(1) });
  expect(await labelCount(rig)).toBe(0);
  expect(await labelCount(rig)).toBe(1);
});

test("fault delay and latencyMs delay the answer", async () => {
  const rig = await startRig({ latencyMs: 20 });
  const started = performance.now();
  rig.sandbox.faults.add({ kind: "delay", ms: 60 });
  expect((await create(rig)).status).toBe(200);
  // Platform timers may fire a millisecond early.
  expect(performance.now() - started).toBeGreaterThanOrEqual(78);
});

const arrivals = (rig: Rig, count: number): Promise<"arrived"> =>
  eventually("the requests have arrived", () => {
    const seen = rig.sandbox.requests
      .entries()
      .filter((it) => it.personId !== null || it.body !== "");
    return seen.length >= count ? "arrived" : null;
  });
