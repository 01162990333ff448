import { expect, it } from "vitest";
import { secretsIn } from "../../src/config/known-secrets.ts";
import { configSchema } from "../../src/config/schema.ts";
import { knownKeys } from "../../src/config/settings.ts";
import { configRig, least } from "./support.ts";

const { good } = configRig();

/** A value for each key of the configuration that is a secret. */
const webhook = (name: string) => ({
  url: `https://chat.example/hooks/${name}-address?k=${name}`,
  token: `${name}-token`,
  secret: `${name}-secret`,
});
const full = {
  ...least,
  service: { ...Object(least).service, apiKey: "account-key" },
  adminToken: "admin-token-of-forty-characters-and-more",
  people: [{ id: 11, apiKey: "key-of-ana", webhook: webhook("ana") }],
  edits: {
    subscriptions: [
      { name: "A", url: "webcal://me:p%40ss-word@c.example/private-1/a.ics?k=2", project: 1 },
    ],
  },
  mail: { smtpUrl: "smtps://me:url%2Bpass@mail.example", smtpPassword: "smtp-password" },
  operator: { webhooks: [{ name: "chat", ...webhook("operator") }] },
  webhooks: [{ name: "home", ...webhook("events") }],
  backups: { passphrase: "words of a backup" },
  http: { sharedCache: { purge: { url: "https://cache.example/{key}", token: "purge-token" } } },
};

it("include every secret of a configuration, and parts of addresses", () => {
  expect(secretsIn(good(full)).toSorted()).toEqual(
    [
      "account-key",
      "admin-token-of-forty-characters-and-more",
      "smtp-password",
      "url%2Bpass",
      "url+pass",
      "key-of-ana",
      "https://me:p%40ss-word@c.example/private-1/a.ics?k=2",
      "private-1/a.ics?k=2",
      "p%40ss-word",
      "p@ss-word",
      "purge-token",
      "words of a backup",
      ...["ana", "operator", "events"].flatMap((name) => [
        `https://chat.example/hooks/${name}-address?k=${name}`,
        `hooks/${name}-address?k=${name}`,
        `${name}-token`,
        `${name}-secret`,
      ]),
    ].toSorted(),
  );
  expect(secretsIn(good(least)).length).toBe(1);
});

it("cover every secret key, including new ones", () => {
  const keys = knownKeys(configSchema("/")).filter(({ type }) => type.includes("secret"));
  expect(keys.map(({ path }) => path).toSorted()).toEqual(
    [
      "adminToken",
      "backups.passphrase",
      "edits.subscriptions[].url",
      "http.sharedCache.purge.token",
      "mail.smtpPassword",
      "operator.webhooks[].secret",
      "operator.webhooks[].token",
      "operator.webhooks[].url",
      "people[].apiKey",
      "people[].webhook.secret",
      "people[].webhook.token",
      "people[].webhook.url",
      "service.apiKey",
      "webhooks[].secret",
      "webhooks[].token",
      "webhooks[].url",
    ].toSorted(),
  );
});
