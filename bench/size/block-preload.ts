// Loaded into a daemon before it starts: tells the process that has started it, whenever that asks, for how long the main
// thread was longest at one thing since it was asked last. By the clock other processes count as well; by the processor's
// time of the thread they do not, but up to one look's pause of other work does.
import { monitorEventLoopDelay } from "node:perf_hooks";

const lookMs = 5;
const delays = monitorEventLoopDelay({ samplePerIteration: true });
delays.enable();
let longestUs = 0;
let before = process.threadCpuUsage();
setInterval(() => {
  const now = process.threadCpuUsage();
  longestUs = Math.max(longestUs, now.user + now.system - before.user - before.system);
  before = now;
}, lookMs).unref();
process.on("message", () => {
  process.send?.({ clockMs: delays.max / 1e6, processorMs: longestUs / 1000 });
  delays.reset();
  longestUs = 0;
});
process.channel?.unref();
