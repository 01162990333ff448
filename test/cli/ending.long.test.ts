import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, it, type TestContext } from "vitest";
import { dayferryProcess, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { commandRig } from "./command-rig.ts";

const rig = commandRig();

/** A mail server that accepts every connection and says nothing. */
async function silentServer({ onTestFinished }: TestContext) {
  let connections = 0;
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { url: `smtp://127.0.0.1:${port}?ignoreTLS=true`, connections: () => connections };
}

/** A command that waits for a mail server which never answers. */
async function hangingDoctor(test: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-test-"));
  test.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = await silentServer(test);
  const { baseUrl, keys, timeZone } = rig.sandbox;
  const config = join(folder, "config.json");
  const service = { baseUrl, apiKey: keys[0]?.apiKey, contact: "you@example.com", timeZone };
  writeFileSync(
    config,
    JSON.stringify({
      service,
      mail: { smtpUrl: server.url, from: "Dayferry <d@dayferry.test>" },
    }),
  );
  const child = dayferryProcess(["doctor", "--config", config], {});
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const closed = new Promise<number | null>((resolve) => {
    child.on("close", resolve);
  });
  await eventually("it waits for the mail server", () => server.connections() > 0 || null);
  return { child, closed, stderr: () => stderr };
}

describe.concurrent("a signal", () => {
  it("ends a hanging command within eight seconds, with a sentence", async (test) => {
    const { expect } = test;
    const { child, closed, stderr } = await hangingDoctor(test);
    child.kill("SIGTERM");
    expect(await closed).toBe(1);
    expect(stderr()).toContain("closing took too long");
  });

  it.for([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends at once if it is the second", async ([signal, code], test) => {
    const { expect } = test;
    const { child, closed, stderr } = await hangingDoctor(test);
    // A signal that comes before the first one was handled counts as the same.
    await eventually("it ends", () => {
      child.kill(signal);
      return child.exitCode ?? child.signalCode;
    });
    expect(await closed).toBe(code);
    expect(stderr()).not.toContain("closing took too long");
  });
});

describe.concurrent("serve", () => {
  it("ends in order within eight seconds although mail server, service and a reader hang", async (test) => {
    const { expect, onTestFinished } = test;
    const server = await silentServer(test);
    const { sandbox } = rig;
    const start = Temporal.Now.zonedDateTimeISO(sandbox.timeZone).add({ minutes: 10 });
    const place = rig.place({
      mail: { smtpUrl: server.url, from: "Dayferry <d@dayferry.test>" },
    });
    sandbox.workspace.events.create(
      { by: rig.owner(), project: rig.project() },
      {
        title: "Soon",
        start: start.toString({ timeZoneName: "never", smallestUnit: "second" }),
        all_day: false,
        reminder: 15,
        assigned: [rig.owner()],
      },
    );
    const daemon = await serve(place);
    const { hostname, port } = new URL(daemon.url);
    const reader = connect(Number(port), hostname);
    onTestFinished(() => void reader.destroy());
    reader.on("error", () => undefined);
    reader.write("POST /api/edits?project=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n");
    await eventually("a mail hangs", () => server.connections() > 0 || null);
    // Exit 0: it closed by itself, before the limit that ends whatever hangs.
    expect((await daemon.stop()).code).toBe(0);
    // Nothing was lost: the next one finds the lock free and the database whole.
    const next = await serve(place);
    expect((await next.stop("SIGINT")).code).toBe(0);
  });
});
