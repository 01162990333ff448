import type { Sandbox } from "@dayferry/sandbox";
import { createUpstream, type Upstream, type UpstreamOptions } from "../src/upstream/client.ts";

/** A client of the sandbox under its owner's key. `perMs`: milliseconds in which 25 requests are allowed. */
export const benchUpstream = (
  sandbox: Sandbox,
  { perMs, history }: { readonly perMs: number; readonly history: UpstreamOptions["history"] },
): Upstream =>
  createUpstream({
    baseUrl: sandbox.baseUrl,
    uploadUrl: sandbox.uploadUrl,
    apiKey: sandbox.keys[0]?.apiKey ?? "",
    keyOf: () => null,
    contact: "bench@example.com",
    timeZone: sandbox.timeZone,
    quota: { requests: 25, per: Temporal.Duration.from({ milliseconds: perMs }) },
    timeout: Temporal.Duration.from({ seconds: 30 }),
    clock: () => Temporal.Now.instant(),
    monotonic: () => performance.now(),
    random: Math.random,
    history,
    onEvent: () => undefined,
  });
