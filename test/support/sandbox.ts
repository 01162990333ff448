import { type Sandbox, type SandboxOptions, startSandbox } from "@dayferry/sandbox";
import { listen, monotonic, startTimer } from "../../src/runtime.ts";

/** The size `s` where the amount does not matter: most of the time goes into reading made-up things. */
const fewTasks = { tasks: 60 } as const;

/**
 * A stand-in of the service whose workspace has two empty projects with two lists each, on the real clock; `options`
 * replace any of that. The size `s` has 60 made-up tasks instead of 300. Whoever starts it closes it.
 */
export const testSandbox = (options: Partial<SandboxOptions> = {}): Promise<Sandbox> =>
  startSandbox({
    seed: 1,
    size: "empty",
    discovery: true,
    port: 0,
    timeZone: "Europe/Berlin",
    clock: () => Temporal.Now.instant(),
    quota: { requests: 25, perMs: 200 },
    ...(options.size === "s" && { counts: fewTasks }),
    ...options,
    runtime: { monotonic, startTimer, listen, ...options.runtime },
  });

/** The part of a configuration that names the sandbox as the service, with its owner's key. */
export const serviceConfig = (sandbox: Sandbox) => ({
  baseUrl: sandbox.baseUrl,
  uploadUrl: sandbox.uploadUrl,
  apiKey: sandbox.keys[0]?.apiKey,
  contact: "tests@example.com",
  timeZone: sandbox.timeZone,
  quota: { requests: 25, per: "PT0.2S" },
});

/** The account's owner, who sees and may change everything. */
export const ownerOf = ({ keys }: Sandbox): number => keys[0]?.personId ?? 0;
