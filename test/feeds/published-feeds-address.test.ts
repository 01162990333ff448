import { expect, it } from "vitest";
import { feedId } from "../../src/domain/ids.ts";
import { secretOf, secretPattern } from "../../src/feeds/feed-addresses.ts";
import { feedKey } from "./rig.ts";

it("the secret of a feed has 160 bits, and differs with ID, version or key", () => {
  const keys = [feedKey, Buffer.alloc(32, 1)];
  const secrets = keys.flatMap((key) =>
    [1, 2, 3, 11].flatMap((id) =>
      [1, 2, 11].map((version) => secretOf(key, { id: feedId(id), version })),
    ),
  );
  expect(new Set(secrets).size).toBe(24);
  expect(secrets.filter((secret) => !secretPattern.test(secret))).toEqual([]);
  expect(secretOf(feedKey, { id: feedId(1), version: 1 })).toBe(secrets[0]);
});
