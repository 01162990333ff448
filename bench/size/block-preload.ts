// Loaded into a daemon before it starts: tells the process that has started it, whenever that asks, for how long the main
// thread was longest at one thing since it was asked last. One thing is a turn of the event loop without the time in which the loop
// had nothing to do, as the daemon's own status tells it; beside it stands the processor's time that the thread took for it, which
// other work on the machine does not lengthen.
import { performance } from "node:perf_hooks";

const momentNow = () => ({
  at: performance.now(),
  idle: performance.nodeTiming.idleTime,
  processor: process.threadCpuUsage(),
});

let clockMs = 0;
let processorMs = 0;
let before = momentNow();

function look(): void {
  const now = momentNow();
  clockMs = Math.max(clockMs, now.at - before.at - (now.idle - before.idle));
  const { user, system } = before.processor;
  const usedUs = now.processor.user - user + now.processor.system - system;
  processorMs = Math.max(processorMs, usedUs / 1000);
  before = now;
  setImmediate(look).unref();
}
setImmediate(look).unref();

process.on("message", () => {
  process.send?.({ clockMs, processorMs });
  clockMs = 0;
  processorMs = 0;
  // What was done up to here is of what was asked about.
  before = momentNow();
});
process.channel?.unref();
