import type { Config, MailConfig } from "./config/config.ts";
import type { PersonId } from "./domain/ids.ts";
import { everyMailKind, type MailWishes } from "./domain/mail-kind.ts";
import { createSeal, type Seal } from "./domain/sealed-text.ts";
import {
  type ChoiceSigner,
  createChoiceSigner,
  createLogInSigner,
  type LogInSigner,
} from "./domain/signed-links.ts";
import { createDirectoryMailer } from "./mail/directory-mailer.ts";
import type { Mailer } from "./mail/mail.ts";
import { createSmtpMailer } from "./mail/smtp.ts";
import { operatorWays } from "./reminders/operator/operator-ways.ts";
import { type OperatorWay, testWays, type WayTest } from "./reminders/operator/tell-operator.ts";
import type { MailDeps } from "./reminders/recipients.ts";
import { randomBytes, randomId } from "./runtime.ts";
import { secretFile } from "./store/secret-files.ts";

/** How long a mail server may stay silent. */
const smtpTimeout = Temporal.Duration.from({ seconds: 30 });

/** The transport that the configuration names: a mail server, or a folder of `.eml` files. */
export function chooseMailer({ smtpUrl, smtpPassword, directory }: MailConfig): Mailer {
  return smtpUrl === null
    ? createDirectoryMailer({ directory })
    : createSmtpMailer({ url: smtpUrl, password: smtpPassword, timeout: smtpTimeout });
}

/** The same with the password as it is in force: with another one it logs in anew, and what is under way is finished first. */
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
    send: (letter) => latest().send(letter),
    verify: () => latest().verify(),
    close: () => mailer.close(),
  };
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

/** How readers turn mails off and log in: the signatures of their links, and which mails the configuration grants them at all. */
export interface MailLinks {
  readonly signer: ChoiceSigner;
  readonly logInSigner: LogInSigner;
  readonly wishes: (person: PersonId) => MailWishes;
  /** Closes what people set of where their messages go. */
  readonly seal: () => Seal;
}

export function openMailLinks({ dataDir, people }: Config): MailLinks {
  const key = secretFile({ dataDir, name: "mail-key" }, () =>
    randomBytes(32).toString("base64url"),
  );
  const listed = new Map(people.map(({ id, mail }) => [id, mail]));
  return {
    signer: createChoiceSigner(Buffer.from(key, "base64url")),
    logInSigner: createLogInSigner(Buffer.from(key, "base64url")),
    wishes: (person) => listed.get(person) ?? everyMailKind,
    seal: () => createSeal(Buffer.from(key, "base64url"), "webhooks of people"),
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

/** Every way to the operator that the configuration names. */
export function openOperatorWays(
  config: Config,
  about: {
    /** The configuration as it is in force when a message goes; `config` unless given. */
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

/** Sends a test by each way to the operator, without a daemon. */
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
    return await testWays(ways, { id: randomId(), signal: about.signal });
  } finally {
    mailer.close();
  }
}
