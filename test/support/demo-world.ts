import { once } from "node:events";
import { createServer } from "node:net";
import { playStory } from "../../src/demo-story.ts";
import { install } from "./dayferry.ts";
import { eventually } from "./eventually.ts";
import { serveHere } from "./in-process.ts";
import { testSandbox } from "./sandbox.ts";

/** What the demo shows after everything was read and its story was told, without the wait for the documented quota. */
export async function demoWorld() {
  const sandbox = await testSandbox({ size: "s" });
  const port = await freePort();
  const http = { host: "127.0.0.1", port, publicUrl: `http://127.0.0.1:${port}` };
  const installation = install(sandbox, { http });
  const daemon = await serveHere(installation);
  const { modules, url } = daemon;
  const { signal } = new AbortController();
  const clock = () => Temporal.Now.instant();
  const place = { modules, sandbox, dataDir: installation.dataDir, url, clock, signal };
  await playStory(place);
  await eventually("nothing is on its way", () => {
    const edits = modules.store.journal.list({ limit: 500 });
    return edits.every(({ state }) => state !== "pending" && state !== "claimed") || null;
  });
  return {
    ...daemon,
    installation,
    sandbox,
    place,
    async close() {
      await daemon.stop();
      await sandbox.close();
      installation.dispose();
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  const listening = once(probe, "listening");
  probe.listen(0, "127.0.0.1");
  await listening;
  const address = probe.address();
  probe.close();
  return typeof address === "object" && address ? address.port : 0;
}
