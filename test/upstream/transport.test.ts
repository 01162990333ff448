import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { labelId } from "../../src/domain/ids.ts";
import { Transport } from "../../src/upstream/transport.ts";
import { call, label } from "./label-rig.ts";
import { clientOf, json, startLoopback } from "./loopback.ts";

test("reads share a connection, and each creation has its own", async () => {
  const sockets: Socket[] = [];
  const { baseUrl, arrivals } = await startLoopback((_, response, request) => {
    sockets.push(request.socket);
    json(response, label);
  });
  const { upstream } = clientOf(baseUrl);
  const read = () => upstream.labels.get(labelId(5), call);
  const create = () => upstream.labels.create({ name: "Urgent" }, call);
  for (const step of [read, create, read, create, read]) {
    expect(await step()).toMatchObject({ ok: true });
  }
  const [first, created, second, again, third] = sockets;
  expect([second === first, third === first]).toEqual([true, true]);
  expect(new Set([first, created, again]).size).toBe(3);
  expect(arrivals.map(({ headers }) => headers.connection)).toEqual([
    "keep-alive",
    "close",
    "keep-alive",
    "close",
    "keep-alive",
  ]);
});

test("a kept connection closed by the service is replaced", async () => {
  const sockets: Socket[] = [];
  const { baseUrl, arrivals } = await startLoopback((_, response, request) => {
    sockets.push(request.socket);
    json(response, label);
  });
  const { upstream } = clientOf(baseUrl);
  await upstream.labels.get(labelId(5), call);
  const [first] = sockets;
  const closed = new Promise((resolve) => first?.once("close", resolve));
  first?.destroySoon();
  await closed;
  expect(await upstream.labels.get(labelId(5), call)).toMatchObject({ ok: true });
  expect(new Set(sockets).size).toBe(2);
  expect(arrivals).toHaveLength(2);
});

test("close() gives up what is under way and leaves no connection", async () => {
  let arrived = () => {};
  const hasArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const sockets: Socket[] = [];
  const { baseUrl } = await startLoopback((_, _response, request) => {
    sockets.push(request.socket);
    arrived();
  });
  const timeout = Temporal.Duration.from({ seconds: 30 });
  const transport = new Transport({ timeout, connections: 4 });
  const exchange = { method: "GET", url: new URL(baseUrl), headers: {}, body: null } as const;
  const reply = transport.exchange({ ...exchange, signal: null });
  await hasArrived;
  const closed = new Promise((resolve) => sockets[0]?.once("close", resolve));
  await transport.close();
  expect(await reply).toEqual({ kind: "aborted", sent: true });
  await closed;
  expect(await transport.exchange({ ...exchange, signal: null })).toMatchObject({
    kind: "aborted",
  });
});
