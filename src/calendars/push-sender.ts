import { pushMessage } from "@dayferry/caldav-server";
import { fingerprint } from "../domain/fingerprint.ts";
import type { Seal } from "../domain/sealed-text.ts";
import type { PushRegistration } from "../store/calendars/push-registrations.ts";
import type { Store } from "../store/store.ts";
import type { Push } from "./push-support.ts";

/** A message to a program. `occasion` identifies the change that it reports. */
export interface OutgoingPush {
  readonly registration: PushRegistration;
  readonly subscription: {
    readonly resource: string;
    readonly publicKey: string;
    readonly authSecret: string;
  };
  readonly occasion: string;
  readonly topic: string;
  readonly body: string;
}

/** `gone`: the push service no longer knows the program. `refused`: it does not take this message. */
export type PushEnding = "sent" | "gone" | "refused" | "later";

interface PushSenderDeps {
  readonly store: Pick<Store, "pushRegistrations" | "directory" | "changes">;
  readonly push: Pick<Push, "stateOf" | "topicOf">;
  readonly seal: Seal;
  readonly send: (message: OutgoingPush) => Promise<PushEnding>;
  readonly clock: () => Temporal.Instant;
}

/** Changes within this time after a message become one message. */
const burst = Temporal.Duration.from({ seconds: 2 });

/** Delay before messages to an unreachable push service are retried. */
const pause = Temporal.Duration.from({ seconds: 5 });

/** Messages sent concurrently, so that a slow push service delays only its own. */
const abreast = 8;

/** A state that a program is to be notified of. */
interface News {
  readonly registration: PushRegistration;
  readonly state: { readonly token: string; readonly look: string };
}

/** Notifies programs of changes of a calendar: of the first at once, and of those within the next two seconds together. */
export function createPushSender({ store, push, seal, send, clock }: PushSenderDeps) {
  let seen = "";
  /** When to check again; null = not before the next change. */
  let againAt: Temporal.Instant | null = null;

  /** The messages that may be sent now, and whether others wait for the end of a burst. */
  function findNews(): { readonly news: readonly News[]; readonly isEarly: boolean } {
    const news: News[] = [];
    let isEarly = false;
    for (const registration of store.pushRegistrations.list()) {
      const { person, calendar, name, sentAt } = registration;
      if (!store.directory.activePerson(person)) {
        store.pushRegistrations.remove(person, name);
        continue;
      }
      const state = push.stateOf(person, calendar);
      if (!state || !isNew(registration, state)) continue;
      if (sentAt && Temporal.Instant.compare(sentAt.add(burst), clock()) > 0) isEarly = true;
      else news.push({ registration, state });
    }
    return { news, isEarly };
  }

  async function tell({ registration, state }: News): Promise<void> {
    const { id, person, name, calendar, content, properties } = registration;
    const subscription = seal.open(registration.sealed);
    // The key was replaced. The program registers again, as the VAPID key is another one.
    if (subscription === null) {
      store.pushRegistrations.remove(person, name);
      return;
    }
    const topic = push.topicOf(person, calendar);
    const syncToken = content && state.token !== registration.token ? state.token : null;
    const occasion = fingerprint(JSON.stringify(state));
    const ending = await send({
      ...{ registration, occasion, topic, subscription: JSON.parse(subscription) },
      body: pushMessage({
        topic,
        syncToken: calendar === "" ? null : syncToken,
        properties: (properties && state.look !== registration.look) || calendar === "",
      }),
    });
    if (ending === "gone") store.pushRegistrations.remove(person, name);
    if (ending === "sent" || ending === "refused") store.pushRegistrations.notified(id, state);
    if (ending === "sent") store.pushRegistrations.sent(id, occasion);
  }

  return {
    step: async (signal: AbortSignal): Promise<"idle" | "worked"> => {
      if (store.pushRegistrations.isEmpty()) return "idle";
      store.pushRegistrations.expire();
      const now = [store.changes.latest(), store.changes.revisionOfDirectory()].join(" ");
      const isDue = againAt !== null && Temporal.Instant.compare(againAt, clock()) <= 0;
      if (now === seen && !isDue) return "idle";
      const { news, isEarly } = findNews();
      const rest = news.values();
      const sendRest = async (): Promise<void> => {
        for (const one of rest) if (!signal.aborted) await tell(one);
      };
      await Promise.all(Array.from({ length: abreast }, sendRest));
      const after = new Map(store.pushRegistrations.list().map((one) => [one.id, one]));
      const isOpen = news.some(({ registration, state }) =>
        isNew(after.get(registration.id), state),
      );
      seen = now;
      againAt = isEarly ? clock() : isOpen ? clock().add(pause) : null;
      return "idle";
    },
  };
}

/** True if the program of a registration is to be notified of a state, and was not yet. */
function isNew(
  registration: PushRegistration | undefined,
  { token, look }: News["state"],
): boolean {
  if (!registration) return false;
  const { content, properties } = registration;
  return (content && token !== registration.token) || (properties && look !== registration.look);
}
