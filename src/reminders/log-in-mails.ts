import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import type { LogInSigner } from "../domain/signed-links.ts";
import { momentInWords, plainLine } from "../domain/wording.ts";
import type { Mail } from "../mail/mail.ts";
import type { LogInLink, LogInMailKey } from "../store/mails/log-in-links.ts";
import { say } from "../texts/say.ts";
import { renderMail } from "./mail-content.ts";
import { byMail, inLanguageOf, type MailDeps, noAutoReplies, zoneFor } from "./recipients.ts";
import { type MailEnding, type MailTopic, newMessageId, sendOnce } from "./send-once.ts";

/** Result of a mail with a login link. */
export type LogInMailEvent = { readonly person: PersonId; readonly messageId: string } & MailEnding;

interface LogInMailsDeps
  extends Pick<MailDeps, "store" | "mailer" | "from" | "zone" | "clock" | "random"> {
  readonly signer: LogInSigner;
  /** Public URL of this server, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly onEvent: (event: LogInMailEvent) => void;
}

interface LinkMail extends MailTopic<LogInMailKey> {
  readonly link: LogInLink;
  readonly person: Person;
}

/**
 * Mails each requested login link once. Login mails do not wait for other mails, because somebody is waiting for them; requests
 * are limited beforehand. A retried mail has the same link. It is composed when it is sent, so the link itself is not stored.
 */
export function createLogInMails(deps: LogInMailsDeps) {
  const { store, onEvent } = deps;
  const { installation } = store.meta;
  return {
    /** Sends what is due; "idle" if nothing was. Starts no further mail after an abort. Not reentrant. */
    step: async (signal: AbortSignal): Promise<"idle" | "worked"> => {
      let outcome: "idle" | "worked" = "idle";
      for (const link of store.logInLinks.open()) {
        if (signal.aborted) break;
        const person = store.directory.activePerson(link.person);
        if (!person || byMail.addressOf(person) === "") continue;
        const messageId = newMessageId(["log-in", link.id], installation);
        const thing: LinkMail = {
          key: { link: link.id, person: link.person },
          lapsesAt: link.until,
          link,
          person,
        };
        const endings = await sendOnce(
          {
            things: [thing],
            messageId,
            address: byMail.addressOf(person),
            compose: () => inLanguageOf(person, deps, () => compose(thing, messageId, deps)),
          },
          { ...deps, queue: store.logInLinks.mails },
        );
        for (const { ending } of endings) {
          outcome = "worked";
          onEvent({ person: person.id, messageId, ...ending });
        }
      }
      return outcome;
    },
  };
}

function compose({ link, person }: LinkMail, messageId: string, deps: LogInMailsDeps): Mail {
  const { signer, baseUrl, from, zone, clock } = deps;
  const until = momentInWords(link.until, zoneFor(person, zone));
  const fact = say("logInMail.fact", { name: plainLine(person.name), until });
  return {
    from,
    to: { name: person.name, address: byMail.addressOf(person) },
    messageId,
    date: clock(),
    headers: noAutoReplies,
    calendar: null,
    ...renderMail({
      subject: say("logInMail.subject"),
      preview: fact,
      heading: say("logInMail.heading"),
      fact,
      parts: [
        {
          kind: "lines",
          lines: [say("logInMail.keep")],
        },
        {
          kind: "links",
          links: [{ label: say("login.logIn"), url: `${baseUrl()}/login/${signer.sign(link.id)}` }],
        },
      ],
      reason: say("logInMail.why"),
      unsubscribe: null,
    }),
  };
}
