import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { followSecrets } from "../../src/config/live-secrets.ts";
import { loadConfig } from "../../src/config/load.ts";
import { testDirectory } from "../support/test-store.ts";

const least = {
  baseUrl: "https://company.example.com/api/v3",
  contact: "you@example.com",
  timeZone: "Europe/Berlin",
};

/** A configuration with its files in a separate folder. */
function following(changes: object, files: Readonly<Record<string, string>>) {
  const folder = testDirectory();
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(files)) put(name, text);
  const written = { service: { ...least, apiKeyFile: "key" }, ...changes };
  put("config.json", JSON.stringify(written));
  const loaded = loadConfig({ file: join(folder, "config.json"), env: {}, cwd: folder });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.failure));
  const secrets = followSecrets(loaded.value);
  return { folder, put, secrets, key: () => secrets.current().service.apiKey };
}

describe("files with secrets", () => {
  it("are read again once their content is stable, and at once on request", () => {
    const { put, secrets, key } = following({}, { key: "first-key\n" });
    expect(secrets.look()).toEqual({ kind: "same" });
    put("key", "second-key\n");
    expect([secrets.look(), key()]).toEqual([{ kind: "same" }, "first-key"]);
    expect(secrets.look()).toEqual({ kind: "changed", keys: ["service.apiKeyFile"] });
    expect(key()).toBe("second-key");
    put("key", "the-third-key\n");
    secrets.ask();
    expect(secrets.look()).toEqual({ kind: "changed", keys: ["service.apiKeyFile"] });
    expect([secrets.look(), key()]).toEqual([{ kind: "same" }, "the-third-key"]);
  });

  it.each([
    ["empty", "", /service\.apiKeyFile: names an empty file/],
    ["no key", "two words", /printable ASCII without spaces/],
  ])("keep the previous secret while they are %s, and report that once", (_, text, problem) => {
    const { put, secrets, key } = following({}, { key: "first-key" });
    put("key", text);
    secrets.look();
    expect(secrets.look()).toEqual({
      kind: "unusable",
      problem: expect.stringMatching(problem),
    });
    expect(JSON.stringify(secrets.look())).toBe('{"kind":"same"}');
    expect(key()).toBe("first-key");
    put("key", "second-key");
    secrets.look();
    expect([secrets.look().kind, key()]).toEqual(["changed", "second-key"]);
  });

  it("keep the previous secret while they are missing, and then use the next one", () => {
    const { folder, put, secrets, key } = following({}, { key: "first-key" });
    rmSync(join(folder, "key"));
    secrets.look();
    expect(secrets.look().kind).toBe("unusable");
    put("key", "second-key");
    secrets.look();
    expect([secrets.look().kind, key()]).toEqual(["changed", "second-key"]);
  });

  it("may be links, whose folder Kubernetes replaces", () => {
    const { folder, secrets, key, put } = following({}, { key: "first-key" });
    for (const [day, text] of Object.entries({ one: "first-key", two: "second-key" })) {
      mkdirSync(join(folder, day));
      put(join(day, "key"), text);
    }
    const link = (to: string) => {
      symlinkSync(to, join(folder, "next"));
      renameSync(join(folder, "next"), join(folder, "..data"));
    };
    link("one");
    rmSync(join(folder, "key"));
    symlinkSync(join("..data", "key"), join(folder, "key"));
    secrets.look();
    expect([secrets.look().kind, key()]).toEqual(["same", "first-key"]);
    link("two");
    secrets.look();
    expect([secrets.look().kind, key()]).toEqual(["changed", "second-key"]);
  });

  it("are known for every secret, and previous and present ones are redacted", () => {
    const { put, secrets } = following(
      {
        adminTokenFile: "admin",
        people: [{ id: 11, apiKeyFile: "ana", webhook: { urlFile: "hook" } }],
        mail: {
          from: "d@example.com",
          smtpUrl: "smtps://d@mail.example.com",
          smtpPasswordFile: "smtp",
        },
        operator: {
          webhooks: [{ name: "phone", urlFile: "hook", tokenFile: "token", secretFile: "sign" }],
        },
        edits: { subscriptions: [{ name: "Ana", urlFile: "ics", project: 1, person: 11 }] },
        backups: { passphraseFile: "passphrase" },
      },
      {
        ...{ key: "old-account-key", ana: "old-key-of-ana", smtp: "old-smtp-password" },
        ...{
          admin: "old-admin-token-of-thirty-two-and-more",
          token: "old-token",
          sign: "old-sign",
        },
        ...{ hook: "https://old.example.com/topic", ics: "https://old.example.com/private.ics" },
        passphrase: "old passphrase of the backups",
      },
    );
    put("key", "new-account-key");
    put("ana", "new-key-of-ana");
    put("smtp", "new-smtp-password");
    put("admin", "new-admin-token-of-thirty-two-and-more");
    put("token", "new-token");
    put("sign", "new-sign");
    put("hook", "https://new.example.com/topic");
    put("ics", "https://new.example.com/private.ics");
    put("passphrase", "new passphrase of the backups");
    secrets.look();
    expect(secrets.look()).toEqual({
      kind: "changed",
      keys: [
        "service.apiKeyFile",
        "adminTokenFile",
        "people[0].apiKeyFile",
        "people[0].webhook.urlFile",
        "mail.smtpPasswordFile",
        "operator.webhooks[0].urlFile",
        "operator.webhooks[0].tokenFile",
        "operator.webhooks[0].secretFile",
        "edits.subscriptions[0].urlFile",
        "backups.passphraseFile",
      ],
    });
    const { service, people, mail, operator, edits, backups, adminToken } = secrets.current();
    expect(
      [service, people, mail, operator, edits, backups, { adminToken }].every(
        (part) => !JSON.stringify(part).includes("old"),
      ),
    ).toBe(true);
    for (const age of ["old", "new"]) {
      expect(secrets.hide(`${age}-account-key ${age}-smtp-password ${age}-key-of-ana`)).toBe(
        "… … …",
      );
    }
  });
});
