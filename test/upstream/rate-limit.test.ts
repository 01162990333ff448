import { expect, test } from "vitest";
import { labelId } from "../../src/domain/ids.ts";
import type { Call } from "../../src/upstream/client.ts";
import { readRetryAfter } from "../../src/upstream/response.ts";
import { type Answerer, clientOf, json, startLoopback } from "./loopback.ts";

const perMs = 500;
const quota = { requests: 25, per: Temporal.Duration.from({ milliseconds: perMs }) };
const label = { id: 5, name: "Urgent", color: "#ff0000" };

/** A service with a sliding window: a refused request does not count. `taken`: what other tools use of it. */
function limited(taken: () => number): Answerer & { readonly refused: () => number } {
  let log: number[] = [];
  let refused = 0;
  const answer: Answerer = (arrival, response) => {
    log = log.filter((moment) => arrival.atMs - moment < perMs);
    if (log.length + taken() >= quota.requests) {
      refused += 1;
      response.writeHead(429, { "retry-after": "1" }).end();
      return;
    }
    log.push(arrival.atMs);
    setImmediate(() => json(response, label));
  };
  return Object.assign(answer, { refused: () => refused });
}

test("calls get no 429 when the service counts a sliding window, and edits overtake sweeps", async () => {
  const service = limited(() => 0);
  const server = await startLoopback(service);
  const { upstream } = clientOf(server.baseUrl, { quota });
  const ended: string[] = [];
  const get = async (priority: Call["priority"]) => {
    const result = await upstream.labels.get(labelId(5), { priority });
    expect(result.ok).toBe(true);
    ended.push(priority);
  };
  const sweeps = Array.from({ length: 110 }, () => get("sweep"));
  await expect.poll(() => ended.length).toBeGreaterThan(20);
  const edits = Array.from({ length: 10 }, () => get("edit"));
  await Promise.all([...sweeps, ...edits]);
  expect(service.refused()).toBe(0);
  expect(server.arrivals).toHaveLength(120);
  const lastEdit = ended.lastIndexOf("edit");
  expect(ended.slice(lastEdit).filter((priority) => priority === "sweep").length).toBeGreaterThan(
    50,
  );
});

test("every call waits for Retry-After and all succeed when other tools use up the quota for a while", async () => {
  const service: ReturnType<typeof limited> = limited(() => (service.refused() < 20 ? 20 : 0));
  const server = await startLoopback(service);
  const { upstream, events } = clientOf(server.baseUrl, { quota });
  const calls = Array.from({ length: 30 }, (_, index) =>
    index % 2 === 0
      ? upstream.labels.create({ name: "Urgent" }, { priority: "edit" })
      : upstream.labels.get(labelId(5), { priority: "interactive" }),
  );
  const results = await Promise.all(calls);
  // The first 25 go out at once; the rivals leave room for five of them, and stop then.
  expect(service.refused()).toBe(20);
  const limitedAt = Math.max(...server.arrivals.slice(0, 25).map((arrival) => arrival.atMs));
  expect(results.every((result) => result.ok)).toBe(true);
  expect(upstream.gate.state().rateLimited).toBe(service.refused());
  expect(upstream.gate.state().share).toBeLessThan(25);
  expect(events.some((event) => event.kind === "rate-limited")).toBe(true);

  const later = server.arrivals.filter((arrival) => arrival.atMs > limitedAt);
  expect(later).toHaveLength(25);
  expect(Math.min(...later.map((arrival) => arrival.atMs)) - limitedAt).toBeGreaterThanOrEqual(999);
});

test("a call ends as rate-limited when the service requests more than two minutes", async () => {
  const server = await startLoopback((_, response) => {
    response.writeHead(429, { "retry-after": "300" }).end();
  });
  const { upstream } = clientOf(server.baseUrl, { quota });
  const first = await upstream.labels.create({ name: "x" }, { priority: "edit" });
  const second = await upstream.labels.get(labelId(5), { priority: "sweep" });
  for (const result of [first, second]) {
    expect(result).toMatchObject({ ok: false, failure: { kind: "rate-limited" } });
    if (!result.ok && result.failure.kind === "rate-limited") {
      expect(result.failure.retryAfter.total("seconds")).toBeGreaterThan(290);
    }
  }
  expect(server.arrivals).toHaveLength(1);
});

const now = Temporal.Instant.from("2026-11-20T10:00:00Z");
test.each([
  ["7", null, 7_000],
  [" 1.5 ", null, 1_500],
  ["0", null, 0],
  ["99999999", null, 3_600_000],
  ["Fri, 20 Nov 2026 10:00:30 GMT", null, 30_000],
  ["Fri, 20 Nov 2026 10:00:30 GMT", "Fri, 20 Nov 2026 10:00:20 GMT", 10_000],
  ["Fri, 20 Nov 2026 09:00:00 GMT", null, 0],
  ["Fri, 31 Foo 2026 09:00:00 GMT", null, null],
  ["soon", null, null],
  ["-5", null, null],
  ["", null, null],
  [null, null, null],
])("readRetryAfter() of %s with date %s is %s", (retryAfter, date, expected) => {
  expect(readRetryAfter({ retryAfter, date }, now)).toBe(expected);
});
