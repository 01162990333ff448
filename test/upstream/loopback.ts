import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import {
  createUpstream,
  type Upstream,
  type UpstreamEvent,
  type UpstreamOptions,
} from "../../src/upstream/client.ts";

import type { GateHistory, GateRest, GateSlot } from "../../src/upstream/gate.ts";

interface Arrival {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export type Answerer = (
  arrival: Arrival,
  response: ServerResponse,
  request: IncomingMessage,
) => void;

/** A real HTTP server on loopback that records its requests; closed with its connections when the test ends. */
export async function startLoopback(answer: Answerer) {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    const atMs = performance.now();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const arrival: Arrival = {
        atMs,
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      arrivals.push(arrival);
      answer(arrival, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    arrivals,
    baseUrl: `http://127.0.0.1:${portOf(server)}/api/v3`,
    stop: () => server.close(),
  };
}

/** Answers with a JSON value. */
export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** A client with such a wide quota that only the tests of the gate reach it; closed when the test ends. */
export function clientOf(
  baseUrl: string,
  options: Partial<UpstreamOptions> = {},
): { readonly upstream: Upstream; readonly events: UpstreamEvent[] } {
  const events: UpstreamEvent[] = [];
  const upstream = createUpstream({
    baseUrl,
    uploadUrl: `${baseUrl}/upload`,
    apiKey: "key-of-the-account",
    keyOf: (person) => (person === 12 ? "key-of-twelve" : null),
    contact: "test@example.com",
    timeZone: "Europe/Berlin",
    quota: { requests: 1000, per: Temporal.Duration.from({ seconds: 1 }) },
    timeout: Temporal.Duration.from({ minutes: 2 }),
    clock: () => Temporal.Now.instant(),
    monotonic: () => performance.now(),
    // A slow answer is requested once more: its duration here depends on the machine.
    stopwatch: () => 0,
    // Almost no back-off, so that tests of retries need not wait.
    random: () => 0.01,
    history: memoryHistory(),
    onEvent: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => upstream.close());
  return { upstream, events };
}

/** A history that lives as long as the test. */
export function memoryHistory(): GateHistory & { readonly slots: () => readonly GateSlot[] } {
  let kept: readonly GateSlot[] = [];
  let keptRest: GateRest | null = null;
  return {
    loadRest: () => keptRest,
    saveRest: (rest) => {
      keptRest = rest;
    },
    load: () => kept,
    save: (slots) => {
      kept = slots;
    },
    slots: () => kept,
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
