import { backOff, slightJitter } from "../domain/backoff.ts";
import { fingerprint } from "../domain/fingerprint.ts";
import { messageOf, unreachable } from "../domain/result.ts";
import type { Delivery, Mail } from "../mail/mail.ts";
import { longestPause, type SendQueue } from "../store/mails/send-queue.ts";
import type { Transactions } from "../store/store.ts";
import { stored } from "../texts/stored.ts";

/** Result of sending a mail. `given-up`: it was retried until it was no longer worth sending. */
export type MailEnding =
  | { readonly kind: "sent"; readonly response: string }
  | { readonly kind: "deferred"; readonly problem: string; readonly againAt: Temporal.Instant }
  | { readonly kind: "rejected"; readonly problem: string }
  | { readonly kind: "given-up"; readonly problem: string };

/** One topic of a mail. */
export interface MailTopic<Key> {
  readonly key: Key;
  /** Latest time at which it may still be sent. */
  readonly lapsesAt: Temporal.Instant;
}

/** A mail to send, or a message by another channel. */
interface Outgoing<Thing, Message> {
  readonly things: readonly Thing[];
  readonly messageId: string;
  readonly address: string;
  /** Receives the topics that were free to claim. */
  readonly compose: (things: readonly Thing[]) => Message;
}

interface SendOnceDeps<Key, Message> {
  readonly queue: SendQueue<Key>;
  readonly store: Pick<Transactions, "durably">;
  readonly mailer: { send(message: Message): Promise<Delivery> };
  readonly clock: () => Temporal.Instant;
  /** From 0 inclusive to 1 exclusive. */
  readonly random: () => number;
}

/**
 * Claims, sends and settles. Claim and result are durable, also across a power cut. Returns an empty list if everything was
 * already handled or is not due for a retry yet. What was claimed but not settled is resent with the same Message-ID.
 */
export async function sendOnce<Key, Thing extends MailTopic<Key>, Message = Mail>(
  { things, messageId, address, compose }: Outgoing<Thing, Message>,
  deps: SendOnceDeps<Key, Message>,
): Promise<readonly { readonly thing: Thing; readonly ending: MailEnding }[]> {
  const { queue, store, mailer, clock, random } = deps;
  const claimed = store.durably(() =>
    things.filter(({ key }) => queue.claim(key, { messageId, address })),
  );
  if (claimed.length === 0) return [];
  // Only a mail that met no server itself shows that an outage is over; a fresh mail says nothing about one that hangs.
  const wasUnreached = claimed.some(({ key }) => {
    const before = queue.get(key);
    return before !== null && before.problem !== null && before.code === null;
  });
  const delivery = await attempt(() => mailer.send(compose(claimed)));
  const attempts = Math.max(...claimed.map(({ key }) => queue.get(key)?.attempts ?? 1));
  const wait = pauseAfter(delivery, { attempts, random: random() });
  // Rounded up, so that a caller with whole seconds does not ask too early.
  const againAt = clock().add(wait).round({ smallestUnit: "second", roundingMode: "ceil" });
  return store.durably(() => {
    if (delivery.kind === "sent" && wasUnreached) queue.reached();
    return claimed.map((thing) => {
      const ending = settle({ ...thing, delivery, againAt }, queue);
      return { thing, ending };
    });
  });
}

/** No server answered, so nothing is known about the mail itself. */
const isUnreached = (delivery: Delivery): boolean =>
  delivery.kind === "deferred" && delivery.code === null;

/** One mail that cannot be composed or sent must not block the others. */
async function attempt(send: () => Promise<Delivery>): Promise<Delivery> {
  try {
    return await send();
  } catch (error) {
    return { kind: "deferred", code: null, message: messageOf(error) };
  }
}

interface HandedOver<Key> extends MailTopic<Key> {
  readonly delivery: Delivery;
  readonly againAt: Temporal.Instant;
}

function settle<Key>(
  { key, delivery, againAt, lapsesAt }: HandedOver<Key>,
  queue: SendQueue<Key>,
): MailEnding {
  switch (delivery.kind) {
    case "sent":
      queue.sent(key);
      return { kind: "sent", response: delivery.response };
    case "rejected":
      queue.rejected(key, { problem: delivery.message, code: delivery.code });
      return { kind: "rejected", problem: delivery.message };
    case "deferred": {
      const { message: problem, code } = delivery;
      if (Temporal.Instant.compare(againAt, lapsesAt) > 0) {
        const reason = stored("problem.mail.late", { problem });
        queue.rejected(key, { problem: reason, code });
        return { kind: "given-up", problem };
      }
      queue.deferred(key, { notBefore: againAt, problem, code });
      return { kind: "deferred", problem, againAt };
    }
    default:
      return unreachable(delivery);
  }
}

const firstPause = Temporal.Duration.from({ minutes: 1 });
/** An unreachable server is not a fault of the mail: retry soon. */
const unreached = {
  first: Temporal.Duration.from({ seconds: 15 }),
  ceiling: Temporal.Duration.from({ minutes: 1 }),
} as const;

/**
 * Delay before the next attempt: one minute after the first, doubled each time up to `longestPause`; if no server answered, 15
 * seconds at first and one minute at most. Adds up to 10 % at random.
 */
function pauseAfter(
  delivery: Delivery,
  { attempts, random }: { readonly attempts: number; readonly random: number },
): Temporal.Duration {
  const pauses = isUnreached(delivery) ? unreached : { first: firstPause, ceiling: longestPause };
  const pause = backOff(attempts, { ...pauses, jitter: slightJitter(random) }).round("second");
  return Temporal.Duration.compare(pause, longestPause) < 0 ? pause : longestPause;
}

/**
 * A Message-ID that is the same for the same parts, also after a restart, and not guessable from outside. A resent mail keeps
 * it, so that the recipient's server can drop the duplicate. Source: RFC 5322 3.6.4.
 */
export const newMessageId = (parts: readonly unknown[], installation: string): string =>
  `<${fingerprint(JSON.stringify([installation, ...parts]))}@${installation}>`;
