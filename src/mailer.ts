import type { MailConfig } from "./config/config.ts";
import { createDirectoryMailer } from "./mail/directory.ts";
import type { Mailer } from "./mail/mail.ts";
import { createSmtpMailer } from "./mail/smtp.ts";

const silence = Temporal.Duration.from({ seconds: 30 });

/** The way out that the configuration names: a mail server, or a folder of `.eml` files. */
export function chooseMailer({ smtpUrl, smtpPassword, directory }: MailConfig): Mailer {
  return smtpUrl === null
    ? createDirectoryMailer({ directory })
    : createSmtpMailer({ url: smtpUrl, password: smtpPassword, timeout: silence });
}
