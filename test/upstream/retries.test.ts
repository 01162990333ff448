import { expect, test } from "vitest";
import { labelId, listId, projectId, serviceId } from "../../src/domain/ids.ts";
import { timersByHand } from "../support/timers-by-hand.ts";
import { call, getLabel, label, thenFine, value } from "./label-rig.ts";
import { type Answerer, clientOf, json, startLoopback } from "./loopback.ts";

const passing: readonly (readonly [string, Answerer, number])[] = [
  ["three 503", (_, response) => json(response, {}, 503), 3],
  [
    "one 500 with an HTML body",
    (_, response) => void response.writeHead(500).end("<p>oops</p>"),
    1,
  ],
  ["a reset before the answer", (_, response) => void response.socket?.resetAndDestroy(), 1],
  [
    "a connection that is closed within the body",
    (_, response) => {
      response.writeHead(200, { "content-length": "200" });
      response.write('{"id": 5,', () => response.socket?.destroy());
    },
    1,
  ],
];
test.each(passing)("get() tries again after %s", async (_, first, times) => {
  const { result, arrivals } = await getLabel(thenFine(first, times));
  expect(result).toEqual({ ok: true, value });
  expect(arrivals).toHaveLength(times + 1);
});

test("get() is unavailable after four failed tries", async () => {
  const { result, arrivals, events } = await getLabel((_, response) =>
    json(response, { message: "down for maintenance" }, 503),
  );
  expect(result).toEqual({
    ok: false,
    failure: {
      kind: "unavailable",
      status: 503,
      message: "down for maintenance",
      request: "GET /labels/5",
      retryAfter: null,
    },
  });
  expect(arrivals).toHaveLength(4);
  expect(events.filter((event) => event.kind === "retrying")).toHaveLength(3);
});

test("get() waits as long as a 503 with Retry-After says", async () => {
  const { result, arrivals } = await getLabel(
    thenFine((_, response) => void response.writeHead(503, { "retry-after": "1" }).end()),
  );
  expect(result.ok).toBe(true);
  expect((arrivals[1]?.atMs ?? 0) - (arrivals[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(999);
});

test("get() gives up at once when a 503 requests a long wait, and says so", async () => {
  const { result, arrivals } = await getLabel(
    (_, response) => void response.writeHead(503, { "retry-after": "600" }).end(),
  );
  expect(arrivals).toHaveLength(1);
  expect(result).toMatchObject({ ok: false, failure: { kind: "unavailable", status: 503 } });
  if (!result.ok && result.failure.kind === "unavailable") {
    expect(result.failure.retryAfter?.total("seconds")).toBe(600);
  }
});

test("get() ends after its time-out when the service hangs or drips", async () => {
  const timers = timersByHand();
  const hang = await getLabel(timers.end, { startTimer: timers.start });
  expect(hang.result).toMatchObject({ ok: false, failure: { kind: "unavailable", status: null } });
  expect(hang.arrivals).toHaveLength(4);

  const drip = await getLabel(
    (_, response) => void response.write(" ", () => response.write(" ", timers.end)),
    { startTimer: timers.start },
  );
  expect(drip.result).toMatchObject({ ok: false, failure: { kind: "unavailable", status: null } });
});

test("get() is unavailable when nothing listens", async () => {
  const { upstream } = clientOf("http://127.0.0.1:9/api/v3");
  const result = await upstream.labels.get(labelId(5), call);
  expect(result).toMatchObject({
    ok: false,
    failure: { kind: "unavailable", status: null, message: expect.stringMatching(/ECONNREFUSED/) },
  });
});

const timers = timersByHand();
const lost: readonly (readonly [string, Answerer])[] = [
  ["the connection is reset", (_, response) => void response.socket?.resetAndDestroy()],
  ["the answer is cut", (_, response) => void response.end('{"id": 5')],
  ["the answer has no id", (_, response) => json(response, { name: "Urgent" })],
  ["an HTML page comes", (_, response) => void response.end("<html>proxy</html>")],
  ["500 comes", (_, response) => json(response, {}, 500)],
  ["503 with Retry-After comes", (_, r) => void r.writeHead(503, { "retry-after": "0" }).end()],
  ["the service hangs", timers.end],
];
test.each(lost)("create() is sent once and its outcome is unknown when %s", async (_, answer) => {
  const server = await startLoopback(answer);
  const { upstream } = clientOf(server.baseUrl, { startTimer: timers.start });
  const result = await upstream.labels.create({ name: "Urgent" }, call);
  expect(result).toMatchObject({
    ok: false,
    failure: { kind: "unknown-outcome", request: "POST /labels" },
  });
  expect(server.arrivals).toHaveLength(1);
});

test("create() never uses a kept connection, which the service might just be closing", async () => {
  const used = new WeakSet<object>();
  const server = await startLoopback((arrival, response, request) => {
    if (arrival.method === "POST" && used.has(request.socket)) request.socket.destroy();
    else json(response, label);
    used.add(request.socket);
  });
  const { upstream } = clientOf(server.baseUrl);
  for (let round = 0; round < 3; round += 1) {
    expect((await upstream.labels.get(labelId(5), call)).ok).toBe(true);
    expect((await upstream.labels.create({ name: "Urgent" }, call)).ok).toBe(true);
  }
  expect(server.arrivals.filter((arrival) => arrival.method === "POST")).toHaveLength(3);
});

test("create() is sent again after 429, and after a refused connection", async () => {
  const server = await startLoopback(
    thenFine((_, response) => void response.writeHead(429, { "retry-after": "0" }).end()),
  );
  const { upstream } = clientOf(server.baseUrl);
  const result = await upstream.labels.create({ name: "Urgent" }, call);
  expect(result).toEqual({ ok: true, value });
  expect(server.arrivals).toHaveLength(2);

  const nobody = clientOf("http://127.0.0.1:9/api/v3");
  const unsent = await nobody.upstream.labels.create({ name: "Urgent" }, call);
  expect(unsent).toMatchObject({ ok: false, failure: { kind: "unavailable", status: null } });
  expect(nobody.events.filter((event) => event.kind === "retrying")).toHaveLength(3);
});

test("delete() counts 404 as done only after a lost answer", async () => {
  const gone: Answerer = (_, response) => json(response, { message: "no such label" }, 404);
  const resetFirst = (): Answerer => {
    let seen = 0;
    return (arrival, response, request) => {
      seen += 1;
      if (seen === 1) response.socket?.resetAndDestroy();
      else gone(arrival, response, request);
    };
  };
  const first = clientOf((await startLoopback(gone)).baseUrl);
  expect(await first.upstream.labels.delete(labelId(5), call)).toMatchObject({
    ok: false,
    failure: { kind: "refused", status: 404 },
  });
  const second = clientOf((await startLoopback(resetFirst())).baseUrl);
  expect(await second.upstream.labels.delete(labelId(5), call)).toEqual({ ok: true, value: null });
});

test("move() leaves the outcome unknown when the old path is gone after a lost answer", async () => {
  let seen = 0;
  const server = await startLoopback((_, response) => {
    seen += 1;
    if (seen === 1) response.socket?.resetAndDestroy();
    else json(response, { message: "no such task" }, 404);
  });
  const { upstream } = clientOf(server.baseUrl);
  const result = await upstream.tasks.move(
    { projectId: projectId(1), listId: listId(2), id: serviceId(3), targetListId: listId(4) },
    call,
  );
  expect(result).toMatchObject({ ok: false, failure: { kind: "unknown-outcome" } });
});

test("delete() is not sent when it waited for the quota long after its item was read", async () => {
  const server = await startLoopback((_, response) => json(response, label));
  let aheadMs = 0;
  const { upstream } = clientOf(server.baseUrl, {
    quota: { requests: 1, per: Temporal.Duration.from({ milliseconds: 200 }) },
    monotonic: () => performance.now() + aheadMs,
  });
  await upstream.labels.get(labelId(5), call);
  const place = { projectId: projectId(2), id: serviceId(7) };
  const deleting = upstream.events.delete(place, { ...call, onUnanswered: () => undefined });
  aheadMs = 20_000;
  const request = "DELETE /projects/2/events/7";
  expect(await deleting).toMatchObject({ ok: false, failure: { kind: "rate-limited", request } });
  expect(server.arrivals).toHaveLength(1);
});
