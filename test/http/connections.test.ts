import { createServer, type RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type ConnectionLimits,
  guardConnections,
  usualLimits,
} from "../../src/http/connections.ts";

async function guarded(listener: RequestListener, limits: Partial<ConnectionLimits>) {
  const server = createServer(listener);
  guardConnections(server, { ...usualLimits, ...limits });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const open = (text: string): Socket => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  return { server, open };
}

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const closed = (socket: { once(event: "close", then: () => void): unknown }) =>
  new Promise<void>((resolve) => void socket.once("close", () => resolve()));

describe("guardConnections()", () => {
  it("closes a connection that takes none of its answer", async () => {
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

  it("leaves a connection alone whose handler takes its time", async () => {
    const { open } = await guarded(
      (_request, response) => void pause(400).then(() => response.end("late")),
      { unreadMs: 50 },
    );
    const socket = open(get);
    const text = await new Promise((resolve) => socket.once("data", resolve));
    expect(String(text)).toContain("late");
  });

  it("closes a rested connection after its answer, as before", async () => {
    const { server, open } = await guarded((_request, response) => void response.end("x"), {});
    server.keepAliveTimeout = 50;
    const socket = open(get);
    socket.resume();
    await closed(socket);
    expect(socket.bytesRead).toBeGreaterThan(0);
  });

  it("lets this machine, where a proxy may stand, have any number of connections", async () => {
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
});
