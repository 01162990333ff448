import type { Revision } from "../domain/ids.ts";
import type { Mailbox, Mailer } from "../mail/mail.ts";
import type { Store } from "../store/store.ts";
import { createAgenda } from "./agenda.ts";
import { type DeliverDeps, deliver, type ReminderEvent } from "./deliver.ts";
import { type DueMail, earlier, planMails, type ReminderRules } from "./plan.ts";

export type { ReminderEvent } from "./deliver.ts";

export interface RemindersDeps {
  readonly store: Store;
  readonly mailer: Mailer;
  readonly from: Mailbox;
  /** The account's zone. */
  readonly zone: string;
  readonly options: {
    /** Whether events' own reminders are mailed at all; the service may do so itself. */
    readonly events: boolean;
    /** How late a missed reminder may still be sent. */
    readonly catchUp: Temporal.Duration;
  };
  /** Link template with `{project}`, `{kind}` and `{id}`; null = no links. */
  readonly webUrl: string | null;
  readonly clock: () => Temporal.Instant;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly onEvent: (event: ReminderEvent) => void;
}

/** Mails every reminder once to each person in charge. */
export interface Reminders {
  /** Sends what is due; "idle" when nothing was. After an abort no further mail is begun. */
  readonly step: (signal: AbortSignal) => Promise<"idle" | "worked">;
  /** When the next mail is to be sent, which may be now; null when none is ahead. */
  nextAt(): Temporal.Instant | null;
}

/** So that one mailbox whose server takes its time does not hold up all others. */
const lanes = 2;

export function createReminders(deps: RemindersDeps): Reminders {
  const { store, options, zone, clock, onEvent } = deps;
  const rules: ReminderRules = {
    zone,
    installedAt: store.meta.installedAt,
    catchUp: options.catchUp,
  };
  const agenda = createAgenda(store, rules);
  const delivery: DeliverDeps = { ...deps, rules };

  let calm: Calm | null = null;

  function survey(): Survey {
    if (!options.events) return { ready: [], nextAt: null };
    const now = clock();
    const latest = store.changes.latest();
    if (calm && lasts(calm, { latest, now })) return { ready: [], nextAt: calm.until };
    const people = store.directory.people();
    const plan = planMails(agenda.reminders(), { people, now });
    const found = sift(plan, { store, now });
    calm = found.ready.length === 0 ? { latest, from: now, until: found.nextAt } : null;
    return found;
  }

  async function work(mails: Iterator<DueMail>, signal: AbortSignal): Promise<number> {
    let handled = 0;
    for (let next = mails.next(); !next.done && !signal.aborted; next = mails.next()) {
      const event = await deliver(next.value, delivery);
      if (!event) continue;
      handled += 1;
      onEvent(event);
    }
    return handled;
  }

  return {
    async step(signal) {
      const mails = survey().ready.values();
      const working = Array.from({ length: lanes }, () => work(mails, signal));
      // Every lane has to come to its end before a fault of one of them is told.
      await Promise.allSettled(working);
      const handled = await Promise.all(working);
      return handled.some((count) => count > 0) ? "worked" : "idle";
    },
    nextAt() {
      const { ready, nextAt } = survey();
      return ready.length > 0 ? clock() : nextAt;
    },
  };
}

/** A time in which nothing is to be sent, unless something changes: the loop asks every few seconds. */
interface Calm {
  readonly latest: Revision;
  readonly from: Temporal.Instant;
  /** Null = for ever. */
  readonly until: Temporal.Instant | null;
}

/** A clock that was set back ends it too. */
function lasts(
  { latest, from, until }: Calm,
  at: { readonly latest: Revision; readonly now: Temporal.Instant },
): boolean {
  if (latest !== at.latest || Temporal.Instant.compare(at.now, from) < 0) return false;
  return until === null || Temporal.Instant.compare(at.now, until) < 0;
}

interface Survey {
  /** Due and not taken care of yet. */
  readonly ready: readonly DueMail[];
  readonly nextAt: Temporal.Instant | null;
}

/** Leaves out what was sent or refused, and what waits for its next attempt. */
function sift(
  plan: { readonly due: readonly DueMail[]; readonly nextAt: Temporal.Instant | null },
  { store, now }: { readonly store: Store; readonly now: Temporal.Instant },
): Survey {
  const ready: DueMail[] = [];
  let { nextAt } = plan;
  for (const mail of plan.due) {
    const row = store.ledger.get(mail.key);
    if (row?.state === "sent" || row?.state === "rejected") continue;
    // The ledger compares moments as text, so within the second itself it may still say no.
    const againAt = row?.state === "deferred" ? row.notBefore?.add({ seconds: 1 }) : null;
    if (againAt && Temporal.Instant.compare(now, againAt) < 0) nextAt = earlier(nextAt, againAt);
    else ready.push(mail);
  }
  return { ready, nextAt };
}
