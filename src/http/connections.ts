import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How long strangers may keep a connection, and how many. */
export interface ConnectionLimits {
  /** After it a connection that takes none of what is written to it is closed. */
  readonly unreadMs: number;
  /** Until then the headers of a request have come. */
  readonly headersMs: number;
  /** Connections from one address at a time. */
  readonly perAddress: number;
}

export const usualLimits: ConnectionLimits = {
  unreadMs: 60_000,
  headersMs: 20_000,
  perAddress: 250,
};

/**
 * Keeps those who connect and do nothing from using the server up: answers that nobody reads stay in memory, and each
 * connection costs a file handle. A handler may take its time: only a connection with octets to read is closed. This
 * machine may have any number of connections, as a proxy stands there.
 */
export function guardConnections(
  server: Server,
  { unreadMs, headersMs, perAddress }: ConnectionLimits = usualLimits,
): void {
  server.headersTimeout = headersMs;
  const watch = (_request: IncomingMessage, response: ServerResponse) => {
    response.setTimeout(unreadMs, () => {
      const { socket } = response;
      if (socket && socket.writableLength > 0) socket.destroy();
      // It is told once; what is written later has to be taken as well.
      else socket?.setTimeout(unreadMs);
    });
  };
  server.on("request", watch);
  // Without another listener this one would have to answer.
  if (server.listenerCount("checkContinue") > 0) server.on("checkContinue", watch);
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (open.get(address) ?? 0) + 1;
    if (count > perAddress && !isOwn(address)) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

const isOwn = (address: string): boolean => /^(?:::1|(?:::ffff:)?127\.[\d.]+)$/.test(address);
