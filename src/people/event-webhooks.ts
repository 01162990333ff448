import type { EventHookConfig } from "../config/config.ts";
import type { HookEvent, HookScope } from "../domain/hook-event.ts";
import type { PersonId, ProjectId } from "../domain/ids.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Seal } from "../domain/sealed-text.ts";
import { type AddressGuard, anyAddress, publicOnly } from "../remote/address-guard.ts";
import type { Posted } from "../remote/guarded-post.ts";
import type { Webhook, WebhookMessage } from "../remote/webhook.ts";
import type { CreatedHook } from "../store/mails/event-hook-table.ts";
import type { HookDelivery } from "../store/mails/hook-cursors.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import { readAddress } from "./webhook-settings.ts";

/** A webhook to be created. */
export interface WishedHook {
  /** "" for the host of the URL. */
  readonly name: string;
  readonly url: string;
  readonly events: readonly HookEvent[];
  readonly project: ProjectId | null;
  readonly person: PersonId | null;
  /** Signs the messages; null for a new one. */
  readonly secret: string | null;
}

/** A webhook without its secrets, for display. */
export interface HookDescription extends HookScope {
  /** Its id; for a webhook from the configuration, its name. */
  readonly id: number | string;
  readonly name: string;
  readonly host: string;
  /** The person who owns the webhook; null for the admin. */
  readonly owner: PersonId | null;
  readonly by: "person" | "admin" | "configuration";
  /** Null if it is in the configuration. */
  readonly createdAt: Temporal.Instant | null;
  /** The last message; null before the first. */
  readonly last: HookDelivery | null;
  /** When changes were last skipped, because they were no longer recorded; null if none were. */
  readonly skippedAt: Temporal.Instant | null;
}

interface EventWebhooksDeps {
  readonly store: Pick<Store, "eventHooks" | "hookCursors" | "directory" | "changes">;
  readonly seal: () => Seal;
  /** The webhooks in the configuration. */
  readonly listed: () => readonly EventHookConfig[];
  readonly randomBytes: (size: number) => Uint8Array;
  readonly clock: () => Temporal.Instant;
}

/** A webhook with everything that is needed to send messages. */
interface KnownHook extends HookScope {
  readonly key: string;
  readonly id: number | string;
  readonly name: string;
  readonly webhook: Webhook;
  readonly created: CreatedHook | null;
}

const timeout = Temporal.Duration.from({ seconds: 10 });
/** Limit per owner, because more webhooks would only receive the same messages. */
const mostOfOwner = 20;
const longestName = 80;

/** Webhooks for events of the workspace: those in the configuration, and those that people and the admin create. */
export type EventWebhooks = ReturnType<typeof createEventWebhooks>;

/**
 * URLs and secrets are stored encrypted, because anyone who has them can use the webhook. Webhooks of the configuration and of
 * the admin may point into a private network. Those of a person may not, and receive only what concerns that person.
 */
export function createEventWebhooks(deps: EventWebhooksDeps) {
  const { store, seal, listed, randomBytes, clock } = deps;
  const { eventHooks, hookCursors, directory, changes } = store;

  function known(): readonly KnownHook[] {
    const configured = listed().map(({ name, events, project, person, ...webhook }) => ({
      ...{ key: name, id: name, name, events, project, person, webhook },
      created: null,
    }));
    return [...eventHooks.list().flatMap(opened), ...configured];
  }

  /** The webhook with its secrets; none if the owner has left, or if the encryption key was lost. */
  function opened(created: CreatedHook): readonly KnownHook[] {
    const { id, owner, name, events, project, person } = created;
    const [url, secret] = [seal().open(created.address), seal().open(created.secret)];
    const isActive = owner === null || directory.activePerson(owner) !== null;
    if (!isActive || url === null || secret === null) return [];
    const webhook: Webhook = { url, format: "json", token: null, secret };
    return [{ key: keyOf(id), id, name, events, project, person, webhook, created }];
  }

  const isOf = (hook: KnownHook, owner: PersonId | null): boolean =>
    owner === null || hook.created?.owner === owner;

  /** A webhook that the owner may manage; null if there is none. */
  const find = (id: string, owner: PersonId | null): KnownHook | null =>
    known().find((one) => String(one.id) === id && isOf(one, owner)) ?? null;

  function describe({ key, id, name, webhook, created, ...scope }: KnownHook): HookDescription {
    const { events, project, person } = scope;
    return {
      ...{ id, name, events, project, person },
      host: URL.parse(webhook.url)?.host ?? "",
      owner: created?.owner ?? null,
      by: created === null ? "configuration" : created.owner === null ? "admin" : "person",
      createdAt: created?.createdAt ?? null,
      last: hookCursors.deliveries(key, 1)[0] ?? null,
      skippedAt: hookCursors.find(key)?.skippedAt ?? null,
    };
  }

  async function send(
    { webhook, created }: KnownHook,
    message: WebhookMessage,
    signal: AbortSignal,
  ): Promise<Posted> {
    const { postMessage } = await import("../remote/webhook.ts");
    const allows = allowedFor(created === null ? null : created.owner);
    return postMessage({ webhook, message }, { allows, timeout, signal, clock });
  }

  return {
    /** Every webhook, for sending. */
    hooks: known,
    /** The webhooks of a person; null for those of everybody. */
    list: (owner: PersonId | null): readonly HookDescription[] =>
      known()
        .filter((hook) => isOf(hook, owner))
        .map(describe),
    /** The messages to one webhook, newest first; null if the person has no such webhook. */
    deliveries(
      id: string,
      { owner, limit }: { readonly owner: PersonId | null; readonly limit: number },
    ): readonly HookDelivery[] | null {
      const hook = find(id, owner);
      return hook ? hookCursors.deliveries(hook.key, limit) : null;
    },
    /** Creates a webhook, which receives what happens from now on. Errors are sentences. */
    create(
      wish: WishedHook,
      owner: PersonId | null,
    ): Result<{ readonly hook: HookDescription; readonly secret: string }, string> {
      const url = readAddress(wish.url, allowedFor(owner));
      if (!url.ok) return url;
      if (wish.secret !== null && !/^[\x21-\x7e]{1,200}$/.test(wish.secret)) {
        return fail(say("hookFault.secret"));
      }
      if (eventHooks.list().filter((one) => one.owner === owner).length >= mostOfOwner) {
        return fail(say("hookFault.most", { most: String(mostOfOwner) }));
      }
      const secret = wish.secret ?? Buffer.from(randomBytes(32)).toString("base64url");
      const { events, project } = wish;
      const name = wish.name.trim().slice(0, longestName) || new URL(url.value).host;
      const id = eventHooks.add({
        ...{ owner, name, events, project, person: owner ?? wish.person },
        address: seal().close(url.value),
        secret: seal().close(secret),
      });
      hookCursors.begin(keyOf(id), changes.latest());
      const hook = find(String(id), owner);
      return hook ? ok({ hook: describe(hook), secret }) : fail(say("hookFault.unread"));
    },
    /** `listed`: the webhook is in the configuration, so it cannot be removed here. */
    remove(id: string, owner: PersonId | null): "removed" | "unknown" | "listed" {
      const hook = find(id, owner);
      if (!hook) return "unknown";
      if (hook.created === null) return "listed";
      eventHooks.remove(hook.created.id);
      hookCursors.end(hook.key);
      return "removed";
    },
    /** Sends a test message; null if the person has no such webhook. */
    async test(
      id: string,
      { owner, signal }: { readonly owner: PersonId | null; readonly signal: AbortSignal },
    ): Promise<Posted | null> {
      const hook = find(id, owner);
      return hook ? send(hook, testMessage(clock(), randomBytes(9)), signal) : null;
    },
    /** Posts a message. The result is `rejected` if the webhook was removed. */
    async post(key: string, message: WebhookMessage, signal: AbortSignal): Promise<Posted> {
      const hook = known().find((one) => one.key === key);
      if (hook) return send(hook, message, signal);
      return { kind: "rejected", code: null, message: "the webhook was removed" };
    },
  };
}

/** Names in the configuration do not begin with #. */
const keyOf = (id: number): string => `#${id}`;

const allowedFor = (owner: PersonId | null): AddressGuard =>
  owner === null ? anyAddress : publicOnly;

function testMessage(now: Temporal.Instant, random: Uint8Array): WebhookMessage {
  const id = `test-${Buffer.from(random).toString("base64url")}`;
  const at = now.toString({ smallestUnit: "second" });
  return {
    ...{ id, title: "Test", text: "test", priority: 3, tags: [], click: null },
    data: { type: "test", id, at },
  };
}
