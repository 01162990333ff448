import type { PersonId } from "../domain/ids.ts";
import { clockInWords, dayInWords } from "../domain/wording.ts";
import { type MailKey, noItem } from "../store/mails/ledger.ts";
import { say } from "../texts/say.ts";
import { type DeliverMailDeps, messageIdOf, type ReminderEvent } from "./deliver-reminders.ts";
import {
  countIn,
  type Digest,
  type DigestRule,
  type DigestTurn,
  digestTurn,
  gatherDigest,
  isEmpty,
} from "./digest.ts";
import { type MailContent, renderMail, staleWords } from "./mail-content.ts";
import {
  emailAddressOf,
  envelope,
  inLanguageOf,
  type Recipient,
  readerBy,
  type UnsubscribeLink,
  unsubscribeFor,
} from "./recipients.ts";
import { sendOnce } from "./send-once.ts";

/** A digest that is due. */
export interface DueDigest {
  readonly person: PersonId;
  readonly turn: DigestTurn;
}

interface DigestDeps extends DeliverMailDeps {
  readonly digest: DigestRule;
}

export const digestKey = ({ person, turn }: DueDigest): MailKey => ({
  kind: "digest",
  item: noItem,
  occurrence: turn.day.toString(),
  lead: "",
  person,
});

/**
 * Sends one digest with current content and records the result. Returns an empty list if there is no recipient or no content;
 * then no digest is sent that day.
 */
export async function deliverDigest(
  due: DueDigest,
  deps: DigestDeps,
): Promise<readonly ReminderEvent[]> {
  const { store, clock, digest, rules, extended, webUrl } = deps;
  const reader = readerBy(due.person, deps);
  if (!reader?.wants("digest")) return [];
  const { zone, person } = reader;
  const now = clock();
  const turn = extended(digestTurn(digest, { reader, now, rules }).turn);
  if (!turn.day.equals(due.turn.day)) return [];
  const key = digestKey(due);
  const installation = store.meta.installation;
  const messageId = messageIdOf(key, { uid: "", installation });
  const since = sinceWhen({ due, now, digest }, store);
  const content = inLanguageOf(person, deps, () =>
    gatherDigest({ store, person: person.id, zone, now, since, webUrl }),
  );
  if (isEmpty(content)) {
    store.ledger.leaveEmpty(key, messageId);
    return [];
  }
  const address = { person, choice: "digest", messageId } as const;
  const endings = await sendOnce(
    {
      things: [{ key, lapsesAt: turn.lapsesAt }],
      messageId,
      address: emailAddressOf(person, deps),
      compose: () => ({
        ...envelope(address, deps),
        ...inLanguageOf(person, deps, () =>
          renderMail(
            contentOf(content, {
              ...{ reader, digest, turn, unsubscribe: unsubscribeFor(address, deps) },
              stale: staleWords({ store, now, zone }),
            }),
          ),
        ),
        calendar: null,
      }),
    },
    { ...deps, queue: store.ledger },
  );
  return endings.map(({ ending }) => ({
    sort: "digest",
    item: null,
    uid: "",
    person: person.id,
    messageId,
    ...ending,
  }));
}

/** A first digest, or one after a long pause, covers at most this long. */
const farthest = Temporal.Duration.from({ hours: 24 * 31 });

function sinceWhen(
  {
    due: { person, turn },
    now,
    digest,
  }: { readonly due: DueDigest; readonly now: Temporal.Instant; readonly digest: DigestRule },
  { ledger }: DigestDeps["store"],
): Temporal.Instant {
  const usual = turn.dueAt.subtract({ hours: digest.weekday === null ? 24 : 24 * 7 });
  const last = ledger.lastDigestAt(person, turn.day) ?? usual;
  const earliest = now.subtract(farthest);
  if (Temporal.Instant.compare(last, earliest) < 0) return earliest;
  // The clock may have been ahead and then corrected, so it can be earlier than a recorded digest.
  return Temporal.Instant.compare(last, now) > 0 ? usual : last;
}

function contentOf(
  content: Digest,
  {
    reader,
    digest,
    turn,
    unsubscribe,
    stale,
  }: {
    readonly reader: Recipient;
    readonly digest: DigestRule;
    readonly turn: DigestTurn;
    readonly unsubscribe: UnsubscribeLink | null;
    readonly stale: readonly string[];
  },
): MailContent {
  const { today, week, overdue, moved } = content;
  const counts = (
    [
      ["digest.countToday", countIn(today)],
      ["digest.countWeek", countIn(week)],
      ["digest.countOverdue", countIn(overdue)],
      ["digest.countMoved", countIn(moved)],
    ] as const
  )
    .filter(([, count]) => count > 0)
    .map(([id, count]) => say(id, { count }));
  const day = dayInWords(turn.day);
  const isDaily = digest.weekday === null;
  const what = say(isDaily ? "digest.day" : "digest.weekTitle");
  const clock = `${clockInWords(reader.digestAt ?? digest.at)} (${reader.zone})`;
  return {
    subject: say("digest.subject", { what, counts: counts.join(", "), day }),
    preview: previewOf(content, counts),
    heading: `${what}, ${day}`,
    fact: null,
    parts: [
      { kind: "lines", lines: [`${counts.join(" · ")} (${reader.zone})`, ...stale] },
      ...[overdue, today, week, moved].filter((part) => countIn(part) > 0),
    ],
    reason: say(isDaily ? "digest.whyDaily" : "digest.whyWeekly", { clock }),
    unsubscribe,
  };
}

/** Names the next items, so that a phone shows more than counts. */
function previewOf({ today, overdue, week, moved }: Digest, counts: readonly string[]): string {
  const [first] = [today, overdue, week, moved].flatMap(({ entries }) => entries);
  return first ? `${counts.join(", ")}: ${first.title}` : counts.join(", ");
}
