import { createServer, type RequestListener } from "node:http";
import { onTestFinished } from "vitest";
import { continueWhenRead } from "../../src/http/continue.ts";

/** Serves real HTTP on a port of this machine, which it returns; closed with its connections when the test ends. */
export async function listening(app: RequestListener): Promise<number> {
  const server = createServer(app);
  continueWhenRead(server, app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
