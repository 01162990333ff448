import type { Person } from "../domain/item.ts";
import { hookWords } from "../edits/actions/describe.ts";
import type { Mailer } from "../mail/mail.ts";
import { createWebhookSettings, type WebhookSettings } from "../people/webhook-settings.ts";
import { createEventHooks } from "../reminders/event-hooks.ts";
import { createInvitations } from "../reminders/invitations.ts";
import { createLogInMails } from "../reminders/log-in-mails.ts";
import { createParkingNotices } from "../reminders/notices.ts";
import { createOperatorNotifier, type OperatorWay } from "../reminders/operator/notify-operator.ts";
import { byMail, type MailDeps } from "../reminders/recipients.ts";
import { createReminders, type RemindersDeps } from "../reminders/reminders.ts";
import type { MailEnding } from "../reminders/send-once.ts";
import { createWebhookMailer, reachByWebhook } from "../reminders/webhook-mailer.ts";
import {
  followMailer,
  type MailLinks,
  mailSettings,
  openMailLinks,
  openOperatorWays,
} from "./mailer.ts";
import type { LoopJob } from "./module.ts";
import type { Modules } from "./open-modules.ts";

/** Everything sent to people and the operator: reminders, notices, log-in mails and trouble messages. */
export type MailsModule = ReturnType<typeof openMails>;

interface MailsOptions {
  readonly version: string;
  /** Public URL of the pages. */
  readonly baseUrl: () => string;
  readonly signal: AbortSignal;
}

const messageRest = Temporal.Duration.from({ seconds: 10 });

export function openMails(modules: Modules, options: MailsOptions) {
  const { config, keys, secrets, store, clock, wakes } = modules;
  const mailLinks = openMailLinks(config, keys);
  const webhooks = createWebhookSettings({
    store,
    seal: mailLinks.seal,
    listed: (person) => secrets.current().people.find(({ id }) => id === person)?.webhook ?? null,
    hasListed: config.people.some(({ webhook }) => webhook !== null),
    signal: options.signal,
    clock,
  });
  const mailer = followMailer(() => secrets.current().mail);
  const shared = sharedDeps(modules, { mailLinks, webhooks, mailer });
  const { publicUrl } = config.http;
  const reminders = createReminders({
    ...shared.mails,
    ...shared.reminders,
    onEvent: logMail(modules, { what: "mail", sort: "reminder" }),
  });
  const notices = createParkingNotices({
    ...shared.mails,
    publicUrl,
    onEvent: logMail(modules, { what: "notice", sort: "notice" }),
  });
  const logInMails = createLogInMails({
    ...shared.mails,
    signer: mailLinks.logInSigner,
    baseUrl: options.baseUrl,
    onEvent: logMail(modules, { what: "log-in mail", sort: "log-in" }),
  });
  const invitations = createInvitations({
    ...shared.mails,
    webUrl: config.service.webUrl,
    swept: shared.reminders.swept,
    onEvent: logMail(modules, { what: "invitation", sort: "invitation" }),
  });
  const operator = openOperatorMessages(modules, options.version, mailer);
  return {
    mailLinks,
    webhooks,
    reminders,
    /** The channels by which the operator is notified. */
    operatorWays: operator.ways,
    closeMails: (): void => mailer.close(),
    jobs: (): readonly LoopJob[] => [
      { name: "reminders", step: reminders.step, wake: wakes.reminders },
      { name: "notices", step: notices.step, wake: wakes.notices },
      { name: "invitations", step: invitations.step, wake: wakes.invitations },
      { name: "log-in mails", step: logInMails.step, wake: wakes.logInMails },
      { name: "messages to people", step: webhookStep(modules, webhooks, shared) },
      { name: "event webhooks", step: hookStep(modules), idle: hookRest },
      operator.job,
    ],
  };
}

/** Sends changes of the workspace to webhooks. */
function hookStep(modules: Modules): LoopJob["step"] {
  const { config, eventWebhooks, store, clock, random, tallies, log } = modules;
  let ended = new AbortController().signal;
  const hooks = createEventHooks({
    ...{ store, clock, random },
    hooks: eventWebhooks.hooks,
    post: ({ key }, message) => eventWebhooks.post(key, message, ended),
    words: hookWords(store),
    publicUrl: config.http.publicUrl,
    onEvent({ kind, ...fields }) {
      tallies.messages.add({ to: "webhooks", ending: kind });
      log.info(`webhook ${kind}`, fields);
    },
    onSkipped: ({ key }) => log.warn("webhook changes skipped", { hook: key }),
  });
  return (signal) => {
    ended = signal;
    return hooks.step(signal);
  };
}

const hookRest = Temporal.Duration.from({ seconds: 1 });

/** Used for mails and for people's webhooks. */
interface SharedDeps {
  readonly mails: Omit<MailDeps, "onEvent">;
  readonly reminders: Omit<RemindersDeps, keyof MailDeps | "onEvent">;
}

function sharedDeps(
  modules: Modules,
  {
    mailLinks,
    webhooks,
    mailer,
  }: {
    readonly mailLinks: MailLinks;
    readonly webhooks: WebhookSettings;
    readonly mailer: Mailer;
  },
) {
  const { config, store, clock, random, links, eventLoop, sync } = modules;
  const { publicUrl } = config.http;
  return {
    mails: {
      ...mailSettings(config, mailLinks),
      store,
      mailer,
      clock,
      random,
      reach: {
        ...byMail,
        addressOf: (person: Person) =>
          webhooks.withMail(person.id) ? byMail.addressOf(person) : "",
      },
    },
    reminders: {
      options: config.reminders,
      eventLoop,
      webUrl: config.service.webUrl,
      actions:
        links && publicUrl !== null
          ? (shown, person) => links.ofMail(shown, { person, address: publicUrl })
          : null,
      swept: () => sync.caughtUp && sync.settled,
      rereadAll: () => sync.rereadAll(),
    } satisfies SharedDeps["reminders"],
  };
}

const logMail =
  ({ tallies, log }: Modules, { what, sort }: { readonly what: string; readonly sort: string }) =>
  ({ kind, ...fields }: MailEnding): void => {
    tallies.mails.add({ sort, ending: kind });
    log.info(`${what} ${kind}`, fields);
  };

/** Sends the same messages to people's webhooks, each once per channel; created when somebody has a webhook. */
function webhookStep(
  modules: Modules,
  webhooks: WebhookSettings,
  shared: ReturnType<typeof sharedDeps>,
): LoopJob["step"] {
  const { config, store, tallies, log } = modules;
  const open = () => {
    const posted =
      (what: string) =>
      ({ kind, ...fields }: MailEnding): void => {
        tallies.messages.add({ to: "people", ending: kind });
        log.info(`${what} ${kind}`, fields);
      };
    const { ledger, notices } = store.byWebhook();
    const deps = {
      ...shared.mails,
      store: { ...store, ledger: { ...store.ledger, ...ledger }, notices },
      mailer: createWebhookMailer({ send: (person, message) => webhooks.send(person, message) }),
      reach: reachByWebhook(webhooks),
      choiceUrl: null,
    };
    return [
      createReminders({ ...deps, ...shared.reminders, onEvent: posted("webhook") }),
      createParkingNotices({
        ...deps,
        publicUrl: config.http.publicUrl,
        onEvent: posted("webhook notice"),
      }),
    ];
  };
  let senders: ReturnType<typeof open> | null = null;
  return async (signal) => {
    if (webhooks.isEmpty()) return "idle";
    senders ??= open();
    let outcome: "idle" | "worked" = "idle";
    for (const { step } of senders) if ((await step(signal)) === "worked") outcome = "worked";
    return outcome;
  };
}

/** Sends troubles to the operator by every configured channel. */
function openOperatorMessages(
  { config, secrets, store, troubleWatch, tallies, clock, random, log }: Modules,
  version: string,
  mailer: Mailer,
): { readonly ways: readonly OperatorWay[]; readonly job: LoopJob } {
  const { installation } = store.meta;
  const { current } = secrets;
  const ways = openOperatorWays(config, { current, mailer, installation, version, clock });
  const { step } = createOperatorNotifier({
    store,
    ways,
    again: config.operator.again,
    held: troubleWatch.held,
    clock,
    random,
    onEvent({ kind, ...fields }) {
      tallies.messages.add({ to: "operator", ending: kind });
      log.info(`operator message ${kind}`, fields);
    },
  });
  return { ways, job: { name: "operator messages", step, idle: messageRest } };
}
