import { wholeMinutes } from "@dayferry/ical";
import type { Store } from "../store/store.ts";
import { isBefore, type MailWindow } from "./plan-mails.ts";

/** Whether mails may go out, and what their being held back means for those that were nearly too late. */
export interface SendGate {
  /** To be asked at each look and before each mail: a long silence is taken for a sleep of the machine. */
  isOpen(): boolean;
  /** A window that mails were held back in ends some minutes after that, unless it has an end of its own. */
  readonly extended: <W extends MailWindow>(window: W) => W;
}

interface SendGateDeps {
  readonly store: Pick<Store, "ledger">;
  /** Whether this process has read the whole workspace. */
  readonly swept: () => boolean;
  /** Begins to watch; the answer tells whether the whole workspace was read by requests that were made since. */
  readonly rereadAll: () => () => boolean;
  /** How late a missed reminder may still be sent. */
  readonly catchUp: Temporal.Duration;
  readonly clock: () => Temporal.Instant;
}

/** A time in which mails are held back. */
interface Wait {
  readonly since: Temporal.Instant;
  readonly isRead: () => boolean;
  /** Whether anybody has been told to wait. */
  readonly hasHeld: boolean;
}

const longestWait = Temporal.Duration.from({ minutes: 10 });
const shortestWait = Temporal.Duration.from({ minutes: 2 });
/** Longer than any mail takes, however slow its server is. Who rests longer, after many faults, reads again for nothing. */
const leap = Temporal.Duration.from({ minutes: 3 });
/** For the first attempt and the next one. */
const afterwards = Temporal.Duration.from({ minutes: 5 });

/**
 * Nothing is told of a workspace that is known by half: the first time, mails wait until all of it was read. Later a process
 * waits for its own sweep as well, and after a leap of the clock for another one, so that nothing is said of what was done
 * while it was down or asleep; but not for ever: where the service does not answer, what is known is told.
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

  /** The wait that this look belongs to. */
  function waitAt(now: Temporal.Instant): Wait | null {
    const silence = lookedAt.until(now);
    lookedAt = now;
    if (Temporal.Duration.compare(silence, leap) > 0) {
      const isReread = rereadAll();
      return { since: now, isRead: () => swept() && isReread(), hasHeld: false };
    }
    // A clock that was set back must not make it longer than it can be.
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
      // What was over before mails went out for the first time is nobody's reminder.
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
