import { createServer, type IncomingHttpHeaders } from "node:http";
import { onTestFinished } from "vitest";

/** A message as its receiver got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Of JSON; an empty record else. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The status of the next answers; 0 cuts the connection. */
  status: number;
  /** The largest number of requests that were open at once. */
  readonly mostOpen: () => number;
}

/** A real receiver of webhooks on loopback, closed when the test ends. */
export async function aReceiver(path = "/hook/secret-part"): Promise<Receiver> {
  let open = 0;
  let mostOpen = 0;
  const received: Received[] = [];
  const server = createServer((request, response) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on("close", () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const isJson = (request.headers["content-type"] ?? "").startsWith("application/json");
      const data: Received["data"] = isJson ? JSON.parse(body) : {};
      received.push({ path: request.url ?? "", headers: request.headers, body, data });
      if (receiver.status === 0) return request.socket.destroy();
      const location = receiver.status >= 300 && receiver.status < 400 ? { location: "/x" } : {};
      response.writeHead(receiver.status, location).end("no secret here");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}${path}`,
    received,
    status: 200,
    mostOpen: () => mostOpen,
  };
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return receiver;
}
