import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/server.ts";

/**
 * A stand-in of the service whose workspace has two projects with two lists each and nothing in them, on the real clock;
 * `options` replace any of that. Whoever starts it closes it.
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
    ...options,
  });

/** The part of a configuration that names the sandbox as the service, under its owner's key. */
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
