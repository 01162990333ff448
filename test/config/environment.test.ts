import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Environment as Env } from "../../src/config/environment.ts";
import { configRig, least, paths, withService } from "./support.ts";

const rig = configRig();
const { good, bad, write } = rig;

describe("environment", () => {
  test("can set every supported value", () => {
    write("pw", "from env file\n");
    const raw = {
      ...withService({ apiKey: undefined, apiKeyFile: "unread-as-the-environment-wins" }),
      http: { port: 1, host: "0.0.0.0" },
      mail: { smtpUrl: "smtps://me@mail.example", smtpPassword: "in file" },
    };
    const config = good(raw, {
      DAYFERRY_DATA_DIR: "here",
      DAYFERRY_HOST: "::",
      DAYFERRY_PORT: "9000",
      DAYFERRY_PUBLIC_URL: "https://cal.example/base/",
      DAYFERRY_API_KEY: "env-key",
      DAYFERRY_SMTP_PASSWORD_FILE: "pw",
      DAYFERRY_ADMIN_TOKEN: "token-of-thirty-two-characters-0",
      DAYFERRY_LOG_LEVEL: "debug",
    });
    expect(config.dataDir).toBe(join(rig.folder, "here"));
    expect(config.http).toEqual({
      host: "::",
      port: 9000,
      publicUrl: "https://cal.example/base",
      trustProxy: false,
      identityHeader: null,
      primaryUrl: null,
      sharedCache: null,
    });
    expect(config.service.apiKey).toBe("env-key");
    expect(config.mail.smtpPassword).toBe("from env file");
    expect(config.adminToken).toBe("token-of-thirty-two-characters-0");
    expect(config.log.level).toBe("debug");
  });

  test("ignores empty variables", () => {
    const env = { DAYFERRY_API_KEY: "", DAYFERRY_PORT: "", DAYFERRY_ADMIN_TOKEN_FILE: "" };
    const config = good(least, env);
    expect([config.service.apiKey, config.http.port, config.adminToken]).toEqual([
      "key-in-file",
      8380,
      null,
    ]);
  });

  test.each<[Env, string]>([
    [{ DAYFERRY_PORT: "-1" }, "DAYFERRY_PORT"],
    [{ DAYFERRY_PORT: "99999" }, "DAYFERRY_PORT"],
    [{ DAYFERRY_PORT: "tcp://10.0.0.1:8380" }, "DAYFERRY_PORT"],
    [{ DAYFERRY_PUBLIC_URL: "cal.example" }, "DAYFERRY_PUBLIC_URL"],
    [{ DAYFERRY_API_KEY: "a b" }, "DAYFERRY_API_KEY"],
    [{ DAYFERRY_API_KEY_FILE: "missing" }, "DAYFERRY_API_KEY_FILE"],
    [{ DAYFERRY_API_KEY: "a", DAYFERRY_API_KEY_FILE: "b" }, "DAYFERRY_API_KEY_FILE"],
    [{ DAYFERRY_ADMIN_TOKEN_FILE: "missing" }, "DAYFERRY_ADMIN_TOKEN_FILE"],
    [{ DAYFERRY_LOG_LEVEL: "verbose" }, "DAYFERRY_LOG_LEVEL"],
  ])("is reported as wrong if it is %j", (env, path) => {
    expect(paths(bad(least, env))).toEqual([path]);
  });

  test("does not modify the input", () => {
    const before = structuredClone(least);
    good(least, { DAYFERRY_API_KEY: "other", DAYFERRY_PORT: "1" });
    expect(least).toEqual(before);
  });
});
