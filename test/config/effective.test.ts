import { describe, expect, it } from "vitest";
import { effectiveSettings } from "../../src/config/effective.ts";
import { parseConfig } from "../../src/config/load.ts";

const written = (raw: object, env: Record<string, string> = {}) => {
  const loaded = parseConfig(raw, { folder: "/srv", cwd: "/srv", env });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.failure));
  return new Map(effectiveSettings(loaded.value.written).map((each) => [each.path, each]));
};

const least = {
  service: {
    baseUrl: "https://company.example.com/api/v3",
    uploadUrl: "https://company.example.com/upload",
    apiKey: "a-secret-key-of-the-account",
    contact: "you@example.com",
    timeZone: "Europe/Berlin",
  },
};

describe("effective settings", () => {
  it("show the value and source of each key", () => {
    const settings = written(
      { ...least, http: { port: 9000 }, edits: { labels: "create" } },
      { DAYFERRY_PORT: "9100", DAYFERRY_LOG_LEVEL: "debug" },
    );
    const told = (path: string) => {
      const { value, by } = settings.get(path) ?? {};
      return [value, by];
    };
    expect(told("http.port")).toEqual(["9100", "DAYFERRY_PORT"]);
    expect(told("log.level")).toEqual(["debug", "DAYFERRY_LOG_LEVEL"]);
    expect(told("edits.labels")).toEqual(["create", "file"]);
    expect(told("service.timeZone")).toEqual(["Europe/Berlin", "file"]);
    expect(told("polling.maxAge")).toEqual(["PT15M", "default"]);
    expect(told("http.publicUrl")).toEqual(["none", "default"]);
    expect([...settings.values()].every(({ about }) => about !== "")).toBe(true);
  });

  it("never contain a secret", () => {
    const settings = written(
      {
        ...least,
        mail: { smtpUrl: "smtp://user:hidden-password@mail.example.com" },
        people: [{ id: 11, name: "Ana", apiKey: "ana-has-a-secret-key" }],
      },
      { DAYFERRY_ADMIN_TOKEN: "an-admin-token-that-is-long-enough-for-it" },
    );
    const all = JSON.stringify([...settings.values()]);
    for (const secret of ["a-secret-key", "hidden-password", "ana-has", "long-enough"]) {
      expect(all).not.toContain(secret);
    }
    expect(settings.get("service.apiKey")).toMatchObject({
      value: "set, not shown",
      by: "file",
    });
    expect(settings.get("adminToken")?.by).toBe("DAYFERRY_ADMIN_TOKEN");
    expect(settings.get("mail.smtpUrl")?.value).toContain("mail.example.com");
    expect(settings.get("people")?.value).toBe("1 entry");
  });
});
