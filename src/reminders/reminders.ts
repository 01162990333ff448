import { unreachable } from "../domain/result.ts";
import { atOnce, createTurns, inTurns, type Turns } from "../turns.ts";
import { deliverDigest } from "./deliver-digest.ts";
import { type DeliverMailDeps, deliverMail, type ReminderEvent } from "./deliver-reminders.ts";
import type { DigestRule } from "./digest.ts";
import { findMails, type MailFinder, type MailFinderDeps, type MailTask } from "./find-mails.ts";
import { type MailAhead, mailsAhead } from "./mails-ahead.ts";
import { createWindows, isBefore, type WindowOf } from "./plan-mails.ts";
import { type MailDeps, mayBegin, paceOf } from "./recipients.ts";
import type { ReminderRules } from "./reminder.ts";
import { createReminderIndex } from "./reminder-index.ts";
import { createSendGate } from "./send-gate.ts";

export type { ReminderEvent } from "./deliver-reminders.ts";
export type { MailAhead } from "./mails-ahead.ts";

export interface RemindersDeps extends MailDeps, Pick<DeliverMailDeps, "webUrl" | "actions"> {
  readonly options: Omit<ReminderRules, "zone" | "installedAt" | "restoredAt"> & {
    /** Null = no digests. */
    readonly digest: DigestRule | null;
  };
  /** Whether this process has read the whole workspace. */
  readonly swept: () => boolean;
  /** Begins to watch; the answer tells whether the whole workspace was read by requests that were made since. */
  readonly rereadAll: () => () => boolean;
  readonly onEvent: (event: ReminderEvent) => void;
  /** Shares out the main thread; a share of its own unless given. */
  readonly turns?: Turns;
}

/** Mails everything once to each person in charge: reminders, what is overdue, digests. */
export interface Reminders {
  /** Sends what is due; "idle" when nothing was. After an abort no further mail is begun. Not while another step runs. */
  readonly step: (signal: AbortSignal) => Promise<"idle" | "worked">;
  /** What will go out within a week, the next one first; `most` at most. */
  ahead(most: number): Promise<readonly MailAhead[]>;
  /** Before it no mail is to be sent, which may be now; null when none is ahead. */
  nextAt(): Temporal.Instant | null;
}

/** So that one mailbox whose server takes its time does not hold up all others. */
const concurrency = 2;
const lookAhead = Temporal.Duration.from({ hours: 24 * 7 });

export function createReminders(deps: RemindersDeps): Reminders {
  const { store, options, zone, clock, onEvent, turns = createTurns() } = deps;
  const rules = {
    ...options,
    zone,
    installedAt: store.meta.installedAt,
    restoredAt: store.meta.restoredAt,
  };
  const gate = createSendGate({ ...deps, catchUp: options.catchUp });
  const windows = createWindows(rules);
  const windowOf: WindowOf = (reminder, readersZone) => {
    const window = windows(reminder, readersZone);
    return window && gate.extended(window);
  };
  const finderDeps: MailFinderDeps = {
    ...deps,
    rules,
    windowOf,
    extended: gate.extended,
    index: createReminderIndex(store, rules),
    digest: options.digest,
  };
  let quiet: Quiet | null = null;

  /** Null in a time in which nothing is to be sent. */
  function* findDue(): Generator<void, MailFinder | null> {
    const at = { mark: markOf(deps), now: clock() };
    if (quiet && lasts(quiet, at)) return null;
    const found = yield* findMails(finderDeps);
    const { mark, now } = at;
    quiet = found.tasks.length === 0 ? { mark, from: now, until: found.nextAt } : null;
    return found;
  }

  /** What was begun and is not to be told any more would seem to wait for ever. */
  function dropRest({ isPlanned }: MailFinder): void {
    const rest = store.ledger.unsettled().filter(({ key }) => !isPlanned(key));
    for (const { key } of rest) store.ledger.drop(key);
  }

  function send(task: MailTask): Promise<readonly ReminderEvent[]> {
    switch (task.kind) {
      case "reminders":
        return deliverMail(task.mail, finderDeps);
      case "digest": {
        const { digest } = options;
        return digest ? deliverDigest(task.digest, { ...finderDeps, digest }) : Promise.resolve([]);
      }
      default:
        return unreachable(task);
    }
  }

  async function work(tasks: Iterator<MailTask>, signal: AbortSignal): Promise<number> {
    let handled = 0;
    for (;;) {
      await turns.share();
      if (signal.aborted || !gate.isOpen() || !mayBegin(deps)) break;
      const next = tasks.next();
      if (next.done) break;
      const events = await send(next.value);
      handled += events.length;
      for (const event of events) onEvent(event);
    }
    return handled;
  }

  return {
    async step(signal) {
      const found = gate.isOpen() ? await inTurns(findDue(), turns) : null;
      if (!found) return "idle";
      dropRest(found);
      const tasks = found.tasks.values();
      const working = Array.from({ length: concurrency }, () => work(tasks, signal));
      // Each has to come to its end before a fault of one of them is told.
      await Promise.allSettled(working);
      const handled = await Promise.all(working);
      return handled.some((count) => count > 0) ? "worked" : "idle";
    },
    ahead(most) {
      const until = clock().add(lookAhead);
      return inTurns(mailsAhead(finderDeps, { until, most }), turns);
    },
    nextAt() {
      if (!gate.isOpen()) return null;
      // What has changed since the last step, which is little.
      const found = atOnce(findDue());
      if (!found) return quiet?.until ?? null;
      return found.tasks.length > 0 ? paceOf(deps, clock()) : found.nextAt;
    },
  };
}

/** A time in which nothing is to be sent, unless something changes: the loop asks every few seconds. */
interface Quiet {
  readonly mark: string;
  readonly from: Temporal.Instant;
  /** Null = for ever. */
  readonly until: Temporal.Instant | null;
}

/** Another one whenever there may be something else to tell, or somebody else to tell it to. */
const markOf = ({ store }: MailDeps): string =>
  `${store.changes.latest()} ${store.mailChoices.version()} ${store.personWebhooks.version()}`;

/** A clock that was set back ends it too. */
function lasts(
  { mark, from, until }: Quiet,
  at: { readonly mark: string; readonly now: Temporal.Instant },
): boolean {
  if (mark !== at.mark || isBefore(at.now, from)) return false;
  return until === null || isBefore(at.now, until);
}
