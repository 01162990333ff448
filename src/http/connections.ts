import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../log.ts";
import { type ProxyTrust, proxyTrust, type TrustProxy } from "./trusted-proxies.ts";

/** Limits for connections from unknown addresses. */
export interface ConnectionLimits {
  /** A connection that does not read what is written to it is closed after this time. */
  readonly unreadMs: number;
  /** Time limit for the headers of a request. */
  readonly headersMs: number;
  /** Concurrent connections from one address that is not a trusted proxy. */
  readonly perAddress: number;
}

/** Longer than proxies keep idle connections, because a request on a connection that is just being closed fails. */
const keepAliveMs = 75_000;

export const usualLimits: ConnectionLimits = {
  unreadMs: 60_000,
  headersMs: 20_000,
  perAddress: 250,
};

const logEvery = Temporal.Duration.from({ minutes: 1 });

/** Decides which connections are counted, and where refused ones are logged. */
export interface ConnectionGuard {
  /**
   * The number of a trusted proxy's connections is not limited, because they carry everyone's requests. If the proxy may have
   * any address, nobody's number is limited.
   */
  readonly trustProxy: TrustProxy;
  readonly log: Log;
  readonly clock: () => Temporal.Instant;
  readonly limits?: ConnectionLimits;
  /** True for an address of this machine, where a proxy may run; loopback addresses by default. */
  readonly isOwn?: (address: string) => boolean;
}

/**
 * Protects against clients that connect and do nothing: unread answers stay in memory, and each connection takes a file handle.
 * A slow handler does not matter: only a connection whose client does not read is closed. This machine and a trusted proxy may
 * open any number of connections, because they may serve many people.
 */
export function guardConnections(server: Server, guard: ConnectionGuard): void {
  const { unreadMs, headersMs } = guard.limits ?? usualLimits;
  server.headersTimeout = headersMs;
  server.keepAliveTimeout = keepAliveMs;
  const watch = (_request: IncomingMessage, response: ServerResponse) => {
    response.setTimeout(unreadMs, () => {
      const { socket } = response;
      if (socket && socket.writableLength > 0) socket.destroy();
      // Reported once; later data must be read too.
      else socket?.setTimeout(unreadMs);
    });
  };
  server.on("request", watch);
  // If this were the only listener, it would have to answer.
  if (server.listenerCount("checkContinue") > 0) server.on("checkContinue", watch);
  countConnections(server, { ...guard, trusts: proxyTrust(guard.trustProxy) });
}

function countConnections(
  server: Server,
  {
    log,
    clock,
    trusts,
    limits = usualLimits,
    isOwn = isLoopback,
  }: ConnectionGuard & { readonly trusts: ProxyTrust },
): void {
  const { perAddress } = limits;
  const open = new Map<string, number>();
  const logRefusal = createRefusalLog(log, clock, perAddress);
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    if (isOwn(address) || trusts(address, 0)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      logRefusal(address);
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

/** The first refusal is reported at once, those of the next minute with the first one after it. */
function createRefusalLog(
  log: Log,
  clock: () => Temporal.Instant,
  perAddress: number,
): (address: string) => void {
  let loggedAt: Temporal.Instant | null = null;
  let refused = 0;
  return (address) => {
    refused += 1;
    const now = clock();
    if (loggedAt && Temporal.Instant.compare(now, loggedAt.add(logEvery)) < 0) return;
    const remedy = "if a proxy has this address, set http.trustProxy";
    log.warn("connections refused", { address, perAddress, refused, remedy });
    loggedAt = now;
    refused = 0;
  };
}

const isLoopback = (address: string): boolean => /^(?:::1|(?:::ffff:)?127\.[\d.]+)$/.test(address);
