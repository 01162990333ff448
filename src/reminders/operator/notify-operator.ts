import { later } from "../../domain/backoff.ts";
import { type HeldTrouble, troubleTiming } from "../../domain/trouble.ts";
import type { Trouble } from "../../domain/trouble-kinds.ts";
import type { Delivery } from "../../mail/mail.ts";
import type { OperatorKey, OperatorMessageRow } from "../../store/mails/operator-messages.ts";
import { isDueAgain } from "../../store/mails/send-queue.ts";
import type { Store } from "../../store/store.ts";
import type { Episode } from "../../store/troubles.ts";
import { type MailEnding, type MailTopic, newMessageId, sendOnce } from "../send-once.ts";

/** One trouble in a message. */
export interface ReportedEpisode {
  readonly phase: OperatorKey["phase"];
  /** Row number of the episode; null if it cannot be stored. */
  readonly episode: number | null;
  readonly trouble: Trouble;
  readonly since: Temporal.Instant;
  /** When it ended; null while it lasts. */
  readonly until: Temporal.Instant | null;
}

/** One message to the operator, before it becomes a mail or a request body. */
export interface OperatorMessage {
  readonly messageId: string;
  /** Empty in a test message. */
  readonly reported: readonly ReportedEpisode[];
}

/** A channel to the operator. */
export interface OperatorWay {
  /** For example `mail:ops@example.com` or `webhook:phone`. */
  readonly name: string;
  /** For display; contains no secrets. */
  readonly address: string;
  readonly send: (message: OperatorMessage, signal: AbortSignal) => Promise<Delivery>;
}

/** Result of a message. */
export type OperatorEvent = {
  readonly way: string;
  readonly messageId: string;
  readonly troubles: readonly string[];
} & MailEnding;

interface OperatorMessagesDeps {
  readonly store: Store;
  readonly ways: readonly OperatorWay[];
  /** How often a lasting trouble is reported again; null for never. */
  readonly again: Temporal.Duration | null;
  /** Current troubles, including those that could not be stored. */
  readonly held: () => readonly HeldTrouble[];
  readonly clock: () => Temporal.Instant;
  /** From 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly onEvent: (event: OperatorEvent) => void;
}

interface DueReport extends MailTopic<OperatorKey> {
  readonly episode: Episode;
}

/** Troubles that begin within this time are sent in one message. */
const gathering = Temporal.Duration.from({ seconds: 30 });
/** As long as troubles are kept; what could not be sent is kept until then. */
const retryFor = Temporal.Duration.from({ hours: 24 * 90 });
/** Between attempts to store what could not be stored. */
const unstoredRest = Temporal.Duration.from({ minutes: 1 });

/**
 * Notifies the operator by each channel once when a trouble has lasted for its kind's time, and once when it ends. Troubles due
 * together go in one message. A message is claimed before it is sent, and keeps its id when it is sent again. The end goes to the
 * channels that had the beginning; if the beginning could not be sent by then, both go together. If the claim cannot be stored,
 * which is a trouble of its own, the message is sent without it, once per process, and recorded as soon as possible.
 */
export function createOperatorNotifier(deps: OperatorMessagesDeps) {
  const { store, ways, clock, onEvent } = deps;
  const messages = store.operatorMessages;
  const { installation } = store.meta;
  let isStarted = false;
  let unstored: Unstored | null = null;

  async function report(
    { messageId, things }: Planned,
    { way, signal }: { readonly way: OperatorWay; readonly signal: AbortSignal },
  ): Promise<number> {
    const endings = await sendOnce<OperatorKey, DueReport, OperatorMessage>(
      {
        things,
        messageId,
        address: way.address,
        compose: (taken) => ({ messageId, reported: taken.map(reportedOf) }),
      },
      { ...deps, queue: messages, mailer: { send: (message) => way.send(message, signal) } },
    );
    const [first] = endings;
    if (!first) return 0;
    const troubles = endings.map(
      ({ thing: { key, episode } }) => `${key.phase} ${episode.identity}`,
    );
    onEvent({ way: way.name, messageId, troubles, ...first.ending });
    return endings.length;
  }

  async function sendBy(way: OperatorWay, signal: AbortSignal): Promise<number> {
    const plan = planFor(way.name, messages.pending(), deps);
    let handled = 0;
    for (const message of plan) {
      if (signal.aborted) break;
      handled += await report(message, { way, signal });
    }
    return handled;
  }

  /** Records what was sent while nothing could be stored, so that its end is sent and its beginning is not sent again. */
  function noteUnstored(): void {
    if (!unstored || unstored.reported.size === 0) return;
    const { trouble, since, reported } = unstored;
    store.durably(() => {
      const episode = store.troubles.adopt(trouble, since);
      if (!episode) return;
      for (const [way, messageId] of reported) {
        const key: OperatorKey = { trouble: episode.id, phase: "begun", way };
        if (messages.claim(key, { messageId, address: way })) messages.sent(key);
      }
    });
    unstored = null;
  }

  async function sendUnstored(signal: AbortSignal): Promise<void> {
    const found = deps.held().find(({ trouble }) => trouble.kind === "storage-failing");
    if (!found) return;
    const { trouble, since } = found;
    if (!unstored?.since.equals(since))
      unstored = { trouble, since, reported: new Map(), triedAt: null };
    const { notifyAfter } = troubleTiming(trouble);
    const dueAt = later(unstored.triedAt ?? since, unstored.triedAt ? unstoredRest : notifyAfter);
    if (isBefore(clock(), dueAt)) return;
    unstored.triedAt = clock();
    for (const way of ways) {
      if (signal.aborted || unstored.reported.has(way.name)) continue;
      const messageId = newMessageId(["operator", way.name, "unstored", since], installation);
      const reported = { phase: "begun", episode: null, trouble, since, until: null } as const;
      const delivery = await way.send({ messageId, reported: [reported] }, signal);
      if (delivery.kind === "sent") unstored.reported.set(way.name, messageId);
      const troubles = ["begun storage-failing"];
      const ending = endingOf(delivery, later(clock(), unstoredRest));
      onEvent({ way: way.name, messageId, troubles, ...ending });
    }
  }

  return {
    /** Sends what is due; "idle" if nothing was. Not reentrant. */
    step: async (signal: AbortSignal): Promise<"idle" | "worked"> => {
      try {
        if (!isStarted) messages.retryRefused();
        isStarted = true;
        noteUnstored();
        const working = ways.map((way) => sendBy(way, signal));
        // Wait for each to settle before throwing the error of one of them.
        await Promise.allSettled(working);
        const handled = await Promise.all(working);
        return handled.some((count) => count > 0) ? "worked" : "idle";
      } catch (error) {
        if (!store.health.note(error)) throw error;
        await sendUnstored(signal);
        return "idle";
      }
    },
  };
}

/** Result of a test message by one channel. */
export interface WayTest {
  readonly way: string;
  /** null if it was accepted. */
  readonly problem: string | null;
}

/** Sends a test by each channel and stores nothing. `id` makes the Message-IDs, and must be different each time. */
export function testWays(
  ways: readonly OperatorWay[],
  id: string,
  signal: AbortSignal,
): Promise<readonly WayTest[]> {
  return Promise.all(
    ways.map(async (way) => {
      const messageId = newMessageId(["operator test", way.name, id], "test.dayferry");
      const delivery = await way.send({ messageId, reported: [] }, signal);
      return { way: way.name, problem: delivery.kind === "sent" ? null : delivery.message };
    }),
  );
}

/** What was sent although it could not be stored, by channel, with the message's id. */
interface Unstored {
  readonly trouble: Trouble;
  readonly since: Temporal.Instant;
  readonly reported: Map<string, string>;
  triedAt: Temporal.Instant | null;
}

/** One message to send by a channel. */
interface Planned {
  readonly messageId: string;
  readonly things: readonly DueReport[];
}

/** Messages that were started are resent unchanged; all new troubles go into one message. */
function planFor(
  way: string,
  episodes: readonly Episode[],
  deps: OperatorMessagesDeps,
): readonly Planned[] {
  const { clock, again, store } = deps;
  const now = clock();
  const known = new Map(episodes.map((episode) => [episode.id, episode]));
  const rows = store.operatorMessages.ofWay(way).filter(({ key }) => known.has(key.trouble));
  const byKey = new Map(rows.map((row) => [`${row.key.trouble} ${row.key.phase}`, row]));
  const rowOf = (episode: Episode, phase: OperatorKey["phase"]) =>
    byKey.get(`${episode.id} ${phase}`) ?? null;
  const thing = (episode: Episode, phase: OperatorKey["phase"]): DueReport => ({
    key: { trouble: episode.id, phase, way },
    lapsesAt: later(now, retryFor),
    episode,
  });

  const open = rows.filter(({ state }) => state === "claimed" || state === "deferred");
  const begun = [...Map.groupBy(open, ({ messageId }) => messageId)].flatMap(
    ([messageId, same]): readonly Planned[] => {
      if (!same.every((row) => isDue(row, now))) return [];
      const things = same.flatMap(({ key }) => {
        const episode = known.get(key.trouble);
        if (!episode) return [];
        // It ended before it was sent.
        const hasEnded =
          key.phase === "begun" && notifiesEnd(episode) && rowOf(episode, "over") === null;
        return [thing(episode, key.phase), ...(hasEnded ? [thing(episode, "over")] : [])];
      });
      return [{ messageId, things }];
    },
  );

  const fresh = episodes.flatMap((episode): readonly Due[] => {
    const first = rowOf(episode, "begun");
    if (episode.overAt) {
      const isEndDue = first?.state === "sent" && notifiesEnd(episode) && !rowOf(episode, "over");
      return isEndDue ? [{ thing: thing(episode, "over"), dueAt: episode.overAt }] : [];
    }
    if (!first || first.state === "dropped") {
      const { notifyAfter } = troubleTiming(episode.trouble);
      const dueAt = later(episode.since, notifyAfter);
      const isEndDue = episode.goneAt === null && !isBefore(now, dueAt);
      return isEndDue ? [{ thing: thing(episode, "begun"), dueAt }] : [];
    }
    const turn = again && first.state === "sent" ? turnOf(first, again, now) : null;
    if (!turn || episode.goneAt || rowOf(episode, turn.phase)) return [];
    return [{ thing: thing(episode, turn.phase), dueAt: turn.dueAt }];
  });
  const isGathered = fresh.some(({ dueAt }) => !isBefore(now, later(dueAt, gathering)));
  if (!isGathered) return begun;
  const things = fresh.map((due) => due.thing);
  const ids = things.map(({ key }) => [key.trouble, key.phase]);
  const messageId = newMessageId(["operator", way, ids], store.meta.installation);
  return [...begun, { messageId, things }];
}

interface Due {
  readonly thing: DueReport;
  readonly dueAt: Temporal.Instant;
}

const notifiesEnd = ({ overAt, trouble }: Episode): boolean =>
  overAt !== null && troubleTiming(trouble).notifiesEnd;

/** How many repeats of a lasting trouble were due by now; null for none. */
function turnOf(
  { settledAt, claimedAt }: OperatorMessageRow,
  again: Temporal.Duration,
  now: Temporal.Instant,
): { readonly phase: OperatorKey["phase"]; readonly dueAt: Temporal.Instant } | null {
  const from = settledAt ?? claimedAt;
  const each = again.total("milliseconds");
  const turns = Math.floor(from.until(now).total("milliseconds") / each);
  if (turns < 1) return null;
  return { phase: `again-${turns}`, dueAt: from.add({ milliseconds: Math.round(turns * each) }) };
}

const isDue = ({ state, notBefore }: OperatorMessageRow, now: Temporal.Instant): boolean =>
  state === "claimed" || !notBefore || isDueAgain(notBefore, now);

function reportedOf({ key: { phase }, episode }: DueReport): ReportedEpisode {
  const { id, trouble, since, goneAt, overAt } = episode;
  return { phase, episode: id, trouble, since, until: overAt && (goneAt ?? overAt) };
}

function endingOf(delivery: Delivery, againAt: Temporal.Instant): MailEnding {
  if (delivery.kind === "sent") return delivery;
  return { kind: "deferred", problem: delivery.message, againAt };
}

const isBefore = (a: Temporal.Instant, b: Temporal.Instant): boolean =>
  Temporal.Instant.compare(a, b) < 0;
