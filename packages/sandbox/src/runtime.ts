import type { Server } from "node:http";

/** Timers and network, which a simulation replaces. */
export interface SandboxRuntime {
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** Calls back once after this many milliseconds. */
  readonly startTimer: StartTimer;
  /** Listens for requests and resolves with the port; rejects if the address cannot be used. */
  readonly listen: (server: Server, where: Address) => Promise<number>;
}

export type StartTimer = (ms: number, callback: () => void) => { readonly cancel: () => void };

/** `port`: 0 for any free one. */
interface Address {
  readonly host: string;
  readonly port: number;
}

export const processRuntime: SandboxRuntime = {
  monotonic: () => performance.now(),
  startTimer(ms, callback) {
    const timer = setTimeout(callback, ms);
    return { cancel: () => clearTimeout(timer) };
  },
  listen: (server, { host, port }) =>
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => {
        const address = server.address();
        resolve(typeof address === "object" && address ? address.port : port);
      });
    }),
};
