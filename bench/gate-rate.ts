// How much of the service's quota the gate uses, and whether the service ever had to refuse.
//   node bench/gate-rate.ts [requests=126] [windowMs=10000] [latencyMs=50]
// The service's limit for n requests at 25 per window is T(n) = window x (ceil(n / 25) - 1); the steady rate is
// taken over whole windows, from the first request to the first one of the last window.
import { noGateHistory } from "../test/support/gate-history.ts";
import { testSandbox } from "../test/support/sandbox.ts";
import { benchUpstream } from "./bench-upstream.ts";
import { numbersOf } from "./options.ts";

const {
  requests: count,
  windowMs,
  latencyMs,
} = numbersOf({
  requests: 126,
  windowMs: 10_000,
  latencyMs: 50,
});
const quota = 25;
const monotonic = () => performance.now();

const sandbox = await testSandbox({ latencyMs, quota: { requests: quota, perMs: windowMs } });
const upstream = benchUpstream(sandbox, {
  perMs: windowMs,
  history: noGateHistory,
});

const began = monotonic();
const answers = await Promise.all(
  Array.from({ length: count }, () => upstream.labels.list({ priority: "edit" })),
);
const seconds = (monotonic() - began) / 1000;
const failed = answers.filter(({ ok }) => !ok).length;
const refused = sandbox.requests.entries().filter(({ status }) => status === 429).length;
const limit = (windowMs / 1000) * (Math.ceil(count / quota) - 1);
const ideal = (quota / windowMs) * 1000;
const arrivals = sandbox.requests.entries().map(({ at }) => at);
const windows = Math.floor((count - 1) / quota);
const span = ((arrivals[windows * quota] ?? 0) - (arrivals[0] ?? 0)) / 1000;
const steady = (windows * quota) / span;

console.log(`requests            ${count}, ${failed} failed`);
console.log(`answered with 429   ${refused}`);
console.log(`most in one window  ${sandbox.requests.maxInWindow(windowMs)} of ${quota}`);
console.log(
  `time                ${seconds.toFixed(2)} s; the service's limit is ${limit.toFixed(2)} s`,
);
console.log(
  `steady rate         ${steady.toFixed(3)}/s of ${ideal.toFixed(3)}/s = ${((100 * steady) / ideal).toFixed(1)} %`,
);
await upstream.close();
await sandbox.close();
process.exitCode = refused === 0 && failed === 0 ? 0 : 1;
