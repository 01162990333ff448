import { describe } from "vitest";
import { rfc4791 } from "./rfc-4791.ts";
import { rfc4918 } from "./rfc-4918.ts";
import { rfc6578 } from "./rfc-6578.ts";
import { rfc9110 } from "./rfc-9110.ts";
import { otherRfcs } from "./rfc-others.ts";
import type { StartWorld } from "./world.ts";

/** What the RFCs require of a server, whatever its backend. */
export function protocol(name: string, start: StartWorld): void {
  describe(name, () => {
    for (const suite of [rfc4791, rfc4918, rfc6578, rfc9110, otherRfcs]) suite(start);
  });
}
