import { isRecent } from "../src/domain/backoff.ts";
import type { Edit } from "../src/domain/edit.ts";
import { projectId, serviceId } from "../src/domain/ids.ts";
import { type Patch, valuesOf } from "../src/domain/patch.ts";
import { itemsOf, type PresentItem } from "./workspace-items.ts";
import { latencyMs, quota, type World } from "./world.ts";

/** Which fields of an item contain a mark. The mark of a date is the day itself. */
export const markedFields = ["title", "description", "date"] as const;
export type MarkedField = (typeof markedFields)[number];

/** A text or a day that somebody gave an item, or with `null` the item's deletion. */
interface Wish {
  readonly field: MarkedField;
  readonly mark: string | null;
  readonly actor: string;
  /** When it was acknowledged. */
  readonly at: Temporal.Instant;
  /** The previous mark its editor saw; null for none. */
  readonly before: string | null;
  /** The mark in the item's title its editor saw; null for a new item. */
  readonly item: string | null;
  /** For a new subtask: the mark of its task, with which it is deleted. */
  readonly under?: string;
  /** Made in the service itself, or accepted by Dayferry; for one without a response it is unknown whether it was accepted. */
  readonly way: "service" | "taken" | "unanswered";
  /** The edit made from it, if others have the same mark. */
  readonly edit?: number;
}

/** A wish that somebody has just made. */
export type Noted = Omit<Wish, "at">;

const marks = {
  title: /\bm\d+\b/,
  description: /\bn\d+\b/,
  date: /\b\d{4}-\d\d-\d\d\b/,
} as const;

/** The mark in a text, unique per text; "" for none. */
export const markIn = (text: string, field: MarkedField = "title"): string =>
  marks[field].exec(text)?.[0] ?? "";

/** The mark of a field in a program's copy of an item. */
export function markOfOctets(octets: string, field: MarkedField): string {
  if (field !== "date") return markIn(octets, field);
  const [, year, month, day] = dateLine.exec(octets) ?? [];
  return year === undefined ? "" : `${year}-${month}-${day}`;
}

const dateLine = /^(?:DUE|DTSTART);VALUE=DATE:(\d{4})(\d\d)(\d\d)/m;

/** The mark an edit gives a field; "" if it does not change it. */
export const markOfPatch = (
  { title, description, dueOn, when }: Patch,
  field: MarkedField,
): string =>
  markIn({ title, description, date: JSON.stringify(dueOn ?? when) }[field] ?? "", field);

/** In titles of items that only their creator may see. */
export const secrecy = "in secret";

/** A request ends within the time that the service has for an answer, and an edit has some. */
const longestTry = Temporal.Duration.from({ minutes: 2 });

/** A title with a mark; a secret stays one. */
export const titleOf = (
  mark: string,
  { by, before }: { readonly by: string; readonly before: string },
): string => `${mark} by ${by}${before.includes(secrecy) ? ` ${secrecy}` : ""}`;

/** An all-day item's bytes with another day. */
export const withDay = (octets: string, day: string): string =>
  octets
    .replace(/^(?:DTEND|DURATION)[;:].*\r\n/gm, "")
    .replace(/^(DUE|DTSTART);VALUE=DATE:\d+/m, `$1;VALUE=DATE:${day.replaceAll("-", "")}`);

/** Bytes with another line for a property, which is added after the title if missing. */
export const withLine = (octets: string, name: string, text: string): string => {
  const line = new RegExp(`^${name}[;:][^\\r]*(?:\\r\\n[ \\t][^\\r]*)*`, "m");
  const written = `${name}:${text}`;
  return line.test(octets)
    ? octets.replace(line, written)
    : octets.replace(/^(SUMMARY[^\r]*(?:\r\n[ \t][^\r]*)*)/m, `$1\r\n${written}`);
};

/** A read and the write that depends on it. */
const readAndWrite = Temporal.Duration.from({ milliseconds: 2 * latencyMs });

/** Everything that was acknowledged to anybody, for comparison with the result. */
export class Ledger {
  readonly #world: World;
  readonly #wishes: Wish[] = [];
  /** Edits that a restore has forgotten. */
  readonly #forgotten: Edit[] = [];
  /** Marks of hidden items. */
  readonly #hidden: string[] = [];
  #hasReviewed = false;
  #marks = 0;
  #days = 0;

  constructor(world: World) {
    this.#world = world;
  }

  nextMark(field: MarkedField = "title"): string {
    if (field === "date") return this.nextDay();
    this.#marks += 1;
    return `${field === "title" ? "m" : "n"}${this.#marks}`;
  }

  /** Far enough from the others for links that move a day by a week. */
  nextDay(): string {
    this.#days += 1;
    return this.dayBefore(0).toString();
  }

  /** The day this many days before the latest one given to anything. */
  dayBefore(days: number): Temporal.PlainDate {
    return Temporal.PlainDate.from("2027-03-02").add({ days: 30 * this.#days - days });
  }

  note(wish: Noted): void {
    this.#hasReviewed ||= this.#world.settings.edits.mode === "review";
    this.#wishes.push({ ...wish, at: this.#world.time.clock() });
  }

  /** An unanswered edit turns out to have been accepted when its edit appears. */
  acknowledge(mark: string): void {
    const nth = this.#wishes.findIndex((wish) => wish.mark === mark);
    const wish = this.#wishes[nth];
    if (!wish) return;
    const { journal } = this.#world.life.modules.store;
    // An undo of another edit may have the same mark.
    const edit = journal
      .list({ limit: 10_000 })
      .find((one) => one.channel === "subscription" && isOf(wish, one));
    this.#wishes[nth] = { ...wish, at: edit?.createdAt ?? wish.at, way: "taken" };
  }

  /**
   * A backup from that time is about to be restored. What has reached the service since counts as done there; the rest is not
   * required.
   */
  restoring(madeAt: Temporal.Instant): void {
    const { journal } = this.#world.life.modules.store;
    const edits = journal.list({ limit: 10_000 });
    const isSince = (at: Temporal.Instant) => Temporal.Instant.compare(at, madeAt) >= 0;
    this.#forgotten.push(...edits.filter(({ createdAt }) => isSince(createdAt)));
    for (const [nth, wish] of this.#wishes.entries()) {
      if (wish.way !== "taken" || !isSince(wish.at)) continue;
      const isConfirmed = edits.some((edit) => isOf(wish, edit) && edit.state === "confirmed");
      const isThere = isConfirmed && !this.#isIgnored(wish);
      this.#wishes[nth] = { ...wish, way: isThere ? "service" : "unanswered" };
    }
  }

  hide(mark: string): void {
    this.#hidden.push(mark);
  }

  /** True if an item is hidden, or is one half of a move whose other half is. */
  isHidden(mark: string): boolean {
    const names = this.#namesOf(mark);
    return this.#hidden.some((hidden) => names.has(hidden));
  }

  get acknowledged(): number {
    return this.#wishes.filter(({ way }) => way === "taken").length;
  }

  /** True if somebody has deleted the item that has, or had, a title with this mark. */
  isDeleted(mark: string): boolean {
    const names = this.#namesOf(mark);
    return this.#wishes.some(
      ({ mark: text, before, under }) =>
        (text === null && names.has(before ?? "")) ||
        (text !== null && names.has(text) && under !== undefined && this.isDeleted(under)),
    );
  }

  /** Edits that are waiting now without a reason shown to people. One that is being sent may have waited for another until now. */
  silentEdits(): readonly string[] {
    const { store, editActions } = this.#world.life.modules;
    const now = this.#world.time.clock();
    const isJustSent = ({ state, updatedAt }: Edit) =>
      state === "claimed" && isRecent(updatedAt, { length: longestTry, now });
    return unfinished(store.journal.list({ limit: 10_000 }))
      .filter((edit) => !isJustSent(edit))
      .filter(({ id }) => editActions.show(id)?.problem === null)
      .map(({ id, state }) => `edit ${id} is ${state} and does not say why`);
  }

  /** Violations once everything has settled, one sentence each. */
  faults(): readonly string[] {
    const { store } = this.#world.life.modules;
    const items = itemsOf(this.#world.sandbox);
    const edits = store.journal.list({ limit: 10_000 });
    return [
      ...this.#twice(items, edits),
      ...this.#wishes.flatMap((wish) => this.#faultsOf(wish, { items, edits })),
      ...stuck(edits),
      ...this.#tooMany(),
      ...this.#differences(items),
    ];
  }

  #faultsOf(
    wish: Wish,
    { items, edits }: { readonly items: readonly PresentItem[]; readonly edits: readonly Edit[] },
  ): readonly string[] {
    const { mark, field, way, actor } = wish;
    if (mark === null || way === "unanswered") return [];
    const own = edits.filter((edit) => isOf(wish, edit));
    const isTaken = way === "taken";
    if (isTaken && own.length === 0)
      return [`${mark} of ${actor}: acknowledged, and no edit has it`];
    // A person is notified of what was not carried out or not accepted.
    if (isTaken && !own.some(({ state }) => state === "confirmed")) return [];
    const { editActions } = this.#world.life.modules;
    const isSaid = ({ id }: Edit) =>
      editActions.show(id)?.problem?.includes("without storing") ?? false;
    if (isTaken && this.#isIgnored(wish) && own.some(isSaid)) return [];
    const names = this.#namesOf(mark);
    const ever = [...edits, ...this.#forgotten];
    if (this.#doubled(edits).some((one) => names.has(one))) return [];
    const present = items.find(({ title }) => names.has(markIn(title)));
    if (!present) {
      return this.isDeleted(mark)
        ? []
        : [`${mark} of ${actor}: the item is gone, and nobody deleted it`];
    }
    // A deleted item may have been recreated by a program with an older copy.
    if (this.isDeleted(mark)) return [];
    const there = markIn(present[field], field);
    const shown = this.#wishes.findLast((one) => one.mark === there);
    if (shown && Temporal.Instant.compare(shown.at, wish.at) >= 0) return [];
    // An older wish is shown: a person was asked or notified, or it is lost.
    const isTold = (edit: Edit) =>
      [mark, there].includes(markOfPatch(edit.patch, field))
        ? edit.conflicts.length > 0
        : edit.conflicts.some(({ ours }) => markIn(JSON.stringify(ours ?? ""), field) === mark);
    if (ever.some(isTold)) return [];
    // Whoever approves a waiting edit is shown what it would replace.
    if (ever.some(({ patch, insisted }) => insisted && markOfPatch(patch, field) === there))
      return [];
    // A program does not see what is waiting in another channel, and sends the older text again.
    const isSaidAgain = ({ patch, createdAt }: Edit) =>
      markOfPatch(patch, field) === there && Temporal.Instant.compare(createdAt, wish.at) > 0;
    if (this.#hasReviewed && ever.some(isSaidAgain)) return [];
    if (this.#isForgottenSince(wish, { there, edits: ever })) return [];
    if (way === "service" && this.#isLandedOver(wish, { present, there, edits: ever })) return [];
    const instead = shown ? `the older ${shown.mark} of ${shown.actor}` : "nothing of it";
    return [`${mark} of ${actor}: ${instead} is there`];
  }

  /** True if a restore has forgotten the wish, and a request sent before, which had got no answer, was carried out after it. */
  #isForgottenSince(
    { mark, field }: Wish,
    { there, edits }: { readonly there: string; readonly edits: readonly Edit[] },
  ): boolean {
    const isOlder = ({ patch, attempts }: Edit) =>
      attempts > 0 && markOfPatch(patch, field) === there;
    return (
      this.#forgotten.some(({ patch }) => markOfPatch(patch, field) === mark) && edits.some(isOlder)
    );
  }

  /** True if the service ignores the field. */
  #isIgnored({ field }: Wish): boolean {
    return field === "description" && this.#world.spelling === "without descriptions";
  }

  /**
   * True if a request replaced the wish before anybody could see it: one sent earlier, or one whose read came before. The service
   * has no conditional requests.
   */
  #isLandedOver(
    { mark, field, at }: Wish,
    about: {
      readonly present: PresentItem;
      readonly there: string;
      readonly edits: readonly Edit[];
    },
  ): boolean {
    const { present, there, edits } = about;
    const { mirror, view } = this.#world.life.modules.store;
    const key = mirror.find(
      present.kind === "milestone" ? "event" : present.kind,
      serviceId(present.id),
    );
    const seen = key === null ? [] : view.history(key, null);
    const isSeen = seen.some((item) => markOfPatch(valuesOf(item), field) === mark);
    const isEarlier = ({ patch, confirmedAt }: Edit) =>
      markOfPatch(patch, field) === there &&
      confirmedAt !== null &&
      Temporal.Instant.compare(confirmedAt.subtract(readAndWrite), at) < 0;
    return !isSeen && edits.some(isEarlier);
  }

  /** The marks an item has had before and after this one. */
  #namesOf(mark: string): ReadonlySet<string> {
    const names = new Set([mark]);
    for (let size = 0; size < names.size; ) {
      size = names.size;
      for (const { mark: next, before, item } of this.#wishes) {
        const all = [next, before, item].filter((one) => one !== null && one !== "");
        if (next === null || !all.some((one) => names.has(one ?? ""))) continue;
        for (const one of all) names.add(one ?? "");
      }
    }
    return names;
  }

  /** Marks of events that exist twice because nothing can be done about it. */
  #doubled(edits: readonly Edit[]): readonly string[] {
    const all = [...edits, ...this.#forgotten];
    return [...toldTwice(all), ...halfMoved(this.#forgotten), ...this.#unrecognizable(edits)];
  }

  /**
   * Marks of creations that a restore has forgotten, or whose answer was lost, and whose item a colleague has renamed before it was
   * sent again: nothing shows any more that the item is theirs.
   */
  #unrecognizable(edits: readonly Edit[]): readonly string[] {
    const isRenamed = (mark: string, until: Temporal.Instant | null) =>
      this.#wishes.some(
        ({ way, field, before, at }) =>
          way === "service" &&
          field === "title" &&
          before === mark &&
          (until === null || Temporal.Instant.compare(at, until) < 0),
      );
    const madeAgain = edits.filter(({ resentAt }) => resentAt !== null);
    return [...madeAgain, ...this.#forgotten]
      .filter(({ action }) => action === "create")
      .map((edit) => ({ mark: markIn(edit.patch.title ?? edit.base.title), until: edit.resentAt }))
      .filter(({ mark, until }) => isRenamed(mark, until))
      .map(({ mark }) => mark);
  }

  #twice(items: readonly PresentItem[], edits: readonly Edit[]): readonly string[] {
    const marks = items.map(({ title }) => markIn(title));
    const doubled = this.#doubled(edits);
    return marks
      .filter((mark, at) => mark !== "" && marks.indexOf(mark) !== at)
      .filter((mark) => !doubled.some((one) => this.#namesOf(mark).has(one)))
      .map((mark) => `${mark} is there twice`);
  }

  #tooMany(): readonly string[] {
    if (this.#world.hasLostNotes) return [];
    const most = this.#world.sandbox.requests.maxInWindow(quota.perMs);
    return most > quota.requests ? [`${most} requests came within ${quota.perMs} ms`] : [];
  }

  /** Checks that view and workspace agree. */
  #differences(items: readonly PresentItem[]): readonly string[] {
    const { store } = this.#world.life.modules;
    const shown = this.#world.sandbox.workspace
      .places()
      .flatMap(({ project }) => store.view.ofProject(projectId(project)))
      .map(({ item }) => item.title);
    const there = items.map(({ title }) => title);
    return [
      ...shown
        .filter((title) => !there.includes(title))
        .map((title) => `shown, and not there: ${title}`),
      ...there
        .filter((title) => !shown.includes(title))
        .map((title) => `there, and not shown: ${title}`),
    ];
  }
}

/** True if the edit was made from the wish. */
const isOf = ({ field, mark, edit }: Wish, { id, patch }: Edit): boolean =>
  edit === undefined ? markOfPatch(patch, field) === mark : id === edit;

/** If the service lets neither of two events be deleted, a person is notified. */
const toldTwice = (edits: readonly Edit[]): readonly string[] =>
  edits
    .filter(({ state, problem }) => state === "parked" && problem?.includes("as well, and stays"))
    .map(({ base, before }) => markIn((before ?? base).title));

/** Moves that a restore has forgotten, with the new event created and the old one not yet deleted. */
const halfMoved = (forgotten: readonly Edit[]): readonly string[] =>
  forgotten
    .filter(
      ({ state, base, patch }) => state !== "confirmed" && base.kind === "event" && patch.place,
    )
    .map(({ base, before }) => markIn((before ?? base).title));

const stuck = (edits: readonly Edit[]): readonly string[] =>
  unfinished(edits).map(
    ({ id, state, problem }) => `edit ${id} is still ${state}: ${problem ?? "no reason"}`,
  );

/** Edits in progress; an edit of an item whose creation waits for a person waits with it. */
function unfinished(edits: readonly Edit[]): readonly Edit[] {
  const waiting = new Set(
    edits
      .filter(({ action, state }) => action === "create" && state === "parked")
      .map(({ item }) => item),
  );
  return edits.filter(
    ({ state, item }) => (state === "pending" || state === "claimed") && !waiting.has(item),
  );
}
