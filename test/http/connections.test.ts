import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type ConnectionGuard,
  type ConnectionLimits,
  guardConnections,
  usualLimits,
} from "../../src/http/connections.ts";
import { createLog } from "../../src/log.ts";
import { eventually } from "../support/eventually.ts";
import { handClock } from "../support/test-store.ts";

async function guarded(
  listener: RequestListener,
  { isOwn, trustProxy = false, ...limits }: Partial<ConnectionLimits & ConnectionGuard>,
) {
  const server = createServer(listener);
  const lines: string[] = [];
  const clock = handClock("2026-11-21T09:00:00Z");
  const log = createLog({ level: "warn", write: (line) => void lines.push(line) });
  const own = isOwn ? { isOwn } : {};
  guardConnections(server, {
    trustProxy,
    log,
    clock,
    limits: { ...usualLimits, ...limits },
    ...own,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const open = (text: string, localAddress = "127.0.0.1"): Socket => {
    const socket = connect({ port, host: "127.0.0.1", localAddress }, () => socket.write(text));
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  return { server, open, lines, clock };
}

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const closed = (socket: { once(event: "close", then: () => void): unknown }) =>
  new Promise<void>((resolve) => void socket.once("close", () => resolve()));

describe("connections", () => {
  it("are closed if the client reads none of its response", async () => {
    const { server, open } = await guarded(
      (_request, response) => void response.end(Buffer.alloc(50_000_000)),
      { unreadMs: 100 },
    );
    const ended = new Promise<void>((resolve) => {
      server.on("connection", (socket) => void closed(socket).then(resolve));
    });
    open(get).pause();
    await ended;
    expect(await new Promise((resolve) => server.getConnections((_e, n) => resolve(n)))).toBe(0);
  });

  it("stay open while a handler takes its time", async () => {
    const { open } = await guarded(
      ({ socket }, response) => {
        let rests = 0;
        socket.on("timeout", () => {
          rests += 1;
          if (rests === 3) response.end("late");
        });
      },
      { unreadMs: 20 },
    );
    const socket = open(get);
    const text = await new Promise((resolve) => socket.once("data", resolve));
    expect(String(text)).toContain("late");
  });

  it("are closed after a response and an idle time, as before", async () => {
    const { server, open } = await guarded((_request, response) => void response.end("x"), {});
    server.keepAliveTimeout = 50;
    server.keepAliveTimeoutBuffer = 0;
    const socket = open(get);
    socket.resume();
    await closed(socket);
    expect(socket.bytesRead).toBeGreaterThan(0);
  });

  it("from this machine, where a proxy may run, are unlimited", async () => {
    const { server, open } = await guarded((_request, response) => void response.end("x"), {
      perAddress: 2,
    });
    const answers = [1, 2, 3, 4].map(() => {
      const socket = open(get);
      return new Promise((resolve) => void socket.once("data", resolve));
    });
    expect((await Promise.all(answers)).every((text) => String(text).includes("200"))).toBe(true);
    expect(server.headersTimeout).toBe(usualLimits.headersMs);
  });

  const foreign = { perAddress: 2, isOwn: (address: string) => !address.endsWith("127.0.0.2") };

  it("beyond the share of another address are refused, and accepted again later", async () => {
    const { open } = await guarded((_request, response) => void response.end("x"), foreign);
    const [first] = await answered(open, 2);
    const refused = open(get, "127.0.0.2");
    refused.resume();
    await closed(refused);
    expect(refused.bytesRead).toBe(0);
    expect(await answerOf(open(get))).toContain("200");
    first?.destroy();
    await eventually("it is admitted", async () => {
      const answer = await answerOf(open(get, "127.0.0.2"));
      return answer.includes("200") ? true : null;
    });
  });

  it("from a trusted proxy elsewhere are unlimited", async () => {
    const { open, lines } = await guarded((_request, response) => void response.end("x"), {
      ...foreign,
      trustProxy: true,
    });
    expect(await answered(open, 6)).toHaveLength(6);
    expect(lines).toEqual([]);
  });

  it("from the listed proxies are unlimited, and others have their share", async () => {
    const { open, lines } = await guarded((_request, response) => void response.end("x"), {
      ...foreign,
      trustProxy: ["127.0.0.4"],
      isOwn: () => false,
    });
    const asked = ["127.0.0.4", "127.0.0.4", "127.0.0.4", "127.0.0.2", "127.0.0.2"];
    for (const address of asked) expect(await answerOf(open(get, address))).toContain("200");
    const refused = open(get, "127.0.0.2");
    refused.resume();
    await closed(refused);
    expect(lines).toHaveLength(1);
  });

  it("that were refused are logged in one line a minute", async () => {
    const { open, lines, clock } = await guarded(
      (_request, response) => void response.end("x"),
      foreign,
    );
    await answered(open, 2);
    const refuse = async () => {
      const socket = open(get, "127.0.0.2");
      socket.resume();
      await closed(socket);
    };
    await refuse();
    await refuse();
    clock.advance({ seconds: 59 });
    await refuse();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: "connections refused", address: "127.0.0.2", perAddress: 2, refused: 1 },
    ]);
    clock.advance({ seconds: 1 });
    await refuse();
    expect(lines.map((line) => JSON.parse(line).refused)).toEqual([1, 3]);
  });
});

async function answerOf(socket: Socket): Promise<string> {
  const [text] = await Promise.race([once(socket, "data"), once(socket, "close")]);
  return String(text);
}

/** So many connections from the foreign address, each of which was answered and stays open. */
async function answered(
  open: (text: string, localAddress: string) => Socket,
  count: number,
): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => open(get, "127.0.0.2"));
  for (const text of await Promise.all(sockets.map(answerOf))) expect(text).toContain("200");
  return sockets;
}
