import {
  type IcsProblem,
  type IncomingCalendar,
  type IncomingItem,
  propertyName,
  type When,
  wholeDay,
} from "@dayferry/ical";
import type { ProjectId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { applyPatch, fieldsOf } from "../../domain/patch.ts";
import { sameTitle, sameWhen } from "../../domain/same-values.ts";
import { isAmongPrivate } from "../../domain/visibility.ts";
import { readSummary } from "../../ics/text/decoration.ts";
import { sentenceInWords } from "../../ics/text/problem-in-words.ts";
import type { SubscribedItem } from "../../store/rows/channel-rows.ts";
import type { Store } from "../../store/store.ts";
import type { View, ViewItem } from "../../store/view/view.ts";
import { say } from "../../texts/say.ts";
import { diffItem } from "../intake/diff-item.ts";
import { serviceTimes } from "../intake/diff-times.ts";
import type { DiffContext } from "../intake/plan-part.ts";
import { claimsNewer, newlySaid, readSubscribed, subscribedText } from "./diff-snapshot.ts";
import { type Matching, matchSnapshot, type ShownItem } from "./subscribed-match.ts";

/** What a complete snapshot of a subscribed calendar is compared with. */
interface SnapshotSituation {
  readonly store: Store;
  readonly context: DiffContext;
  readonly projectId: ProjectId;
  readonly policy: { readonly new: "ignore" | "create"; readonly gone: "ignore" | "delete" };
  /** The previous snapshot; null for the first one, which causes no edits. */
  readonly before: readonly SubscribedItem[] | null;
  readonly reissues: boolean;
  readonly at: Temporal.Instant;
}

/** The edits from a snapshot, and what to store of it. */
export interface CalendarPlan {
  readonly items: readonly IncomingItem[];
  /** By UID, the items as the calendar last showed them. */
  readonly bases: ReadonlyMap<string, Item>;
  readonly put: readonly SubscribedItem[];
  readonly drop: readonly string[];
  /** What is not applied, for people. */
  readonly notes: readonly string[];
  /** What cannot be parsed in the present calendar, for people. */
  readonly skipped: readonly string[];
  readonly reissued: boolean;
}

const forgottenAfter = Temporal.Duration.from({ hours: 90 * 24 });

/** Finds the changes between two snapshots of a calendar; reads the store and writes nothing. */
export function planCalendar(
  calendar: IncomingCalendar,
  situation: SnapshotSituation,
): CalendarPlan {
  const shown = shownItems(calendar);
  const builder = new PlanBuilder(situation);
  const skipped = skippedIn(calendar);
  if (!situation.before) {
    builder.begin(shown);
    return { ...builder.plan(false), skipped };
  }
  const matching = matchSnapshot({
    before: situation.before,
    shown,
    reissues: situation.reissues,
    zone: situation.context.zone,
  });
  builder.compare(matching.pairs);
  for (const appeared of matching.appeared) builder.appear(appeared);
  if (isWhole(calendar)) builder.vanish(matching.vanished);
  return { ...builder.plan(matching.reissued), skipped };
}

/** Errors that may hide an item or its UID, so that it looks missing. */
const hidingCodes: ReadonlySet<string> = new Set(["mismatched-end", "too-deep"]);

/** True if the calendar shows all of its items. */
function isWhole({ items, ignored }: IncomingCalendar): boolean {
  return !items.some(isHiding) && ignored.every(({ code }) => code === "component");
}

const isHiding = ({ uid, problems, raw }: IncomingItem): boolean =>
  uid === "" ||
  problems.some(({ code }) => hidingCodes.has(code)) ||
  (problems.length > 0 && raw.filter((line) => propertyName(line) === "UID").length > 1);

const mostNamed = 10;

/** What cannot be parsed, listing the first few of many. */
function skippedIn({ items, ignored }: IncomingCalendar): readonly string[] {
  const repeating = new Map(items.filter(isRepeating).map((item) => [item.uid, item]));
  const titles = [...repeating.values()].map(quoted);
  const more = titles.length > mostNamed ? ", …" : "";
  const series =
    titles.length === 0
      ? []
      : [
          `${count(titles.length, "repeating item")}: ${titles.slice(0, mostNamed).join(", ")}${more}`,
        ];
  const unnamed = items.filter(({ uid }) => uid === "").length;
  const faulty = items.filter((item) => item.uid !== "" && !isRepeating(item));
  return [
    ...faulty.flatMap((item) => {
      const [problem] = item.problems;
      return problem ? [`${quoted(item)} (UID ${item.uid}): ${placed(problem)}`] : [];
    }),
    ...ignored.filter(({ code }) => code !== "component").map(placed),
    ...(unnamed > 0 ? [`${count(unnamed, "item")} without a UID`] : []),
    ...series,
  ];
}

function placed({ line, message }: IcsProblem): string {
  const said = sentenceInWords(message);
  return line === null ? said : say("fileReport.line", { line: String(line), message: said });
}

/** Cancelled items count as missing: `gone` decides whether they are deleted, as for those that disappear. */
function shownItems({ items }: IncomingCalendar): readonly ShownItem[] {
  const byUid = new Map<string, ShownItem>();
  for (const incoming of items) {
    const { uid, status } = incoming;
    if (uid === "" || status === "CANCELLED" || byUid.has(uid)) continue;
    // Unparsable items are not stored, so that fixing them is no change.
    const isReadable = incoming.problems.length === 0 || isRepeating(incoming);
    byUid.set(uid, { uid, text: isReadable ? subscribedText(incoming) : "", incoming });
  }
  return [...byUid.values()];
}

/** Builds the plan of a snapshot while its items are processed. */
class PlanBuilder {
  readonly #situation: SnapshotSituation;
  readonly #items = new Map<string, IncomingItem>();
  readonly #bases = new Map<string, Item>();
  readonly #put: SubscribedItem[] = [];
  readonly #drop: string[] = [];
  readonly #notes: string[] = [];

  constructor(situation: SnapshotSituation) {
    this.#situation = situation;
  }

  plan(reissued: boolean): Omit<CalendarPlan, "skipped"> {
    const put = this.#put;
    const kept = new Set(put.map(({ uid }) => uid));
    return {
      items: [...this.#items.values()],
      bases: this.#bases,
      put,
      drop: this.#drop.filter((uid) => !kept.has(uid)),
      notes: this.#notes,
      reissued,
    };
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  begin(shown: readonly ShownItem[]): void {
    for (const one of shown) this.#put.push(this.#entry(one, this.#knownAs(one.uid)));
  }

  compare(pairs: Matching["pairs"]): void {
    const changed = pairs.filter(({ before, shown }) => before.shown !== shown.text);
    const olds = readSubscribed(
      changed.map(({ before }) => before.shown),
      this.#situation.context.zone,
    );
    const older = new Map(changed.map(({ shown }, index) => [shown, olds[index] ?? null]));
    for (const { before, shown } of pairs) {
      const knownAs = before.knownAs ?? this.#knownAs(before.uid) ?? this.#knownAs(shown.uid);
      const entry = this.#entry(shown, knownAs, before);
      if (before.uid !== shown.uid) this.#drop.push(before.uid);
      const isTaken = this.#change(shown, { knownAs, older: older.get(shown) ?? null });
      // An item that cannot be parsed now keeps its stored text, so that a later version is compared with what was understood.
      const kept = isTaken ? entry : { ...entry, shown: before.shown };
      if (!isSame(kept, before)) this.#put.push(kept);
    }
  }

  appear(shown: ShownItem): void {
    const { uid, incoming } = shown;
    const { store, policy, projectId, context } = this.#situation;
    // It appears once it can be parsed.
    if (incoming.problems.length > 0) return;
    const knownAs = this.#knownAs(uid);
    this.#put.push(this.#entry(shown, knownAs));
    if (knownAs === null && policy.new === "ignore") return;
    const view = knownAs === null ? null : store.view.findUid(knownAs);
    if (view) {
      const versions = store.view.history(view.key, null);
      if (repeatsPublished({ newer: incoming, older: null }, { versions, context })) return;
    } else if (knownAs === null) {
      const copy = findCopy(incoming, { view: store.view, projectId, zone: context.zone });
      if (copy) {
        this.note(`${quoted(incoming)}: an item with this title and time already exists`);
        return;
      }
    }
    this.#wish(uid, incoming);
  }

  vanish(entries: readonly SubscribedItem[]): void {
    const { at, policy, store, context } = this.#situation;
    const { zone } = context;
    for (const before of entries) {
      const missing = before.missing + 1;
      const missingAt = before.missingAt ?? at;
      if (Temporal.Duration.compare(missingAt.until(at), forgottenAfter) > 0) {
        this.#drop.push(before.uid);
        continue;
      }
      const entry = { ...before, missing, missingAt };
      const knownAs = before.knownAs ?? this.#knownAs(before.uid);
      const viewed = knownAs === null ? null : store.view.findUid(knownAs);
      const isGone = policy.gone === "delete" && missing === snapshotsUntilGone;
      const [last] = isGone && viewed ? readSubscribed([before.shown], zone) : [];
      if (!last || !viewed || knownAs === null) {
        this.#put.push(entry);
        continue;
      }
      const reason = whyKept(viewed, { entry, context, at });
      if (reason !== null) {
        this.note(
          `${quoted(last)}: it disappeared from the calendar, but is not deleted: ${reason}`,
        );
        this.#put.push(entry);
        continue;
      }
      this.#drop.push(before.uid);
      this.#items.set(knownAs, { ...last, uid: knownAs, status: "CANCELLED", problems: [] });
      this.#bases.set(knownAs, baseOf(last, viewed.item, context));
    }
  }

  /** Applies changes of a known item; false if it cannot be parsed. */
  #change(
    { incoming }: ShownItem,
    about: { readonly knownAs: string | null; readonly older: IncomingItem | null },
  ): boolean {
    const { knownAs, older } = about;
    const { store, context } = this.#situation;
    if (incoming.problems.length > 0) return false;
    if (knownAs === null || !older) return true;
    const spoken = newlySaid(incoming, older);
    if (!spoken) return true;
    const viewed = store.view.findUid(knownAs);
    if (!viewed) {
      this.#wish(knownAs, incoming);
      return true;
    }
    const versions = store.view.history(viewed.key, null);
    if (repeatsPublished({ newer: incoming, older }, { versions, context })) return true;
    const isFirst = this.#wish(knownAs, spoken);
    if (isFirst) this.#bases.set(knownAs, baseOf(older, viewed.item, context));
    return true;
  }

  /** False if the calendar has the item twice, and the other one was used. */
  #wish(uid: string, incoming: IncomingItem): boolean {
    const isFirst = !this.#items.has(uid);
    if (isFirst) this.#items.set(uid, { ...incoming, uid });
    else this.note(`${quoted(incoming)}: the calendar has it twice; only one of them is synced`);
    return isFirst;
  }

  #knownAs(uid: string): string | null {
    return this.#situation.store.mirror.findUid(uid) ? uid : null;
  }

  #entry(
    { uid, text }: ShownItem,
    knownAs: string | null,
    before?: SubscribedItem,
  ): SubscribedItem {
    const viewed = knownAs === null ? null : this.#situation.store.view.findUid(knownAs);
    const projectId = before?.projectId ?? viewed?.item.projectId ?? null;
    return { uid, knownAs, projectId, shown: text, missing: 0, missingAt: null };
  }
}

/** The item as the calendar showed it: the item here, with everything from the calendar applied. */
function baseOf(shown: IncomingItem, item: Item, context: DiffContext): Item {
  return applyPatch(item, diffItem(shown, item, context).patch);
}

const isSame = (a: SubscribedItem, b: SubscribedItem): boolean =>
  a.uid === b.uid &&
  a.knownAs === b.knownAs &&
  a.projectId === b.projectId &&
  a.shown === b.shown &&
  a.missing === b.missing;

const isRepeating = ({ problems }: IncomingItem): boolean =>
  problems.some(({ code }) => code === "recurrence");

const quoted = ({ summary, uid }: IncomingItem): string => JSON.stringify(summary ?? uid);

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? "" : "s"}`;

/**
 * True if a change of a subscribed calendar only repeats a version that was published here: such a calendar may itself
 * subscribe to a feed, hours behind. A return to an older version is an edit if it claims to be newer: a person took something
 * back.
 */
function repeatsPublished(
  change: { readonly newer: IncomingItem; readonly older: IncomingItem | null },
  about: { readonly versions: readonly Item[]; readonly context: DiffContext },
): boolean {
  const { newer, older } = change;
  const newest = (item: IncomingItem | null): number =>
    item ? about.versions.findLastIndex((version) => says(item, { version, ...about })) : -1;
  if (!older) return newest(newer) >= 0;
  const at = newest(newlySaid(newer, older));
  if (at < 0) return false;
  return newest(newlySaid(older, newer)) <= at || !claimsNewer(newer, older);
}

function says(
  item: IncomingItem,
  { version, context }: { readonly version: Item; readonly context: DiffContext },
): boolean {
  const { patch, newLabels, refusals } = diffItem(item, version, context);
  return fieldsOf(patch).length === 0 && newLabels.length === 0 && refusals.length === 0;
}

/** Number of complete snapshots in a row that an item must be missing from. */
export const snapshotsUntilGone = 2;

/**
 * Why an item that left a subscribed calendar is not deleted; null if it is. Calendars drop past items, and one that subscribes
 * to a feed drops what leaves the feed.
 */
function whyKept(
  { item }: ViewItem,
  about: {
    readonly entry: SubscribedItem;
    readonly context: DiffContext;
    readonly at: Temporal.Instant;
  },
): string | null {
  const { entry, context, at } = about;
  const today = at.toZonedDateTimeISO(context.zone).toPlainDate();
  if (item.completed) return "it is completed, and calendars drop completed items";
  if (isAmongPrivate(item, context.privateLists))
    return "it is private, and private items may be hidden from calendars";
  if (entry.projectId !== null && item.projectId !== entry.projectId) {
    return "it was moved to another project";
  }
  const last = lastDay(item, context.zone);
  if (last && Temporal.PlainDate.compare(last, today) < 0) {
    return "it is in the past, and calendars drop past items";
  }
  return null;
}

function lastDay(item: ViewItem["item"], zone: string): Temporal.PlainDate | null {
  if (item.kind !== "event") return item.dueOn ?? item.startOn;
  const { when } = item;
  if (when.kind === "dates") return when.end.subtract({ days: 1 });
  return (when.end ?? when.start).withTimeZone(zone).toPlainDate();
}

/**
 * The project's item with the same content as a new item of a calendar: a copy with another UID, which must not be created
 * again. Null if there is none.
 */
function findCopy(
  incoming: IncomingItem,
  place: { readonly view: View; readonly projectId: ProjectId; readonly zone: string },
): ViewItem | null {
  const { title } = readSummary(incoming.summary ?? "");
  if (title === "") return null;
  const { when: said, due } = incoming;
  const when = said
    ? serviceTimes(said, place.zone)
    : due?.kind === "date"
      ? wholeDay(due.on)
      : null;
  return (
    place.view.ofProject(place.projectId).find(({ item }) => {
      const shown = whenOf(item);
      return sameTitle(item.title, title) && when && shown && sameWhen(shown, when);
    }) ?? null
  );
}

/** As a feed shows it. */
function whenOf(item: Item): When | null {
  if (item.kind === "event") return item.when;
  const day = item.dueOn ?? item.startOn;
  return day && wholeDay(day);
}
