import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

export interface CalendarServer {
  readonly url: string;
  readonly port: number;
  /** Every request so far. */
  readonly requests: readonly IncomingMessage[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A server on loopback that answers as the test says; closed when the test ends. */
export async function calendarServer(
  answer: CalendarServer["answer"],
  host = "127.0.0.1",
): Promise<CalendarServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    running.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const running: CalendarServer = {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}/secret-path/basic.ics`,
    port,
    requests,
    answer,
  };
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return running;
}
