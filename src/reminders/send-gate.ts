import { wholeMinutes } from "@dayferry/ical";
import type { Store } from "../store/store.ts";
import { isBefore, type MailWindow } from "./plan-mails.ts";

/** Decides whether mails may be sent, and extends the windows of those that were nearly too late meanwhile. */
export interface SendGate {
  /** Call at each check and before each mail: a long gap between calls counts as a suspended machine. */
  isOpen(): boolean;
  /** Extends by some minutes a window in which mails were held back, unless it has a fixed end. */
  readonly extended: <W extends MailWindow>(window: W) => W;
}

interface SendGateDeps {
  readonly store: Pick<Store, "ledger">;
  /** True if this process has read the whole workspace. */
  readonly swept: () => boolean;
  /** Starts watching; the returned function tells whether the whole workspace was read by requests made since. */
  readonly rereadAll: () => () => boolean;
  /** How late a missed reminder may still be sent. */
  readonly catchUp: Temporal.Duration;
  readonly clock: () => Temporal.Instant;
}

/** A period in which mails are held back. */
interface Wait {
  readonly since: Temporal.Instant;
  readonly isRead: () => boolean;
  /** True if a caller had to wait. */
  readonly hasHeld: boolean;
}

const longestWait = Temporal.Duration.from({ minutes: 10 });
const shortestWait = Temporal.Duration.from({ minutes: 2 });
/** Longer than any mail takes, however slow its server. A longer pause after many errors just reads again needlessly. */
const leap = Temporal.Duration.from({ minutes: 3 });
/** For the first attempt and one retry. */
const afterwards = Temporal.Duration.from({ minutes: 5 });

/**
 * No mail is sent about a partly read workspace. The first time, mails wait until all of it is read. Later, a process waits for
 * its own sweep, and after a jump of the clock for another one, so that nothing is sent about what was finished meanwhile. The
 * wait is limited: if the service does not respond, mails are sent with what is known.
 */
export function createSendGate({
  store,
  swept,
  rereadAll,
  catchUp,
  clock,
}: SendGateDeps): SendGate {
  const longest = waitFor(catchUp);
  let lookedAt = clock();
  let wait: Wait | null = { since: lookedAt, isRead: swept, hasHeld: false };
  let held: { readonly from: Temporal.Instant; readonly until: Temporal.Instant } | null = null;
  let isKnown = store.ledger.openedAt() !== null;

  /** The wait that the current time belongs to. */
  function waitAt(now: Temporal.Instant): Wait | null {
    const silence = lookedAt.until(now);
    lookedAt = now;
    if (Temporal.Duration.compare(silence, leap) > 0) {
      const isReread = rereadAll();
      return { since: now, isRead: () => swept() && isReread(), hasHeld: false };
    }
    // A clock that was set back must not make the wait longer than its limit.
    return wait && isBefore(now, wait.since) ? { ...wait, since: now } : wait;
  }

  return {
    isOpen() {
      const now = clock();
      wait = waitAt(now);
      if (!wait) return true;
      const isRead = wait.isRead();
      const isOver = isKnown && !isBefore(now, wait.since.add(longest));
      if (!isRead && !isOver) {
        wait = { ...wait, hasHeld: true };
        return false;
      }
      // No reminders of what was over before the first mails were sent.
      if (isKnown && wait.hasHeld) held = { from: wait.since, until: now };
      if (!isKnown) store.ledger.opened();
      isKnown = true;
      wait = null;
      return true;
    },
    extended(window) {
      if (!held || isBefore(window.lapsesAt, held.from)) return window;
      const { endsAt } = window;
      const until = held.until.add(afterwards);
      const latest = endsAt && isBefore(endsAt, until) ? endsAt : until;
      return isBefore(window.lapsesAt, latest) ? { ...window, lapsesAt: latest } : window;
    },
  };
}

function waitFor(catchUp: Temporal.Duration): Temporal.Duration {
  const half = Temporal.Duration.from({ minutes: Math.floor(wholeMinutes(catchUp) / 2) });
  if (Temporal.Duration.compare(half, shortestWait) < 0) return shortestWait;
  return Temporal.Duration.compare(half, longestWait) < 0 ? half : longestWait;
}
