import { describe, expect, it } from "vitest";
import { feedId } from "../../src/domain/ids.ts";
import { secretOf, secretPattern, slugOf } from "../../src/feeds/address.ts";
import { feedKey } from "./rig.ts";

describe("secretOf()", () => {
  it("secretOf() result when id, version or key differ: always another one of 160 bits", () => {
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
});

describe("slugOf()", () => {
  it.each([
    ["Website", "website"],
    ["  Größe & Maße: Süd/Łódź ", "grosse-masse-sud-lodz"],
    ["Æther Øl Œuvre Þing", "aether-ol-oeuvre-thing"],
    ["../../etc/passwd?x=1#y", "etc-passwd-x-1-y"],
    ["Проект", "project-7"],
    ["项目 2027", "project-7"],
    ["", "project-7"],
    ["---", "project-7"],
    [`${"a".repeat(59)} tail`, "a".repeat(59)],
  ])("slugOf() result when the title is %j", (title, slug) => {
    expect(slugOf(title, "project-7")).toBe(slug);
  });
});
