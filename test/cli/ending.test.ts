import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { insist } from "../../src/sandbox/work-outcome.ts";
import { dayferryProcess, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { commandRig } from "./command-rig.ts";

const rig = commandRig();

/** A mail server that takes every connection and never says a word. */
async function silentServer() {
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
async function hangingDoctor() {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = await silentServer();
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
  await eventually("it waits for the mail server", () => server.connections() > 0 || null, 20_000);
  return { child, closed, stderr: () => stderr };
}

describe("a signal", () => {
  it("ends whatever hangs within eight seconds, with a sentence", async () => {
    const { child, closed, stderr } = await hangingDoctor();
    const began = performance.now();
    child.kill("SIGTERM");
    expect(await closed).toBe(1);
    expect(performance.now() - began).toBeLessThan(9500);
    expect(stderr()).toContain("closing took too long");
  }, 30_000);

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s ends at once when it is the second",
    async (signal, code) => {
      const { child, closed } = await hangingDoctor();
      child.kill(signal);
      await new Promise((resolve) => setTimeout(resolve, 400));
      const began = performance.now();
      child.kill(signal);
      expect(await closed).toBe(code);
      expect(performance.now() - began).toBeLessThan(2000);
    },
    30_000,
  );
});

describe("serve", () => {
  it("closes in order within eight seconds although mail server, service and a reader hang", async () => {
    const server = await silentServer();
    const { sandbox } = rig;
    const start = Temporal.Now.zonedDateTimeISO(sandbox.timeZone).add({ minutes: 10 });
    const place = rig.place({ mail: { smtpUrl: server.url, from: "Dayferry <d@dayferry.test>" } });
    insist(
      sandbox.workspace.events.create(
        { by: rig.owner(), project: rig.project() },
        {
          title: "Soon",
          start: start.toString({ timeZoneName: "never", smallestUnit: "second" }),
          all_day: false,
          reminder: 15,
          assigned: [rig.owner()],
        },
      ),
    );
    const daemon = await serve(place);
    const { hostname, port } = new URL(daemon.url);
    const reader = connect(Number(port), hostname);
    onTestFinished(() => void reader.destroy());
    reader.on("error", () => undefined);
    reader.write("POST /api/edits?project=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n");
    await eventually("a mail hangs", () => server.connections() > 0 || null, 20_000);
    const { code, ms } = await daemon.stop();
    expect([code, ms < 8000]).toEqual([0, true]);
    // Nothing was lost: the next one finds the lock free and the database whole.
    const next = await serve(place);
    expect((await next.stop("SIGINT")).code).toBe(0);
  }, 60_000);
});
