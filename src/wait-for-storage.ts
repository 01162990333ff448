import { createServer, type Server } from "node:http";
import type { Log } from "./log.ts";
import { listen, sleep } from "./runtime.ts";
import { storageProblemAtStart } from "./store/storage-health.ts";

/** What a start that cannot open its data directory needs, to say so and to retry. */
interface WaitOptions {
  readonly http: { readonly host: string; readonly port: number };
  readonly dataDir: string;
  readonly log: Log;
  /** Prints a line for whoever started it by hand. */
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** As often as a running daemon retries. */
const restMs = 2000;

/**
 * Returns the result of `open` once the disk allows it. While it is full, read-only or failing, every request is answered with
 * 503 and the reason, so that supervisors need not restart anything and nobody mistakes silence for an empty calendar. null if
 * stopped first. Throws any other error of `open`.
 */
export async function openOnceStorable<Value>(
  open: () => Value,
  { http, dataDir, log, say, signal }: WaitOptions,
): Promise<Value | null> {
  let reported: string | null = null;
  let server: Server | null = null;
  try {
    while (!signal.aborted) {
      const tried = tryToOpen(open, dataDir);
      if (tried.kind === "open") {
        if (reported !== null) log.info("storage recovered");
        return tried.value;
      }
      const problem = `${dataDir}: ${tried.problem}`;
      if (problem !== reported) {
        log.error("storage failing", { problem });
        say(`${problem}\n`);
        reported = problem;
      }
      server ??= await answerMeanwhile(http, () => reported ?? "");
      await sleep(restMs, signal);
    }
    return null;
  } finally {
    await closed(server);
  }
}

type Tried<Value> =
  | { readonly kind: "open"; readonly value: Value }
  | { readonly kind: "failing"; readonly problem: string };

function tryToOpen<Value>(open: () => Value, dataDir: string): Tried<Value> {
  try {
    return { kind: "open", value: open() };
  } catch (error) {
    const problem = storageProblemAtStart(error, dataDir);
    if (problem === null) throw error;
    return { kind: "failing", problem };
  }
}

async function answerMeanwhile(
  { host, port }: WaitOptions["http"],
  problem: () => string,
): Promise<Server> {
  const server = createServer((request, response) => {
    const isHealth = request.url?.split("?")[0] === "/healthz";
    const body = isHealth
      ? { status: "failing", problem: problem() }
      : { type: "about:blank", title: "Service Unavailable", status: 503, detail: problem() };
    response.writeHead(503, {
      "content-type": isHealth ? "application/json" : "application/problem+json",
      "cache-control": "no-store",
      "retry-after": "10",
      connection: "close",
    });
    response.end(JSON.stringify(body));
    request.resume();
  });
  await listen(server, { host, port });
  return server;
}

async function closed(server: Server | null): Promise<void> {
  if (!server) return;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
