import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SpoiltSecretError, secretFile } from "../../src/store/secret-files.ts";
import { testDirectory } from "../support/test-store.ts";

const secret = "s".repeat(43);

describe("secretFile()", () => {
  it("makes a secret once, for its owner alone", () => {
    const place = { dataDir: testDirectory(), name: "feed-key" };
    const file = join(place.dataDir, place.name);
    expect(secretFile(place, () => secret)).toBe(secret);
    expect(secretFile(place, () => "another one".repeat(5))).toBe(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toBe(`${secret}\n`);
  });

  it.each([
    { spoilt: "", says: "is empty" },
    { spoilt: "\n", says: "is empty" },
    { spoilt: secret.slice(0, 20), says: "has 20 characters, too few for a secret" },
    { spoilt: secret.slice(0, 40), says: "has 40 characters, too few for a secret" },
    { spoilt: "\0".repeat(43), says: "holds what is no text" },
  ])("explains a file that $says, and keeps it", ({ spoilt, says }) => {
    const place = { dataDir: testDirectory(), name: "feed-key", least: 43 };
    const file = join(place.dataDir, place.name);
    writeFileSync(file, spoilt);
    const read = () => secretFile(place, () => secret);
    expect(read).toThrow(SpoiltSecretError);
    expect(read).toThrow(`${file} ${says}`);
    expect(read).toThrow("`dayferry restore --keys-only`");
    expect(existsSync(file) && readFileSync(file, "utf8")).toBe(spoilt);
  });
});
