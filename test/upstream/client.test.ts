import { expect, test } from "vitest";
import { labelId, personId } from "../../src/domain/ids.ts";
import { UnsafeAddressError, UnsendableHeaderError } from "../../src/upstream/client.ts";
import { describeFailure } from "../../src/upstream/failure.ts";
import { call, getLabel, label, value } from "./label-rig.ts";
import { type Answerer, clientOf, json, startLoopback } from "./loopback.ts";

test("a call for a person uses that person's key when there is one", async () => {
  const server = await startLoopback((_, response) => json(response, label));
  const { upstream } = clientOf(server.baseUrl);
  await upstream.labels.get(labelId(5), { ...call, person: personId(12) });
  await upstream.labels.get(labelId(5), { ...call, person: personId(13) });
  const keys = server.arrivals.map((arrival) => arrival.headers["x-api-key"]);
  expect(keys).toEqual(["key-of-twelve", "key-of-the-account"]);
});

test("a person's key that no header can carry is never sent and leaves no unknown outcome", async () => {
  const server = await startLoopback((_, response) => json(response, label));
  const { upstream } = clientOf(server.baseUrl, { keyOf: () => "secret\n" });
  const person = personId(12);
  const result = await upstream.labels.create({ name: "x" }, { ...call, person });
  expect(result).toMatchObject({ ok: false, failure: { kind: "unavailable", status: null } });
  expect(JSON.stringify(result)).not.toContain("secret");
  expect(server.arrivals).toHaveLength(0);
});

test("no failure and no event reveals the key, even when the service echoes it", async () => {
  const echo: Answerer = (arrival, response) =>
    json(response, { message: `bad key ${String(arrival.headers["x-api-key"])}` }, 503);
  const refused: Answerer = (arrival, response) =>
    json(response, { code: 7, message: `bad key ${String(arrival.headers["x-api-key"])}` });
  const page: Answerer = (arrival, response) =>
    void response.end(`<html>bad key ${String(arrival.headers["x-api-key"])}</html>`);
  for (const answer of [echo, refused, page]) {
    const { result, events } = await getLabel(answer);
    expect(result.ok).toBe(false);
    const told = JSON.stringify([result, events, result.ok ? "" : describeFailure(result.failure)]);
    expect(told).toContain("bad key [key]");
    expect(told).not.toContain("key-of-the-account");
  }
});

test("a call aborted before, while waiting and under way ends as aborted, and a POST under way as unknown", async () => {
  const server = await startLoopback(() => {});
  const { upstream } = clientOf(server.baseUrl);
  const early = AbortSignal.abort();
  expect(await upstream.labels.get(labelId(5), { ...call, signal: early })).toMatchObject({
    failure: { kind: "aborted" },
  });
  expect(server.arrivals).toHaveLength(0);

  const stop = new AbortController();
  const read = upstream.labels.get(labelId(5), { ...call, signal: stop.signal });
  const write = upstream.labels.create({ name: "x" }, { ...call, signal: stop.signal });
  await expect.poll(() => server.arrivals.length).toBe(2);
  stop.abort();
  expect(await read).toMatchObject({ failure: { kind: "aborted" } });
  expect(await write).toMatchObject({ failure: { kind: "unknown-outcome" } });
});

test("close() ends reads and waiting calls at once and lets a write under way finish", async () => {
  let finish = () => {};
  const server = await startLoopback((arrival, response) => {
    if (arrival.method === "POST") finish = () => json(response, label);
  });
  const { upstream } = clientOf(server.baseUrl, {
    quota: { requests: 3, per: Temporal.Duration.from({ seconds: 60 }) },
  });
  const write = upstream.labels.create({ name: "Urgent" }, call);
  const read = upstream.labels.get(labelId(5), call);
  // The last place is reserved for a write.
  const waiting = upstream.labels.get(labelId(6), call);
  await expect.poll(() => server.arrivals.length).toBe(2);
  const closed = upstream.close();
  expect(await read).toMatchObject({ failure: { kind: "aborted" } });
  expect(await waiting).toMatchObject({ failure: { kind: "aborted" } });
  finish();
  expect(await write).toEqual({ ok: true, value });
  await closed;
  expect(await upstream.labels.get(labelId(5), call)).toMatchObject({
    failure: { kind: "aborted" },
  });
  expect(server.arrivals).toHaveLength(2);
});

const addresses: readonly (readonly [string, boolean])[] = [
  ["https://company.example.com/api/v3", true],
  ["http://127.0.0.1:8390/api/v3", true],
  ["http://localhost/api/v3", true],
  ["http://[::1]:8390/api/v3", true],
  ["http://company.example.com/api/v3", false],
  ["http://127.0.0.1.evil.example/api/v3", false],
  ["https://user:secret@company.example.com/api/v3", false],
  ["ftp://127.0.0.1/", false],
  ["company.example.com", false],
];
test.each(addresses)("createUpstream() for %s is %s", (address, good) => {
  if (good) expect(() => clientOf(address)).not.toThrow();
  else expect(() => clientOf(address)).toThrow(UnsafeAddressError);
});

test("createUpstream() refuses a key that no header can carry without revealing it", () => {
  expect(() => clientOf("http://127.0.0.1", { apiKey: "tail\n" })).toThrow(UnsendableHeaderError);
  expect(() => clientOf("http://127.0.0.1", { apiKey: "tail\n" })).not.toThrow(/tail/);
});

test("clockLead() is how far this machine is ahead of the Date of the last answer", async () => {
  const server = await startLoopback((_, response) => {
    response.setHeader("date", "Sat, 21 Nov 2026 09:00:00 GMT");
    json(response, label);
  });
  const clock = () => Temporal.Instant.from("2026-11-21T09:01:30Z");
  const { upstream } = clientOf(server.baseUrl, { clock });
  expect(upstream.clockLead()).toBeNull();
  await upstream.labels.get(labelId(5), call);
  expect(upstream.clockLead()?.total("seconds")).toBe(90);
});
