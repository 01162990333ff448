import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import { readSmtpUrl, SmtpUrlError } from "../../src/mail/smtp-url.ts";

describe("readSmtpUrl()", () => {
  test.each([
    ["smtps://m.example", { host: "m.example", secure: true, requireTLS: false }],
    ["smtp://m.example:2525", { host: "m.example", port: 2525, secure: false, requireTLS: false }],
    ["smtp://a%40b.c:p%25w@m.example", { auth: { user: "a@b.c", pass: "p%w" }, requireTLS: true }],
    ["smtp://a:100%@m.example", { auth: { user: "a", pass: "100%" } }],
    ["smtp://a:b@127.0.0.1", { host: "127.0.0.1", requireTLS: false }],
    ["smtp://a:b@[::1]:25", { host: "::1", requireTLS: false }],
    ["smtp://a:b@127.0.0.1.evil.example", { requireTLS: true }],
    ["smtp://a:b@m.example?ignoreTLS=true", { requireTLS: false, ignoreTLS: true }],
    ["smtp://m.example?requireTLS=true", { requireTLS: true }],
    ["smtp://münchen.example", { host: "xn--mnchen-3ya.example" }],
    ["smtp://m.example?tls.rejectUnauthorized=false", { tls: { rejectUnauthorized: false } }],
    [
      "smtp://m.example?name=me&authMethod=PLAIN&tls.servername=n.example",
      { name: "me", authMethod: "PLAIN", tls: { servername: "n.example" } },
    ],
  ])("reads the options of %s", (url, options) => {
    expect(readSmtpUrl(url, null)).toMatchObject(options);
  });

  test("verifies certificates by default", () => {
    expect(readSmtpUrl("smtps://m.example", null).tls).toEqual({});
  });

  test.each([
    "https://hush@m.example",
    "smtp://",
    "hush",
    "smtp://u:hush@m.example?logger=true",
    "smtp://u:hush@m.example?requireTLS=yes",
  ])("refuses %s", (url) => {
    expect(() => readSmtpUrl(url, null)).toThrow(SmtpUrlError);
    expect(() => readSmtpUrl(url, null)).toThrow(/^(?!.*hush)/);
  });

  test.each([
    "tls.rejectUnauthorized=false",
    "tls.servername=x",
    "requireTLS=true",
    "ignoreTLS=true",
    "name=x",
    "authMethod=PLAIN",
    "pool=true",
    "requireTls=true",
  ])("agrees with the configuration on the option %s", (option) => {
    const smtpUrl = `smtp://m.example?${option}`;
    const config = parseConfig({ mail: { smtpUrl } }, { folder: "/", cwd: "/", env: {} });
    const refused = !config.ok && config.failure.some(({ path }) => path === "mail.smtpUrl");
    const read = () => readSmtpUrl(smtpUrl, null);
    if (refused) expect(read).toThrow(SmtpUrlError);
    else expect(read).not.toThrow();
  });
});
