import type { Config, MailConfig } from "../config/config.ts";
import type { PersonId } from "../domain/ids.ts";
import { everyMailKind, type MailWishes } from "../domain/mail-kind.ts";
import type { ReminderTimes } from "../domain/reminder-times.ts";
import { createSeal, type Seal } from "../domain/sealed-text.ts";
import { createChoiceSigner, createLogInSigner } from "../domain/signed-links.ts";
import { createDirectoryMailer } from "../mail/directory-mailer.ts";
import type { Mailer } from "../mail/mail.ts";
import { createSmtpMailer } from "../mail/smtp.ts";
import { type OperatorWay, testWays, type WayTest } from "../reminders/operator/notify-operator.ts";
import { operatorWays } from "../reminders/operator/operator-ways.ts";
import type { MailDeps } from "../reminders/recipients.ts";
import { randomId } from "../runtime.ts";
import type { DataKeys } from "./data-keys.ts";

/** Timeout for a silent mail server. */
const smtpTimeout = Temporal.Duration.from({ seconds: 30 });

/** The configured transport: a mail server, or a folder of `.eml` files. */
export function chooseMailer({ smtpUrl, smtpPassword, directory }: MailConfig): Mailer {
  return smtpUrl === null
    ? createDirectoryMailer(directory)
    : createSmtpMailer({ url: smtpUrl, password: smtpPassword, timeout: smtpTimeout });
}

/** The configured transport, which follows a changed password: it logs in again after the mails in progress. */
export function followMailer(mail: () => MailConfig): Mailer {
  let password = mail().smtpPassword;
  let mailer = chooseMailer(mail());
  const latest = () => {
    const current = mail();
    if (current.smtpPassword === password) return mailer;
    mailer.close();
    password = current.smtpPassword;
    mailer = chooseMailer(current);
    return mailer;
  };
  return {
    send: (message) => latest().send(message),
    verify: () => latest().verify(),
    close: () => mailer.close(),
  };
}

/** Connects to the mail server or tries the folder: null if mails can be sent, else a sentence that says what is wrong. */
export async function checkMail({ mail }: Config): Promise<string | null> {
  const mailer = chooseMailer(mail);
  try {
    return await mailer.verify();
  } finally {
    mailer.close();
  }
}

/** Signed links to turn mails off and to log in, and which mails the configuration allows. */
export type MailLinks = ReturnType<typeof openMailLinks>;

/** `mailKey`: see `DataKeys`. */
export function openMailLinks(
  { people, reminders }: Config,
  { mailKey }: Pick<DataKeys, "mailKey">,
) {
  const listed = new Map(people.map(({ id, mail }) => [id, mail]));
  return {
    signer: createChoiceSigner(mailKey),
    logInSigner: createLogInSigner(mailKey),
    wishes: (person: PersonId): MailWishes => listed.get(person) ?? everyMailKind,
    /** When people who have chosen no times are reminded. */
    times: { ...reminders, digestAt: reminders.digest?.at ?? null } satisfies ReminderTimes,
    /** Encrypts people's webhook settings. */
    seal: (): Seal => createSeal(mailKey, "webhooks of people"),
  };
}

/** Settings shared by all mails: sender, time zone, rate and unsubscribing. */
export function mailSettings(
  { language, mail, service, http }: Config,
  { signer, wishes }: MailLinks,
): Pick<MailDeps, "from" | "zone" | "language" | "perMinute" | "wishes" | "choiceUrl"> {
  const { publicUrl } = http;
  return {
    from: mail.from,
    zone: service.timeZone,
    language,
    perMinute: mail.perMinute,
    wishes,
    choiceUrl:
      publicUrl === null ? null : (claim) => `${publicUrl}/unsubscribe/${signer.sign(claim)}`,
  };
}

/** Every configured channel to the operator. */
export function openOperatorWays(
  config: Config,
  about: {
    /** The configuration at the time a message is sent. Default: `config`. */
    readonly current?: () => Config;
    readonly mailer: Mailer;
    readonly installation: string;
    readonly version: string;
    readonly clock: () => Temporal.Instant;
  },
): readonly OperatorWay[] {
  const { http, mail, operator, service } = config;
  const { mailer, clock, installation, version, current = () => config } = about;
  return operatorWays({
    ...operator,
    webhooks: () => current().operator.webhooks,
    mailer,
    from: mail.from,
    language: config.language,
    clock,
    context: () => ({
      account: new URL(service.baseUrl).host,
      installation,
      version,
      zone: service.timeZone,
      statusUrl: http.publicUrl === null ? null : `${http.publicUrl}/status`,
    }),
  });
}

/** Sends a test by each channel to the operator, without a daemon. */
export async function testMessages(
  config: Config,
  about: {
    readonly version: string;
    readonly clock: () => Temporal.Instant;
    readonly signal: AbortSignal;
  },
): Promise<readonly WayTest[]> {
  const mailer = chooseMailer(config.mail);
  try {
    const ways = openOperatorWays(config, { ...about, mailer, installation: "test.dayferry" });
    return await testWays(ways, randomId(), about.signal);
  } finally {
    mailer.close();
  }
}
