import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  checkBlocks,
  checkClock,
  checkDisk,
  checkPrivacy,
  checkProxy,
  checkQuota,
  checkZoneData,
} from "../../src/cli/system-findings.ts";

it.each([
  [0, "fine", "within 1 s of the service's"],
  [-60, "fine", "within 60 s of the service's"],
  [61, "broken", "this machine's clock is 61 s ahead of the service's"],
  [-3600, "broken", "this machine's clock is 3600 s behind the service's"],
  [null, "doubtful", "not compared: the service's time is unknown"],
])("a clock difference of %j s is %s", (ahead, verdict, what) => {
  expect(checkClock(ahead)).toMatchObject({ verdict, what, subject: "clock" });
});

it("reports refusals for the quota", () => {
  expect(checkQuota({ used: 3, quota: 25, rateLimited: 0 })).toMatchObject({
    verdict: "fine",
    what: "3 of the 25 requests the service allows are in use",
  });
  expect(checkQuota({ used: 3, quota: 25, rateLimited: 2 })).toMatchObject({
    verdict: "doubtful",
    what: "3 of the 25 requests the service allows are in use; the service has refused 2 for the quota",
  });
});

describe("time zone data", () => {
  const today = Temporal.PlainDate.from("2026-11-22");

  it.each([
    ["2026c", "78.3", "fine", "the time zone data is from 2026c, read by ICU 78.3"],
    ["2026c", null, "fine", "the time zone data is from 2026c"],
    [
      "2024a",
      "74.2",
      "doubtful",
      expect.stringMatching(/^the time zone data is from 2024a, .*year old/),
    ],
    [null, "74.2", "doubtful", "the version of the time zone data is unknown"],
  ])("%s of ICU %s is %s", (tz, icu, verdict, what) => {
    const finding = checkZoneData({ tz, icu }, today);
    expect(finding).toMatchObject({ verdict, what, subject: "zone data" });
    expect(finding.remedy === null).toBe(verdict === "fine");
  });
});

it("reports the free space of a folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "disk-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { subject, what } = checkDisk(folder);
  expect(subject).toBe("disk");
  expect(what).toMatch(/^[\d,]+ MiB are free in /);
});

describe("a proxy", () => {
  const forwardedAt = "2026-11-21T09:00:00Z";
  it("is reported if the configuration does not name it", () => {
    const [finding] = checkProxy({ trusted: false, forwardedAt });
    expect(finding).toMatchObject({ verdict: "doubtful", subject: "proxy" });
    expect(finding?.remedy).toContain("http.trustProxy");
  });

  it("is reported if the configuration names only others", () => {
    const [finding] = checkProxy({ trusted: true, forwardedAt });
    expect(finding).toMatchObject({ verdict: "doubtful", subject: "proxy" });
    expect(finding?.what).toContain(forwardedAt);
  });

  it.each([
    { trusted: false, forwardedAt: null },
    { trusted: true, forwardedAt: null },
  ])("is not reported for %o", (use) => expect(checkProxy(use)).toEqual([]));
});

it("reports delays that people notice", () => {
  expect(checkBlocks({ longestMs: 12.5, minutes: 5 })).toMatchObject({
    verdict: "fine",
    what: "none was delayed by more than 12.5 ms",
  });
  expect(checkBlocks({ longestMs: 1340, minutes: 5 })).toMatchObject({
    verdict: "doubtful",
    what: "there was no response for 1.3 s at a time within the last 5 minutes",
  });
});

it("names files that others can read, with their mode and a remedy", () => {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-privacy-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(checkPrivacy([folder, join(folder, "none")])).toMatchObject({ verdict: "fine" });
  writeFileSync(join(folder, "a.eml"), "x");
  chmodSync(join(folder, "a.eml"), 0o644);
  const finding = checkPrivacy([folder]);
  expect(finding).toMatchObject({ verdict: "broken", subject: "privacy" });
  expect(finding.what).toContain(`${join(folder, "a.eml")} (mode 0644)`);
  expect(finding.remedy).toContain(`chmod -R go= ${folder}`);
});
