import { describe, expect, it } from "vitest";
import { insist } from "../../src/sandbox/work-outcome.ts";
import { dayferry } from "../support/dayferry.ts";
import { command } from "../support/in-process.ts";
import { commandRig } from "./command-rig.ts";

const rig = commandRig();
const { place, owner } = rig;

describe("doctor", () => {
  it("says a line per finding and exits 0 when all is well", async () => {
    const { configFile } = place();
    const { code, stdout } = await dayferry([
      "doctor",
      "--probe-time-zone",
      "--config",
      configFile,
    ]);
    expect(code).toBe(0);
    for (const subject of [
      "configuration",
      "data directory",
      "service",
      "clock",
      "quota",
      "disk",
      "privacy",
      "zone",
      "zone data",
      "mail",
      "public address",
    ]) {
      expect(stdout).toContain(`${subject}: `);
    }
    expect(stdout).toContain("zone: the service answers in Europe/Berlin");
    const { workspace } = rig.sandbox;
    const left = workspace
      .places()
      .flatMap(({ project }) =>
        insist(workspace.events.list({ by: owner(), project }, { view: "all" })),
      );
    expect(left.filter(({ title }) => title.includes("probe"))).toEqual([]);
  });

  it("is not misled by a night in which the clocks are changed", async () => {
    const clock = () => Temporal.Instant.from("2026-10-24T00:15:00Z");
    const asked = ["doctor", "--probe-time-zone"];
    const { stdout } = await command(asked, { installation: place(), clock });
    expect(stdout).toContain("zone: the service answers in Europe/Berlin");
  });

  it("finds a wrong zone by its probe", async () => {
    const { configFile } = place({ service: { timeZone: "America/New_York" } });
    const { code, stdout } = await dayferry([
      "doctor",
      "--probe-time-zone",
      "--json",
      "--config",
      configFile,
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        verdict: "broken",
        subject: "zone",
        remedy: "set service.timeZone to the account's zone",
      }),
    );
    expect(stdout).not.toContain("zone setting");
  });

  it("says each fault of the configuration in a line of its own, with its remedy, and exits 2", async () => {
    const { configFile } = place({ colour: "red", polling: { maxAge: "soon" } });
    const { code, stdout } = await dayferry(["doctor", "--config", configFile], {
      env: { DAYFERRY_PORT: "many" },
    });
    expect(code).toBe(2);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    for (const path of ["colour", "polling.maxAge", "DAYFERRY_PORT"]) {
      const ofPath = lines.filter((line) => line.startsWith(`FAIL configuration: ${path}: `));
      expect(ofPath).toMatchObject([expect.stringMatching(/ → \S/)]);
    }
  });

  it("exits 1 with a remedy when nothing answers", async () => {
    const { configFile } = place({
      service: {
        baseUrl: "http://127.0.0.1:9/api/v3",
        apiKey: "some-key",
        contact: "tests@example.com",
        timeZone: "Europe/Berlin",
        timeout: "PT1S",
      },
    });
    const { code, stdout } = await dayferry(["doctor", "--config", configFile]);
    expect(code).toBe(1);
    expect(stdout).toContain("FAIL service: ");
    expect(stdout).toContain("check service.baseUrl");
  });
});
