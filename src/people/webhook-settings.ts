import type { PersonId } from "../domain/ids.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Seal } from "../domain/sealed-text.ts";
import {
  type AddressGuard,
  anyAddress,
  literalAddress,
  publicOnly,
} from "../remote/address-guard.ts";
import type { Posted } from "../remote/guarded-post.ts";
import type { Webhook, WebhookMessage } from "../remote/webhook.ts";
import type { PersonWebhook, WebhookFate } from "../store/mails/person-webhooks.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import { stored } from "../texts/stored.ts";

/** A person's webhook from the configuration. */
export type ListedWebhook = Webhook & { readonly withMail: boolean };

/** A webhook as entered on a page. */
export interface WishedWebhook {
  readonly url: string;
  readonly format: Webhook["format"];
  /** "" for none. */
  readonly token: string;
  readonly withMail: boolean;
}

/** A webhook without its secrets, for display. */
export interface WebhookDescription {
  /** null if none is set. */
  readonly current: {
    readonly host: string;
    readonly format: Webhook["format"];
    readonly withMail: boolean;
    readonly hasToken: boolean;
    readonly by: "person" | "configuration";
  } | null;
  /** Result of the last message; null if none was sent. */
  readonly fate: WebhookFate | null;
}

/** Where people have their messages sent by HTTP. A person's own choice takes precedence over the configuration. */
export type WebhookSettings = ReturnType<typeof createWebhookSettings>;

interface WebhookSettingsDeps {
  readonly store: Pick<Store, "personWebhooks">;
  readonly seal: () => Seal;
  readonly listed: (person: PersonId) => ListedWebhook | null;
  readonly hasListed: boolean;
  /** Aborts what is in progress. */
  readonly signal: AbortSignal;
  readonly clock: () => Temporal.Instant;
}

const timeout = Temporal.Duration.from({ seconds: 10 });
const longest = 2000;

/**
 * URLs and tokens that people enter are stored encrypted, because anyone who has them can use the webhook. Such URLs must not
 * point into a private network, because people are not the operators of this machine; URLs from the configuration may.
 */
export function createWebhookSettings(deps: WebhookSettingsDeps) {
  const { store, listed, clock } = deps;

  function own(
    person: PersonId,
  ): { readonly kept: PersonWebhook; readonly webhook: Webhook } | null {
    const kept = store.personWebhooks.get(person);
    const url = kept && deps.seal().open(kept.address);
    // If the encryption key was lost, no webhook is set.
    if (!kept || url === null) return null;
    const token = kept.token === null ? null : deps.seal().open(kept.token);
    return { kept, webhook: { url, format: kept.format, token, secret: null } };
  }

  function current(person: PersonId): WebhookDescription["current"] {
    const mine = own(person);
    const other = mine ? null : listed(person);
    const webhook = mine?.webhook ?? other;
    if (!webhook) return null;
    return {
      host: URL.parse(webhook.url)?.host ?? "an unknown host",
      format: webhook.format,
      withMail: mine?.kept.withMail ?? other?.withMail ?? true,
      hasToken: webhook.token !== null,
      by: mine ? "person" : "configuration",
    };
  }

  return {
    /** True if nobody has a webhook. */
    isEmpty: (): boolean => !deps.hasListed && store.personWebhooks.list().length === 0,
    has: (person: PersonId): boolean => current(person) !== null,
    /** True if mails are sent as well, and always true without a webhook. */
    withMail: (person: PersonId): boolean => current(person)?.withMail ?? true,
    /** Reminders due before this are not sent this way; null for no limit. */
    since: (person: PersonId): Temporal.Instant | null => own(person)?.kept.setAt ?? null,
    describe: (person: PersonId): WebhookDescription => ({
      current: current(person),
      fate: store.personWebhooks.fate(person),
    }),
    /** Errors are sentences for people. */
    set(
      person: PersonId,
      { url: text, format, token, withMail }: WishedWebhook,
    ): Result<null, string> {
      const url = readAddress(text, publicOnly);
      if (!url.ok) return url;
      if (!/^[\x21-\x7e]{0,2000}$/.test(token)) {
        return fail(say("webhookFault.token"));
      }
      const seal = deps.seal();
      store.personWebhooks.put({
        person,
        format,
        address: seal.close(url.value),
        token: token === "" ? null : seal.close(token),
        withMail,
      });
      return ok(null);
    },
    remove: (person: PersonId): boolean => store.personWebhooks.remove(person),
    async send(person: PersonId, message: WebhookMessage): Promise<Posted> {
      const mine = own(person);
      const webhook = mine?.webhook ?? listed(person);
      if (!webhook)
        return { kind: "rejected", code: null, message: stored("problem.post.noAddress") };
      const { postMessage } = await import("../remote/webhook.ts");
      const allows = mine ? publicOnly : anyAddress;
      return postMessage({ webhook, message }, { allows, timeout, signal: deps.signal, clock });
    },
  };
}

/** A webhook's URL as somebody entered it, without its fragment; fails with a sentence. */
export function readAddress(text: string, allows: AddressGuard): Result<string, string> {
  const url = text.length <= longest ? URL.parse(text.trim()) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return fail(say("webhookFault.https"));
  }
  const literal = literalAddress(url);
  const isLocal = /(?:^|\.)localhost\.?$/i.test(url.hostname);
  if ((literal !== null && !allows(literal)) || (isLocal && allows === publicOnly)) {
    return fail(say("webhookFault.private"));
  }
  url.hash = "";
  return ok(url.href);
}
