import { Agent, type AgentOptions, type ClientRequestArgs, type Server } from "node:http";
import { Duplex } from "node:stream";
import type { Address } from "../src/runtime.ts";

/**
 * Servers and connections inside this process: what one end of a connection writes, the other reads in the same turn of the
 * event loop. Node's own HTTP runs over them as over TCP, without anything that depends on the system's timing.
 */
export class MemoryNetwork {
  readonly #servers = new Map<number, Server>();
  #lastPort = 0;

  /** Lets a server be reached at the next port. */
  readonly listen = (server: Server, _where: Address): Promise<number> => {
    this.#lastPort += 1;
    const port = this.#lastPort;
    this.#servers.set(port, server);
    // A server that does not listen on a socket tells neither of its end.
    server.close = (callback) => {
      this.#servers.delete(port);
      server.emit("close");
      callback?.();
      return server;
    };
    return Promise.resolve(port);
  };

  readonly httpAgent = (options: AgentOptions): Agent => new MemoryAgent(options, this);

  /** The client's end of a new connection; one that is refused where nobody listens. */
  connect(port: number): MemorySocket {
    const [client, served] = connectedSockets();
    const server = this.#servers.get(port);
    if (server) server.emit("connection", served);
    else client.destroy(refusal(port));
    return client;
  }
}

class MemoryAgent extends Agent {
  readonly #network: MemoryNetwork;

  constructor(options: AgentOptions, network: MemoryNetwork) {
    super(options);
    this.#network = network;
  }

  override createConnection({ port }: ClientRequestArgs): MemorySocket {
    return this.#network.connect(Number(port));
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

/** One end of a connection. It has what HTTP asks of a socket; its time-outs are those of who uses it. */
class MemorySocket extends Duplex {
  readonly connecting = false;
  readonly remoteAddress = "127.0.0.1";
  #other: MemorySocket | null = null;
  /** Called once the other end reads on. */
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

  /** The other end has taken what was written. */
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
