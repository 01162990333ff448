import { describe, expect, it } from "vitest";
import { dayferry } from "../support/dayferry.ts";
import { command, serveHere } from "../support/in-process.ts";
import { aReceiver } from "../support/receiver.ts";
import { commandRig } from "./command-rig.ts";

const rig = commandRig();
const { place, owner } = rig;

/** Titles of what probes left in the service. */
const leftOfProbes = (): readonly string[] =>
  rig.sandbox.workspace
    .places()
    .flatMap(({ project }) =>
      rig.sandbox.workspace.events.list({ by: owner(), project }, { view: "all" }),
    )
    .map(({ title }) => title)
    .filter((title) => title.includes("probe"));

describe("doctor", () => {
  it("prints a line per finding and exits 0 if all is well", async () => {
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
    expect(leftOfProbes()).toEqual([]);
  });

  it("is not confused by a change to summer time", async () => {
    const clock = () => Temporal.Instant.from("2026-10-24T00:15:00Z");
    const asked = ["doctor", "--probe-time-zone"];
    const { stdout } = await command(asked, { installation: place(), clock });
    expect(stdout).toContain("zone: the service answers in Europe/Berlin");
  });

  it("finds a wrong time zone with its probe", async () => {
    const installation = place({ service: { timeZone: "America/New_York" } });
    const { code, stdout } = await command(["doctor", "--probe-time-zone", "--json"], {
      installation,
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        verdict: "broken",
        subject: "zone",
        what: expect.stringContaining("as in Europe/Berlin"),
        remedy: "set service.timeZone to the account's zone",
      }),
    );
    expect(stdout).not.toContain("zone setting");
  });

  it("sends a test message to the operator on request, and shows the result", async () => {
    const [taken, refused] = [await aReceiver(), await aReceiver()];
    refused.status = 401;
    const installation = place({
      operator: {
        mail: ["ops@example.com"],
        webhooks: [
          { name: "phone", url: taken.url, format: "ntfy" },
          { name: "desk", url: refused.url, token: "tk_hush-hush" },
        ],
      },
    });
    const { code, stdout } = await command(["doctor", "--test-messages"], { installation });
    expect(code).toBe(1);
    expect(stdout).toContain("ok   messages: a test was sent by mail to ops@example.com");
    expect(stdout).toContain("ok   messages: a test was sent by the webhook phone");
    expect(stdout).toContain(
      "FAIL messages: a test by the webhook desk failed: the receiver rejects the token or the address (401)",
    );
    expect(stdout).not.toMatch(/hush|secret-part/);
    expect(taken.received[0]?.headers["title"]).toContain("a test message");
  });

  it("lets a running daemon probe the time zone, which stores the result", async () => {
    const installation = place({ service: { timeZone: "America/New_York" } });
    const running = await serveHere(installation, { ready: false });
    const { url, adminToken, modules } = running;
    const asked = { installation, daemon: { url, adminToken } };
    const { stdout, code } = await command(["doctor", "--probe-time-zone"], asked);
    const found = modules.store.troubles.reported();
    await running.stop();
    expect(stdout).toContain("FAIL zone: an event sent for");
    expect(stdout).toContain("the account is not in America/New_York");
    expect(code).toBe(1);
    expect(found).toMatchObject([{ kind: "zone-mismatch", zone: "America/New_York" }]);
    expect(leftOfProbes()).toEqual([]);
  });

  it("prints each error of the configuration with its remedy, and exits 2", async () => {
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

  it("exits 1 with a remedy if nothing responds", async () => {
    const installation = place({
      service: {
        baseUrl: "http://127.0.0.1:9/api/v3",
        apiKey: "some-key",
        contact: "tests@example.com",
        timeZone: "Europe/Berlin",
        timeout: "PT1S",
      },
    });
    const { code, stdout } = await command(["doctor"], { installation });
    expect(code).toBe(1);
    expect(stdout).toContain("FAIL service: ");
    expect(stdout).toContain("check service.baseUrl");
  });
});
