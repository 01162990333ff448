import { createPushSender, type OutgoingPush, type PushEnding } from "../calendars/push-sender.ts";
import type { Push } from "../calendars/push-support.ts";
import type { Config } from "../config/config.ts";
import { createSeal, type Seal } from "../domain/sealed-text.ts";
import { sendOnce } from "../reminders/send-once.ts";
import { anyAddress, publicOnly } from "../remote/address-guard.ts";
import { postWebPush, type VapidKeys, vapidKeysOf } from "../remote/web-push.ts";
import type { DataKeys } from "./data-keys.ts";
import type { LoopJob } from "./module.ts";
import type { Base } from "./open-base.ts";

/** The keys that sign push messages and encrypt their addresses. */
export interface PushKeys {
  readonly vapid: () => VapidKeys;
  readonly seal: Seal;
}

/** Derived from the key of mails, which backups have. */
export function pushKeysOf({ mailKey }: Pick<DataKeys, "mailKey">): PushKeys {
  let vapid: VapidKeys | null = null;
  return {
    vapid: () => (vapid ??= vapidKeysOf(mailKey)),
    seal: createSeal(mailKey, "push registrations"),
  };
}

/** Short, because phones should learn of changes at once. */
const rest = Temporal.Duration.from({ milliseconds: 500 });
const timeout = Temporal.Duration.from({ seconds: 10 });
/** By then, phones have synced by themselves, so the message is useless. */
const worthwhile = Temporal.Duration.from({ hours: 1 });

interface PushBase extends Pick<Base, "store" | "clock" | "random" | "log"> {
  readonly config: {
    readonly calendars: Pick<Config["calendars"], "push">;
    readonly service: Pick<Config["service"], "contact">;
  };
}

/** Sends push messages through the outbox. */
export function pushJob(
  { config, store, clock, random, log }: PushBase,
  {
    push,
    keys,
    signal,
  }: { readonly push: Push; readonly keys: PushKeys; readonly signal: AbortSignal },
): LoopJob {
  const allows = config.calendars.push === "any" ? anyAddress : publicOnly;
  async function send(message: OutgoingPush): Promise<PushEnding> {
    const { registration, subscription, occasion, topic, body } = message;
    const { host } = new URL(subscription.resource);
    const key = { registration: registration.id, person: registration.person, occasion };
    const [ended] = await sendOnce(
      {
        things: [{ key, lapsesAt: clock().add(worthwhile) }],
        messageId: `push ${occasion}`,
        address: host,
        compose: () => ({
          ...{ subscription, body, topic, vapid: keys.vapid(), contact: config.service.contact },
        }),
      },
      {
        ...{ store, clock, random, queue: store.pushQueue },
        mailer: { send: (composed) => postWebPush(composed, { allows, timeout, signal }) },
      },
    );
    if (!ended) return "later";
    const { kind, ...fields } = ended.ending;
    log.info(`push ${kind}`, { host, person: registration.person, ...fields });
    if (kind === "sent") return "sent";
    if (kind === "deferred") return "later";
    // Source: RFC 8030 7.3.
    const code = store.pushQueue.get(key)?.code ?? null;
    return code === 404 || code === 410 ? "gone" : "refused";
  }
  const { step } = createPushSender({ store, push, seal: keys.seal, send, clock });
  return { name: "push messages", step, idle: rest };
}
