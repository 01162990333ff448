// The daemon as a process of its own on a clock that runs faster than the machine's, with its own timers: what waits a minute
// waits a minute's part. What Node waits for by itself (sockets) keeps the real time.
//   node bench/soak/scaled-daemon.ts CONFIG START BEGAN SCALE      START: an instant; BEGAN: when that was, in real ms

import { loadConfig } from "../../src/config/load.ts";
import { createLog } from "../../src/log.ts";
import { openModules } from "../../src/modules/open-modules.ts";
import { startDaemon } from "../../src/serve.ts";
import { scaledClock } from "./scaled-clock.ts";

const [configFile = "", start = "", began = "", scale = ""] = process.argv.slice(2);
const own = { setTimeout, setInterval };
/** A real mail server takes its own time: what waits for it keeps the machine's. nodemailer waits for what is left of a time. */
const leastMailTimeoutMs = 1000;
const isOfMail = () => /nodemailer|smtp/.test(new Error("who waits").stack ?? "");
type Callback = (...given: readonly unknown[]) => void;
/** By how much a timer's length is divided. */
const factor = (ms: number): number => (ms >= leastMailTimeoutMs && isOfMail() ? 1 : Number(scale));
Object.assign(globalThis, {
  setTimeout: (callback: Callback, ms = 0, ...given: readonly unknown[]) =>
    own.setTimeout(callback, ms / factor(ms), ...given),
  setInterval: (callback: Callback, ms = 0, ...given: readonly unknown[]) =>
    own.setInterval(callback, ms / Number(scale), ...given),
});

const clock = scaledClock({ start, beganMs: Number(began), scale: Number(scale) });
const runtime = {
  clock,
  monotonic: () => performance.now() * Number(scale),
  random: Math.random,
};
const log = createLog({ level: "info" });
const config = loadConfig({ file: configFile, env: {}, cwd: process.cwd() });
if (!config.ok) throw new Error(JSON.stringify(config.failure));
const modules = openModules(config.value, { ...runtime, log });
if (!modules.ok) throw new Error(modules.failure);
const stop = new AbortController();
// Asked for its heap it tells what a full collection leaves, in octets.
process.on("message", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
process.once("SIGTERM", () => stop.abort());
const { done } = await startDaemon({
  config: config.value,
  modules: modules.value,
  version: "0.0.0",
  signal: stop.signal,
});
await done;
process.exit(0);
