import { expect } from "vitest";
import type { Edit } from "../../../src/domain/edit.ts";
import { tokenIn } from "../workspace-people.ts";
import type { CaldavHands } from "./hands.ts";
import type { Present } from "./present.ts";
import { type CalendarProgram, lines } from "./program.ts";
import { readText, type Shown } from "./text.ts";
import type { CaldavWorkspace } from "./workspace.ts";

/** What a program holds is what the service has, under true tags, also for one that slept since an old token. */
export async function expectCopies(
  program: CalendarProgram,
  about: { readonly present: readonly Present[]; readonly workspace: CaldavWorkspace },
): Promise<void> {
  const person = Number(program.setting.login);
  for (const { slug, copies, told, pasts } of program.calendars.values()) {
    expect([...told.keys()], `${slug} is loaded`).toEqual([]);
    const held = [...copies.values()].map(({ octets }) => readText(octets));
    const expected = about.present
      .filter((item) => isMember(item, { slug, person }))
      .map((item) => shownAs(item, { slug, labels: about.workspace.labels }));
    const what = `${slug} of ${person}`;
    expect(held.map(textOf).toSorted(), what).toEqual(expected.toSorted());
    for (const [name, { etag, octets }] of copies) {
      const now = await program.call(`GET ${program.address(slug, name)}`);
      expect([now.status, now.headers.etag], `${slug}/${name}`).toEqual([200, etag]);
      expect(lines(now.text)).toEqual(lines(octets));
    }
    const etags = new Map([...copies].map(([name, { etag }]) => [name, etag]));
    for (const past of pasts) {
      expect(await program.sinceThen(slug, past), `${what} since ${past.token}`).toEqual(etags);
    }
  }
}

function isMember(
  item: Present,
  { slug, person }: { readonly slug: string; readonly person: number },
): boolean {
  const { kind, project, list, milestone, assigned, isPrivate, creator } = item;
  if (isPrivate && creator !== person && !assigned.includes(person)) return false;
  if (slug === "assigned") return assigned.includes(person);
  if (slug === `milestones-${project}`) return milestone;
  return kind === "event" ? slug === `events-${project}` : slug === `tasks-${list}`;
}

/** What a program has to show of an item of the service. */
function shownAs(
  item: Present,
  { slug, labels }: { readonly slug: string; readonly labels: ReadonlyMap<number, string> },
): string {
  const { kind, title, description, completed } = item;
  const isTodo = kind !== "event" || slug.startsWith("milestones-");
  const [start, due] = item.dates.map((date) => date.slice(0, 10));
  const todoDates = kind === "event" ? ["", due] : [start, due];
  return JSON.stringify({
    title,
    description,
    dates: isTodo ? todoDates : eventDates(item),
    isDone: isTodo && completed,
    labels: item.labels.map((id) => labels.get(id) ?? "").toSorted(),
  });
}

const textOf = ({ title, description, dates, isDone, labels }: Shown): string =>
  JSON.stringify({
    title,
    description,
    dates,
    isDone,
    // A program that puts a milestone into the to-dos of them need not say what it is.
    labels: labels.filter((name) => name !== "Milestone"),
  });

function eventDates({ dates: [start, end], isWhole }: Present): readonly string[] {
  if (!isWhole) return [start, end].map(instantText);
  const last = Temporal.PlainDate.from((end || start).slice(0, 10));
  return [start.slice(0, 10), last.add({ days: 1 }).toString()];
}

const instantText = (text: string): string =>
  Temporal.PlainDateTime.from(text.slice(0, 16))
    .toZonedDateTime("Europe/Berlin")
    .toInstant()
    .toString({ smallestUnit: "minute" });

/** Each UID stands in one calendar of its kind, and everybody knows the item by the same one. */
export function expectOneUid(programs: readonly CalendarProgram[]): void {
  const uids = new Map<string, string>();
  for (const program of programs) {
    const own = [...program.calendars.values()]
      .filter(({ slug }) => slug.startsWith("events-") || slug.startsWith("tasks-"))
      .flatMap(({ copies }) => [...copies.values()].map(({ octets }) => readText(octets)));
    expect(own.map(({ uid }) => uid).toSorted()).toEqual(
      [...new Set(own.map(({ uid }) => uid))].toSorted(),
    );
    for (const { uid, title } of own) {
      const token = tokenIn(title);
      expect(uids.get(token) ?? uid, token).toBe(uid);
      uids.set(token, uid);
    }
  }
}

/** The tag that a PUT was answered with is still that of what is given out, where nobody else has changed the item. */
export function expectTagsTrue(
  { puts, scene: { rig, workspace, mode } }: CaldavHands,
  about: { readonly edits: readonly Edit[]; readonly present: readonly Present[] },
): void {
  for (const { program, slug, name, uid, etag, octets } of puts.values()) {
    const key = rig.rooms.store.mirror.findUid(uid)?.item;
    const token = tokenIn(readText(octets).title);
    const item = about.present.find((one) => one.token === token);
    const isOthers =
      (workspace.deeds.get(token)?.changedAt ?? null) !== null ||
      (workspace.labelsChangedAt !== null && item?.labels.length !== 0);
    const own = about.edits.filter((edit) => edit.item === key);
    const isDone = own.every(({ state, conflicts }) => state === "confirmed" && !conflicts.length);
    const now = program.calendar(slug).copies.get(name);
    // Whoever lets an earlier edit go changes the item; a subtask goes with its task.
    if (mode === "review" || !item || isOthers || !isDone || !now) continue;
    expect(now.etag, `tag of ${slug}/${name}: ${octets} is now ${now.octets}`).toBe(etag);
  }
}
