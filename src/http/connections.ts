import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../log.ts";
import { type ProxyTrust, proxyTrust, type TrustProxy } from "./trusted-proxies.ts";

/** How long strangers may keep a connection, and how many. */
export interface ConnectionLimits {
  /** After it a connection that takes none of what is written to it is closed. */
  readonly unreadMs: number;
  /** Until then the headers of a request have come. */
  readonly headersMs: number;
  /** Connections at a time from one address that is no trusted proxy's. */
  readonly perAddress: number;
}

/** Longer than proxies keep an idle connection: a request on one that is just being closed fails. */
const keepAliveMs = 75_000;

export const usualLimits: ConnectionLimits = {
  unreadMs: 60_000,
  headersMs: 20_000,
  perAddress: 250,
};

const toldEvery = Temporal.Duration.from({ minutes: 1 });

/** Whose connections are counted, and who is told of those that are refused. */
export interface ConnectionGuard {
  /** A proxy in front brings everybody's connections; where it may stand anywhere, whoever connects is taken for it. */
  readonly trustProxy: TrustProxy;
  readonly log: Log;
  readonly clock: () => Temporal.Instant;
  readonly limits?: ConnectionLimits;
  /** Whether an address is one of this machine, where a proxy may stand: loopback unless said. */
  readonly isOwn?: (address: string) => boolean;
}

/**
 * Keeps those who connect and do nothing from using the server up: answers that nobody reads stay in memory, and each
 * connection costs a file handle. A handler may take its time: only a connection with octets to read is closed. This
 * machine and a trusted proxy may have any number of connections, as those are many people's.
 */
export function guardConnections(server: Server, guard: ConnectionGuard): void {
  const { unreadMs, headersMs } = guard.limits ?? usualLimits;
  server.headersTimeout = headersMs;
  server.keepAliveTimeout = keepAliveMs;
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
  const tell = refusalTeller({ log, clock, perAddress });
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    if (isOwn(address) || trusts(address, 0)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      tell(address);
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

/** The first refusal is told at once, those of the next minute with the first one after it. */
function refusalTeller({
  log,
  clock,
  perAddress,
}: {
  readonly log: Log;
  readonly clock: () => Temporal.Instant;
  readonly perAddress: number;
}): (address: string) => void {
  let toldAt: Temporal.Instant | null = null;
  let refused = 0;
  return (address) => {
    refused += 1;
    const now = clock();
    if (toldAt && Temporal.Instant.compare(now, toldAt.add(toldEvery)) < 0) return;
    const remedy = "if a proxy has this address, set http.trustProxy";
    log.warn("connections refused", { address, perAddress, refused, remedy });
    toldAt = now;
    refused = 0;
  };
}

const isLoopback = (address: string): boolean => /^(?:::1|(?:::ffff:)?127\.[\d.]+)$/.test(address);
