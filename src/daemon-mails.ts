import type { DaemonContext, Modules } from "./build-daemon.ts";
import type { Config } from "./config/config.ts";
import type { Person } from "./domain/item.ts";
import type { Log } from "./log.ts";
import type { Mailer } from "./mail/mail.ts";
import { followMailer, type MailLinks, mailSettings, openOperatorWays } from "./mailer.ts";
import type { WebhookSettings } from "./people/webhook-settings.ts";
import { createLogInMails } from "./reminders/log-in-mails.ts";
import { createParkingNotices } from "./reminders/notices.ts";
import { createOperatorNotifier } from "./reminders/operator/notify-operator.ts";
import { byMail, type MailDeps } from "./reminders/recipients.ts";
import { createReminders, type RemindersDeps } from "./reminders/reminders.ts";
import type { MailEnding } from "./reminders/send-once.ts";
import { createWebhookMailer, reachByWebhook } from "./reminders/webhook-mailer.ts";

interface MailsOptions extends Pick<DaemonContext, "clock" | "random"> {
  readonly config: Config;
  readonly modules: Modules;
  readonly log: Log;
}

/** Everything sent to people and the operator: reminders, notices, login mails and trouble messages. */
export type Mails = ReturnType<typeof openMails>;
export type OperatorMessaging = ReturnType<typeof openOperatorMessages>;

/** The mail senders, and the transport they share. */
export function openMails({
  config,
  modules,
  log,
  clock,
  random,
  mailLinks,
  webhooks,
  baseUrl,
}: MailsOptions & {
  readonly mailLinks: MailLinks;
  readonly webhooks: WebhookSettings;
  readonly baseUrl: () => string;
}) {
  const { sync, store, links } = modules;
  const mailer = followMailer(() => modules.secrets.current().mail);
  const { publicUrl } = config.http;
  const logged =
    (what: string, sort: string) =>
    ({ kind, ...fields }: MailEnding): void => {
      modules.tallies.mails.add({ sort, ending: kind });
      log.info(`${what} ${kind}`, fields);
    };
  const mailDeps = {
    ...mailSettings(config, mailLinks),
    store,
    mailer,
    clock,
    random,
    reach: {
      ...byMail,
      addressOf: (person: Person) => (webhooks.withMail(person.id) ? byMail.addressOf(person) : ""),
    },
  };
  const reminderDeps: Omit<RemindersDeps, keyof MailDeps | "onEvent"> = {
    options: config.reminders,
    eventLoop: modules.eventLoop,
    webUrl: config.service.webUrl,
    actions:
      links && publicUrl !== null
        ? (shown, person) => links.ofMail(shown, { person, address: publicUrl })
        : null,
    swept: () => sync.caughtUp && sync.settled,
    rereadAll: () => sync.rereadAll(),
  };
  const reminders = createReminders({
    ...mailDeps,
    ...reminderDeps,
    onEvent: logged("mail", "reminder"),
  });
  const notices = createParkingNotices({
    ...mailDeps,
    publicUrl,
    onEvent: logged("notice", "notice"),
  });
  const logInMails = createLogInMails({
    ...mailDeps,
    signer: mailLinks.logInSigner,
    baseUrl: baseUrl,
    onEvent: logged("log-in mail", "log-in"),
  });
  /** The same messages to people's webhooks, each sent once by each channel; created when anybody has one. */
  const openWebhooks = () => {
    const posted =
      (what: string) =>
      ({ kind, ...fields }: MailEnding): void => {
        modules.tallies.messages.add({ to: "people", ending: kind });
        log.info(`${what} ${kind}`, fields);
      };
    const { ledger, notices } = store.byWebhook();
    const deps = {
      ...mailDeps,
      store: { ...store, ledger: { ...store.ledger, ...ledger }, notices: notices },
      mailer: createWebhookMailer({ send: (person, message) => webhooks.send(person, message) }),
      reach: reachByWebhook(webhooks),
      choiceUrl: null,
    };
    return {
      reminders: createReminders({
        ...deps,
        ...reminderDeps,
        onEvent: posted("webhook"),
      }),
      notices: createParkingNotices({
        ...deps,
        publicUrl,
        onEvent: posted("webhook notice"),
      }),
    };
  };
  let byWebhook: ReturnType<typeof openWebhooks> | null = null;
  const webhookStep = async (signal: AbortSignal): Promise<"idle" | "worked"> => {
    if (webhooks.isEmpty()) return "idle";
    byWebhook ??= openWebhooks();
    const logged = [await byWebhook.reminders.step(signal), await byWebhook.notices.step(signal)];
    return logged.includes("worked") ? "worked" : "idle";
  };
  return { mailer, reminders, notices, logInMails, webhookStep };
}

/** Sends troubles to the operator by every configured channel. */
export function openOperatorMessages({
  config,
  modules,
  version,
  log,
  clock,
  random,
  mailer,
}: MailsOptions & { readonly version: string; readonly mailer: Mailer }) {
  const { store, troubleWatch } = modules;
  const { installation } = store.meta;
  const { current } = modules.secrets;
  const ways = openOperatorWays(config, { current, mailer, installation, version, clock });
  const messages = createOperatorNotifier({
    store,
    ways,
    again: config.operator.again,
    held: troubleWatch.held,
    clock,
    random,
    onEvent({ kind, ...fields }) {
      modules.tallies.messages.add({ to: "operator", ending: kind });
      log.info(`operator message ${kind}`, fields);
    },
  });
  return { ways, messages };
}
