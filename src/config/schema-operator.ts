import { z } from "zod";
import { hookEvents } from "../domain/hook-event.ts";
import { personId, projectId } from "../domain/ids.ts";
import type { WebhookConfig } from "./config.ts";
import {
  always,
  doc,
  noneTwice,
  oneSecret,
  secret,
  secretFileField,
  textSetting,
} from "./schema-parts.ts";
import { readEmail, readExactLength, readToken, readWebhookUrl } from "./values.ts";

/** Who gets messages about troubles. */
export function operator(folder: string) {
  const webhook = z
    .strictObject({
      name: doc(z.string().regex(/\S/, "must not be empty"), "its name in responses"),
      ...webhookKeys(folder),
    })
    .superRefine(oneSecret("url", noUrl), always)
    .superRefine(oneSecret("token"), always)
    .superRefine(oneSecret("secret"), always)
    .transform(({ name, ...written }) => ({ name, ...settled(written) }));
  return z.strictObject({
    mail: doc(
      z.array(textSetting(readEmail, "e-mail address")).optional(),
      "e-mail addresses for problems and their ends; `[]` for nobody",
      "`service.contact`",
    ),
    webhooks: doc(
      z.array(webhook).superRefine(noneTwice("name"), always).prefault([]),
      "URLs that get the same by HTTP; they may be in a private network",
    ),
    again: doc(
      textSetting(readExactLength, "duration").nullable().prefault(null),
      "how often a lasting problem is reported again, such as `P7D`; never by default",
    ),
  });
}

/** Webhooks that receive changes in the workspace. */
export function eventHooks(folder: string) {
  const id = <Id>(brand: (id: number) => Id, about: string) =>
    doc(z.number().int().positive().transform(brand).nullable().prefault(null), about);
  const hook = z
    .strictObject({
      name: doc(
        z.string().regex(/^\s*[^\s#]/, "must not be empty, and not begin with #"),
        "its name in logs and metrics",
      ),
      events: doc(z.array(z.enum(hookEvents)).prefault([...hookEvents]), "which events are sent"),
      project: id(projectId, "only of this project"),
      person: id(
        personId,
        "only what is assigned to this person, also private items; without one, private items are left out",
      ),
      ...webhookKeys(folder),
    })
    .superRefine(oneSecret("url", noUrl), always)
    .superRefine(oneSecret("token"), always)
    .superRefine(oneSecret("secret"), always)
    .transform(({ name, events, project, person, ...written }) => ({
      ...{ name, events, project, person },
      ...settled(written),
    }));
  return z.array(hook).superRefine(noneTwice("name"), always);
}

/** One person's webhook. */
export function personWebhook(folder: string) {
  return z
    .strictObject({
      ...webhookKeys(folder),
      mail: doc(z.boolean().prefault(true), "whether the person's mails are sent as well"),
    })
    .superRefine(oneSecret("url", noUrl), always)
    .superRefine(oneSecret("token"), always)
    .superRefine(oneSecret("secret"), always)
    .transform(({ mail, ...written }) => ({ withMail: mail, ...settled(written) }));
}

/** Settings of a webhook. */
function webhookKeys(folder: string) {
  return {
    url: doc(secret(readWebhookUrl), "the address; for ntfy that of the topic"),
    urlFile: doc(secretFileField(folder, readWebhookUrl), "a file that holds the address"),
    format: doc(
      z.enum(["json", "ntfy"]).prefault("json"),
      "what is sent there: JSON as `docs/messages.md` describes it, or a message for ntfy",
    ),
    token: doc(secret(readToken), "sent as `Authorization: Bearer`"),
    tokenFile: doc(secretFileField(folder, readToken), "a file that holds it"),
    secret: doc(secret(readToken), "signs each message, so that the receiver can verify it"),
    secretFile: doc(secretFileField(folder, readToken), "a file that holds it"),
  };
}

const noUrl = { at: "urlFile", message: 'is missing: give "urlFile" or "url"' };

interface Written {
  readonly url?: string | null | undefined;
  readonly urlFile?: string | null | undefined;
  readonly format: WebhookConfig["format"];
  readonly token?: string | null | undefined;
  readonly tokenFile?: string | null | undefined;
  readonly secret?: string | null | undefined;
  readonly secretFile?: string | null | undefined;
}

const settled = (written: Written): WebhookConfig => ({
  url: written.url ?? written.urlFile ?? "",
  format: written.format,
  token: written.token ?? written.tokenFile ?? null,
  secret: written.secret ?? written.secretFile ?? null,
});
