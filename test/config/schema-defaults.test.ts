import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configRig, least, withService } from "./support.ts";

const rig = configRig();
const { good } = rig;

describe("defaults of the configuration", () => {
  test("apply if only the required keys are given", () => {
    const { written, ...config } = good(least);
    expect(written.raw).toMatchObject({ service: { contact: "you@example.com" } });
    expect(JSON.parse(JSON.stringify(config))).toEqual({
      dataDir: join(rig.folder, "data"),
      language: "en",
      service: {
        baseUrl: "https://company.example.com/api/v3",
        uploadUrl: "https://company.example.com/upload",
        apiKey: "key-in-file",
        contact: "you@example.com",
        timeZone: "Europe/Berlin",
        quota: { requests: 25, per: "PT10S" },
        timeout: "PT30S",
        webUrl: null,
      },
      projects: "discover",
      webhooks: [],
      people: [],
      discoverPeople: true,
      polling: { maxAge: "PT15M", share: 0.9, comments: true, history: true, files: true },
      http: {
        host: "127.0.0.1",
        port: 8380,
        publicUrl: null,
        trustProxy: false,
        identityHeader: null,
        primaryUrl: null,
        sharedCache: null,
      },
      feeds: {
        past: "P90D",
        future: "P2Y",
        completed: "P14D",
        private: "omit",
        tasks: "due",
        customDates: false,
        assignees: true,
        actionLinks: true,
      },
      calendars: { milestones: true, push: "public" },
      edits: { mode: "apply", conflicts: "ask", labels: "known", inbox: null, subscriptions: [] },
      mail: {
        from: { name: "Dayferry", address: "dayferry@example.com" },
        smtpUrl: null,
        smtpPassword: null,
        directory: join(rig.folder, "data/mail"),
        perMinute: 20,
      },
      backups: {
        enabled: true,
        at: "03:30:00",
        keep: { daily: 7, weekly: 4, monthly: 6 },
        directory: join(rig.folder, "data/backups"),
        passphrase: null,
      },
      operator: { mail: ["you@example.com"], webhooks: [], again: null },
      reminders: {
        events: true,
        milestones: ["P1D"],
        tasks: ["P1D"],
        overdue: true,
        at: "09:00:00",
        digest: null,
        catchUp: "PT12H",
      },
      metrics: { enabled: true, host: "127.0.0.1", port: null },
      log: { level: "info" },
      adminToken: null,
    });
    expect(config.service.timeout).toBeInstanceOf(Temporal.Duration);
    expect(config.reminders.at).toBeInstanceOf(Temporal.PlainTime);
  });

  test.each([
    ["https://a.example/api/v3/", undefined, "https://a.example/upload"],
    ["https://a.example/team/api/v3", undefined, "https://a.example/team/upload"],
    ["https://a.example/rest", undefined, "https://a.example/rest/upload"],
    ["https://a.example/api/v3", "https://up.example/files/", "https://up.example/files"],
  ])("with baseUrl %s and uploadUrl %s", (baseUrl, uploadUrl, expected) => {
    expect(good(withService({ baseUrl, uploadUrl })).service.uploadUrl).toBe(expected);
  });

  test("for mail.directory follow the data directory", () => {
    const config = good(least, { DAYFERRY_DATA_DIR: "/var/lib/dayferry" });
    expect(config.dataDir).toBe("/var/lib/dayferry");
    expect(config.mail.directory).toBe("/var/lib/dayferry/mail");
  });

  test("apply to listed people", () => {
    const { people, discoverPeople } = good({ ...least, people: [{ id: 11, name: "Ana" }] });
    expect(people).toEqual([
      {
        id: 11,
        name: "Ana",
        email: null,
        timeZone: null,
        calendars: "write",
        mail: {
          events: true,
          milestones: true,
          tasks: true,
          overdue: true,
          digest: true,
          notices: true,
          invitations: true,
          alarms: true,
        },
        webhook: null,
        apiKey: null,
      },
    ]);
    expect(discoverPeople).toBe(true);
  });

  test.each([
    ["07:30", null],
    [{ at: "07:30", weekday: "Monday" }, 1],
    [{ at: "07:30", weekday: "sunday" }, 7],
  ])("for reminders.digest with %j", (digest, weekday) => {
    const { reminders } = good({ ...least, reminders: { digest } });
    expect(reminders.digest?.at.toString()).toBe("07:30:00");
    expect(reminders.digest?.weekday).toBe(weekday);
  });

  test("apply to a person without some mails", () => {
    const { people } = good({ ...least, people: [{ id: 11, mail: { digest: false } }] });
    expect(people[0]?.mail).toMatchObject({ digest: false, notices: true });
  });

  test("apply to a read-only person", () => {
    const { people } = good({ ...least, people: [{ id: 11, calendars: "read" }, { id: 12 }] });
    expect(people.map(({ calendars }) => calendars)).toEqual(["read", "write"]);
  });
});
