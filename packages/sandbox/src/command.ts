// Runs a sandbox on loopback until interrupted. Prints its URL and the API keys of its people. npm start -w @dayferry/sandbox
// -- [--size s|m|l|empty] [--seed 1] [--port 0] [--data FILE] [--time-zone Europe/Berlin]
import { parseArgs } from "node:util";
import { startSandbox } from "./server.ts";

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "s" },
    seed: { type: "string", default: "1" },
    port: { type: "string", default: "0" },
    /** SQLite file for the workspace. Default: in memory. */
    data: { type: "string" },
    "time-zone": { type: "string", default: "Europe/Berlin" },
  },
});
const sizes = ["s", "m", "l", "empty"] as const;
const size = sizes.find((one) => one === values.size);
if (!size) {
  console.error(`--size must be one of ${sizes.join(", ")}, not ${values.size}`);
  process.exit(2);
}
const sandbox = await startSandbox({
  size,
  seed: numberIn("seed", values.seed),
  port: numberIn("port", values.port),
  timeZone: values["time-zone"],
  discovery: true,
  clock: () => Temporal.Now.instant(),
  ...(values.data !== undefined && { data: values.data }),
});
console.log(`The service: ${sandbox.baseUrl}`);
for (const { name, apiKey, role } of sandbox.keys) console.log(`${apiKey}  ${name}, ${role}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void sandbox.close());
}

function numberIn(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  console.error(`--${name} must be a whole number, not ${text}`);
  process.exit(2);
}
