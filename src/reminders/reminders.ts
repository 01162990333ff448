import { atOnce, createEventLoopBudget, type EventLoopBudget, inTurns } from "@dayferry/event-loop";
import type { PersonId } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
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
    /** null for no digests. */
    readonly digest: DigestRule | null;
  };
  /** True if this process has read the whole workspace. */
  readonly swept: () => boolean;
  /** Starts watching; the returned function tells whether the whole workspace was read by requests made since. */
  readonly rereadAll: () => () => boolean;
  readonly onEvent: (event: ReminderEvent) => void;
  /** Shares the main thread. Default: a new one. */
  readonly eventLoop?: EventLoopBudget;
}

/** More than one, so that one slow mail server does not block all others. */
const concurrency = 2;
const lookAhead = Temporal.Duration.from({ hours: 24 * 7 });

/** Mails everything once to each assignee: reminders, overdue items, digests. */
export function createReminders(deps: RemindersDeps) {
  const { store, options, zone, clock, onEvent, eventLoop = createEventLoopBudget() } = deps;
  const rules = {
    ...options,
    zone,
    installedAt: store.meta.installedAt,
    restoredAt: store.meta.restoredAt,
    chosenBy: (person: PersonId) => store.personReminders.of(person),
  };
  const gate = createSendGate({ ...deps, catchUp: options.catchUp });
  const windows = createWindows(rules);
  const windowOf: WindowOf = (reminder, reader) => {
    const window = windows(reminder, reader);
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

  /** null while nothing is due. */
  function* findDue(): Generator<void, MailFinder | null> {
    const at = { mark: markOf(deps), now: clock() };
    if (quiet && lasts(quiet, at)) return null;
    const found = yield* findMails(finderDeps);
    const { mark, now } = at;
    quiet = found.tasks.length === 0 ? { mark, from: now, until: found.nextAt } : null;
    return found;
  }

  /** What was started but is no longer wanted would otherwise stay open. */
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
      await eventLoop.share();
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
    /** Sends what is due; "idle" if nothing was. Starts no further mail after an abort. Not reentrant. */
    step: async (signal: AbortSignal): Promise<"idle" | "worked"> => {
      const found = gate.isOpen() ? await inTurns(findDue(), eventLoop) : null;
      if (!found) return "idle";
      dropRest(found);
      const tasks = found.tasks.values();
      const working = Array.from({ length: concurrency }, () => work(tasks, signal));
      // Wait for each to settle before throwing the error of one of them.
      await Promise.allSettled(working);
      const handled = await Promise.all(working);
      return handled.some((count) => count > 0) ? "worked" : "idle";
    },
    /** What will be sent within a week, next first, at most `most`. */
    ahead(most: number): Promise<readonly MailAhead[]> {
      const until = clock().add(lookAhead);
      return inTurns(mailsAhead(finderDeps, until, most), eventLoop);
    },
    /** No mail is due before this, which may be now; null if none is planned. */
    nextAt(): Temporal.Instant | null {
      if (!gate.isOpen()) return null;
      // Few changes since the last step, so it runs at once.
      const found = atOnce(findDue());
      if (!found) return quiet?.until ?? null;
      return found.tasks.length > 0 ? paceOf(deps, clock()) : found.nextAt;
    },
  };
}

/** A period in which nothing is due unless something changes: the loop asks every few seconds. */
interface Quiet {
  readonly mark: string;
  readonly from: Temporal.Instant;
  /** null for no end. */
  readonly until: Temporal.Instant | null;
}

/** Changes whenever there may be new content or new recipients. */
const markOf = ({ store }: MailDeps): string =>
  `${store.changes.latest()} ${store.mailChoices.version()} ${store.personReminders.version()} ${store.personWebhooks.version()}`;

/** A clock that was set back ends it too. */
function lasts(
  { mark, from, until }: Quiet,
  at: { readonly mark: string; readonly now: Temporal.Instant },
): boolean {
  if (mark !== at.mark || isBefore(at.now, from)) return false;
  return until === null || isBefore(at.now, until);
}
