import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { letPass } from "../../support/eventually.ts";

/** The attacked daemon, and what an attacker may know of it. */
export interface Target {
  readonly port: number;
  /** The address of a feed, without the host. */
  readonly feed: string;
  /** A project that accepts edits. */
  readonly project: number;
  /** The calendar of that project, as its person sees it, and that person's log-in. */
  readonly calendar: string;
  readonly login: string;
  /** `Bearer …` of the admin, for attacks by somebody with access. */
  readonly bearer: string;
  /** The Cookie of the admin's log-in. */
  readonly cookie: string;
  readonly service: HostileService;
  /** How long dripping attacks last, in milliseconds. */
  readonly dripMs: number;
  /** The share of connections and repetitions: 1 = all. */
  readonly scale: number;
}

/** Replaces the service, and lies on request. */
export interface HostileService {
  /** From now on requests of this kind get this answer; null = the sandbox's. */
  readonly lie: (answer: ServiceLie | null) => void;
  /** How many requests got the last lie. */
  readonly lied: () => number;
}

export type ServiceLie = (socket: Socket) => void;

/** One attack: what it does, and how its requests were answered. */
export interface Attack {
  readonly name: string;
  /** Prepares the requests, which may take time, and returns a function that sends them. */
  readonly prepare: (target: Target) => () => Promise<Statuses>;
  /** Statuses that a daemon may answer with; any other is a weakness. 0 = the connection was cut. */
  readonly allowed: readonly number[];
}

export type Statuses = ReadonlyMap<number, number>;

export const countOf = (statuses: readonly number[]): Statuses => {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
};

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Sends one request on a new connection and discards its answer; returns its status, or 0 if the connection was cut. */
export function send(
  { port }: Pick<Target, "port">,
  request: string,
  { headers = {}, body }: Sent = {},
): Promise<number> {
  const [method, path] = request.split(" ");
  return new Promise((resolve) => {
    let status = 0;
    const outgoing = httpRequest(
      { host: "127.0.0.1", port, method, path, headers, agent: false },
      (answer) => {
        status = answer.statusCode ?? 0;
        answer.on("error", () => resolve(status)).on("close", () => resolve(status));
        answer.resume();
      },
    );
    // A refusal may come before the body was sent.
    outgoing.on("error", () => resolve(status)).on("close", () => resolve(status));
    outgoing.end(body);
  });
}

/** Sends the same or the next of several requests so many times, a few at once. */
export async function sendAll(
  times: number,
  one: (nth: number) => Promise<number>,
): Promise<Statuses> {
  const statuses: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < times) {
      const nth = next;
      next += 1;
      statuses.push(await one(nth));
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return countOf(statuses);
}

/**
 * Opens connections, each from one of 250 addresses of this machine, lets `attack` use them, and ends them. Returns the
 * first status on each.
 */
export async function withSockets(
  { port, scale }: Pick<Target, "port" | "scale">,
  {
    count,
    attack,
  }: { readonly count: number; readonly attack: (all: readonly Socket[]) => Promise<void> },
): Promise<Statuses> {
  const statuses: number[] = [];
  const sockets = Array.from({ length: Math.max(1, Math.ceil(count * scale)) }, (_, nth) => {
    const localAddress = `127.3.0.${(nth % 250) + 1}`;
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    socket.on("error", () => {});
    socket.once("data", (chunk: Buffer) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString("latin1"))?.[1];
      if (status !== undefined) statuses.push(Number(status));
    });
    return socket;
  });
  await attack(sockets);
  for (const socket of sockets) socket.destroy();
  return countOf(statuses);
}

/** Writes a piece to each connection again and again for so long. */
export async function drip(
  sockets: readonly Socket[],
  {
    ms,
    piece,
    everyMs = 100,
  }: { readonly ms: number; readonly piece: string; readonly everyMs?: number },
): Promise<void> {
  for (let passed = 0; passed < ms; passed += everyMs) {
    for (const socket of sockets) if (socket.writable) socket.write(piece);
    await letPass(everyMs);
  }
}
