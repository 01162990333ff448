import { randomBytes } from "node:crypto";
import type { Config, MailConfig } from "./config/config.ts";
import type { PersonId } from "./domain/ids.ts";
import { everyMailKind, type MailWishes } from "./domain/mail-kind.ts";
import { type ChoiceSigner, createChoiceSigner } from "./domain/signed-links.ts";
import { createDirectoryMailer } from "./mail/directory-mailer.ts";
import type { Mailer } from "./mail/mail.ts";
import { createSmtpMailer } from "./mail/smtp.ts";
import type { MailDeps } from "./reminders/recipients.ts";
import { secretFile } from "./store/secret-files.ts";

/** How long a mail server may stay silent. */
const smtpTimeout = Temporal.Duration.from({ seconds: 30 });

/** The transport that the configuration names: a mail server, or a folder of `.eml` files. */
export function chooseMailer({ smtpUrl, smtpPassword, directory }: MailConfig): Mailer {
  return smtpUrl === null
    ? createDirectoryMailer({ directory })
    : createSmtpMailer({ url: smtpUrl, password: smtpPassword, timeout: smtpTimeout });
}

/** Connects to the mail server, or tries the folder: null when mails can go out, else a sentence that says what is wrong. */
export async function checkMail({ mail }: Config): Promise<string | null> {
  const mailer = chooseMailer(mail);
  try {
    return await mailer.verify();
  } finally {
    mailer.close();
  }
}

/** How readers turn mails off: the signature of their links, and what the configuration grants them at all. */
export interface MailLinks {
  readonly signer: ChoiceSigner;
  readonly wishes: (person: PersonId) => MailWishes;
}

export function openMailLinks({ dataDir, people }: Config): MailLinks {
  const key = secretFile({ dataDir, name: "mail-key" }, () =>
    randomBytes(32).toString("base64url"),
  );
  const listed = new Map(people.map(({ id, mail }) => [id, mail]));
  return {
    signer: createChoiceSigner(Buffer.from(key, "base64url")),
    wishes: (person) => listed.get(person) ?? everyMailKind,
  };
}

/** The part of the configuration that holds for mails of every kind: sender, zone, rate, and how each is unsubscribed. */
export function mailSettings(
  { mail, service, http }: Config,
  { signer, wishes }: MailLinks,
): Pick<MailDeps, "from" | "zone" | "perMinute" | "wishes" | "choiceUrl"> {
  const { publicUrl } = http;
  return {
    from: mail.from,
    zone: service.timeZone,
    perMinute: mail.perMinute,
    wishes,
    choiceUrl:
      publicUrl === null ? null : (claim) => `${publicUrl}/unsubscribe/${signer.sign(claim)}`,
  };
}
