import { isId, type PersonId, personId } from "../domain/ids.ts";
import type { Mail, Mailer } from "../mail/mail.ts";
import type { Posted } from "../remote/guarded-post.ts";
import type { WebhookMessage } from "../remote/webhook.ts";
import { say } from "../texts/say.ts";
import type { MailChannel } from "./recipients.ts";

interface WebhookMailerDeps {
  /** Sends to the person's webhook. */
  readonly send: (person: PersonId, message: WebhookMessage) => Promise<Posted>;
}

const mark = "webhook of person ";

/** How people are reached by webhook. */
export const reachByWebhook = (settings: {
  readonly has: (person: PersonId) => boolean;
  readonly since: (person: PersonId) => Temporal.Instant | null;
}): MailChannel => ({
  addressOf: ({ id }) => (settings.has(id) ? `${mark}${id}` : ""),
  since: settings.since,
});

/** A mailer that sends a mail's content to the person's webhook. */
export function createWebhookMailer({ send }: WebhookMailerDeps): Mailer {
  return {
    send(mail) {
      const id = Number(mail.to.address.slice(mark.length));
      if (!mail.to.address.startsWith(mark) || !isId(id)) {
        throw new TypeError(`no webhook of a person: ${JSON.stringify(mail.to.address)}`);
      }
      return send(personId(id), messageOf(mail, personId(id)));
    },
    verify: () => Promise.resolve(null),
    close: () => undefined,
  };
}

/** The content of a mail without its footer, which is about mails. */
function messageOf(mail: Mail, person: PersonId): WebhookMessage {
  const text = mail.text.split("\n-- \n", 1).join("").trim();
  const event = eventOf(mail.about);
  const url = /^Open[^:\n]*: (https?:\/\/\S+)$/m.exec(text)?.[1] ?? null;
  const id = mail.messageId.replace(/^<(.*)>$/, "$1");
  return {
    id,
    title: mail.subject,
    text,
    priority: event === "notice" ? 4 : 3,
    tags: [event === "notice" ? "warning" : "calendar"],
    click: url,
    data: {
      version: 1,
      id,
      event,
      person: { id: person, name: mail.to.name },
      title: mail.subject,
      text,
      url,
    },
  };
}

function eventOf(about: Mail["about"]): "digest" | "notice" | "reminder" {
  if (about === "digest") return "digest";
  return about === "notices" ? "notice" : "reminder";
}

/** The test message for a person's webhook. */
export function testMessage(about: {
  readonly person: { readonly id: PersonId; readonly name: string };
  readonly id: string;
}): WebhookMessage {
  const { person, id } = about;
  const title = say("webhook.testTitle");
  const text = say("webhook.testText");
  return {
    id,
    title,
    text,
    priority: 3,
    tags: ["information_source"],
    click: null,
    data: { version: 1, id, event: "test", person, title, text, url: null },
  };
}
