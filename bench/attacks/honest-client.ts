// Somebody honest, in a thread of its own so that who attacks does not hold it up: asks for one thing and another with short rests
// until it is told to stop, and tells how long it waited.
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { url, bearer }: { readonly url: string; readonly bearer: string } = workerData;
const asked = ["/api/status", "/readyz"];
const restMs = 20;
let isOver = false;
parentPort?.once("message", () => {
  isOver = true;
});
const lengths: number[] = [];
let failed = 0;
for (let nth = 0; !isOver; nth += 1) {
  const began = performance.now();
  const headers = { authorization: bearer };
  const answer = await fetch(`${url}${asked[nth % asked.length] ?? ""}`, { headers }).catch(
    () => null,
  );
  if (answer?.status !== 200) failed += 1;
  await answer?.text().catch(() => "");
  lengths.push(performance.now() - began);
  await pause(restMs);
}
const sorted = lengths.toSorted((a, b) => a - b);
parentPort?.postMessage({ p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0, failed });
