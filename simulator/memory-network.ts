import { Agent, type AgentOptions, type ClientRequestArgs, type Server } from "node:http";
import { Duplex } from "node:stream";
import type { Address } from "../src/runtime.ts";

/**
 * Servers and connections inside this process: what one end of a connection writes, the other reads in the same turn of the
 * event loop. Node's own HTTP runs over them as over TCP, independent of the system's timing.
 */
export class MemoryNetwork {
  readonly #servers = new Map<number, Served>();
  readonly #dead = new Set<number>();
  readonly #open = new Set<Connection>();
  #lastPort = 0;
  #process = 0;

  /** Assigns what listens and connects from now on to a new process; returns its number. */
  nextProcess(): number {
    this.#process += 1;
    return this.#process;
  }

  /** Closes all connections of a process at once, with everything in transit. */
  kill(process: number): void {
    this.#dead.add(process);
    for (const connection of this.#open) {
      if (!connection.processes.includes(process)) continue;
      for (const socket of connection.ends) socket.destroy();
      this.#open.delete(connection);
    }
  }

  /** Makes a server reachable at the next port. */
  readonly listen = (server: Server, _where: Address): Promise<number> => {
    this.#lastPort += 1;
    const port = this.#lastPort;
    this.#servers.set(port, { server, process: this.#process });
    // A server without a listening socket does not emit its own close event.
    server.close = (callback) => {
      this.#servers.delete(port);
      server.emit("close");
      callback?.();
      return server;
    };
    return Promise.resolve(port);
  };

  readonly httpAgent = (options: AgentOptions): Agent =>
    new MemoryAgent(options, { network: this, process: this.#process });

  /** The client's end of a new connection; it is refused if nothing listens. */
  connect(port: number, process: number): MemorySocket {
    const ends = connectedSockets();
    const [client, served] = ends;
    const target = this.#servers.get(port);
    if (!target || this.#dead.has(target.process) || this.#dead.has(process)) {
      return client.destroy(refusal(port));
    }
    const connection = { ends, processes: [process, target.process] };
    this.#open.add(connection);
    client.once("close", () => this.#open.delete(connection));
    target.server.emit("connection", served);
    return client;
  }
}

interface Served {
  readonly server: Server;
  readonly process: number;
}

interface Connection {
  readonly ends: readonly MemorySocket[];
  readonly processes: readonly number[];
}

class MemoryAgent extends Agent {
  readonly #network: MemoryNetwork;
  readonly #process: number;

  constructor(
    options: AgentOptions,
    { network, process }: { readonly network: MemoryNetwork; readonly process: number },
  ) {
    super(options);
    this.#network = network;
    this.#process = process;
  }

  override createConnection({ port }: ClientRequestArgs): MemorySocket {
    return this.#network.connect(Number(port), this.#process);
  }
}

function refusal(port: number): Error {
  const error = new Error(`connect ECONNREFUSED 127.0.0.1:${port}`);
  return Object.assign(error, { code: "ECONNREFUSED", syscall: "connect" });
}

function connectedSockets(): readonly [MemorySocket, MemorySocket] {
  const [client, served] = [new MemorySocket(), new MemorySocket()];
  client.join(served);
  served.join(client);
  return [client, served];
}

/** One end of a connection, with what HTTP needs of a socket; timeouts belong to its user. */
class MemorySocket extends Duplex {
  readonly connecting = false;
  readonly remoteAddress = "127.0.0.1";
  #other: MemorySocket | null = null;
  /** Called when the other end continues reading. */
  #taken: (() => void) | null = null;

  join(other: MemorySocket): void {
    this.#other = other;
  }

  override _read(): void {
    this.#other?.readsOn();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.#other || this.#other.destroyed || this.#other.push(chunk)) done();
    else this.#taken = done;
  }

  override _final(done: () => void): void {
    if (this.#other && !this.#other.destroyed) this.#other.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other;
    this.#other = null;
    this.readsOn();
    process.nextTick(() => other?.destroy());
    done(error);
  }

  /** The other end has read what was written. */
  readsOn(): void {
    const taken = this.#taken;
    this.#taken = null;
    taken?.();
  }

  setTimeout(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }
}
