import { expect } from "vitest";
import { listId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import type { Edit } from "../../src/domain/journal.ts";
import { fieldsOf, type PatchField, sameField, valuesOf } from "../../src/domain/merge.ts";
import { toPlain } from "../../src/domain/plain-item.ts";
import { worked } from "../contract/pair.ts";
import { type CalendarProgram, lines } from "./caldav-program.ts";
import { readText, type Shown } from "./caldav-text.ts";
import type { CaldavRig } from "./caldav-walk-rig.ts";
import {
  type CaldavWorkspace,
  type PartName,
  type Present,
  partOf,
  parts,
} from "./caldav-workspace.ts";
import { isBefore, isDone } from "./walk-sight.ts";
import { tokenIn } from "./walk-workspace.ts";

/** Expects that everybody holds the same, and that every edit is in it, was overwritten, or is listed with its reason. */
export async function expectCaldavRest(scene: CaldavRig): Promise<readonly Edit[]> {
  const { rig, workspace, programs } = scene;
  const present = workspace.items();
  const items = await expectView(scene);
  const edits = rig.rooms.store.journal.list({ limit: 10_000 }).toReversed();
  for (const edit of edits) expectEnded(edit, edits);
  expectOnce(workspace, { present, edits });
  for (const item of present) {
    const own = edits.filter((edit) => tokenOf(edit) === item.token);
    if (!own.some(isUncertain))
      expectWished(item, { workspace, own, item: items.get(`${item.kind}-${item.id}`) });
  }
  for (const program of programs) {
    for (const slug of program.calendars.keys()) await program.sync(slug, {});
    await expectCopies(program, { present, workspace });
  }
  expectOneUid(programs);
  return edits;
}

/** The view is what the service answers now, item by item. */
async function expectView({ rig, workspace }: CaldavRig): Promise<ReadonlyMap<string, Item>> {
  const call = { priority: "interactive" } as const;
  const { events, tasks, subtasks } = rig.rooms.upstream;
  const found: Item[] = [];
  for (const project of workspace.projects) {
    const listed = await events.list({ projectId: projectId(project), view: "all" }, call);
    found.push(...worked(listed).items);
  }
  for (const { project, list } of workspace.places) {
    const place = { projectId: projectId(project), listId: listId(list) };
    const { items } = worked(await tasks.list(place, call));
    found.push(...items);
    for (const { id } of items) {
      const below = { ...place, taskId: serviceId(Number(id)) };
      found.push(...worked(await subtasks.list(below, call)).items);
    }
  }
  const shown = workspace.projects.flatMap((project) =>
    rig.rooms.store.view.ofProject(projectId(project)),
  );
  const texts = (items: readonly Item[]) =>
    items.map((item) => `${item.kind} ${item.id} ${JSON.stringify(toPlain(item))}`).toSorted();
  expect(texts(shown.map(({ item }) => item))).toEqual(texts(found));
  return new Map(found.map((item) => [`${item.kind}-${item.id}`, item]));
}

function expectEnded({ id, item, action, state, problem }: Edit, all: readonly Edit[]): void {
  expect(["confirmed", "parked", "discarded", "held"], `edit ${id}`).toContain(state);
  // A deletion that waits is taken back by whoever puts the item again.
  const isBack = action === "delete" && all.some((other) => other.item === item && other.id > id);
  const isSilent = state === "confirmed" || state === "held" || (state === "discarded" && isBack);
  if (!isSilent) expect(problem ?? "", `edit ${id}`).toMatch(/\S/);
}

/** Nothing is there twice; what was created and not deleted is there; what was deleted is not. */
function expectOnce(
  { deeds }: CaldavWorkspace,
  { present, edits }: { readonly present: readonly Present[]; readonly edits: readonly Edit[] },
): void {
  const tokens = present.map(({ token }) => token);
  const uncertain = new Set(edits.filter(isUncertain).map(tokenOf));
  const certain = tokens.filter((token) => !uncertain.has(token));
  expect(certain.toSorted()).toEqual([...new Set(certain)].toSorted());
  const deletions = edits.filter(({ action }) => action === "delete");
  const above = new Map([...deeds].map(([token, { first }]) => [token, first?.parent?.token]));
  const deletedBy = (token: string, by: readonly Edit[]): boolean => {
    const parent = above.get(token);
    if (deeds.get(token)?.deletedAt || by.some((one) => tokenOf(one) === token)) return true;
    return parent !== undefined && deletedBy(parent, by);
  };
  for (const token of new Set([...edits.map(tokenOf), ...deeds.keys()])) {
    const creations = edits.filter((one) => one.action === "create" && tokenOf(one) === token);
    const [creation] = creations;
    const isThere = tokens.includes(token);
    const deletedAt = deeds.get(token)?.deletedAt;
    // What is deleted while nobody knows that it was created is created again: the service tells of no deletions.
    if (creation && deletedAt && isBefore(deletedAt, creation.updatedAt)) continue;
    // A subtask of a program goes with its task.
    const isBelow = creation?.base.kind === "subtask";
    const done = deletions.filter(isDone);
    if (!creation && deletedBy(token, done)) expect(isThere, `${token} was deleted`).toBe(false);
    else if (!creation || isDone(creation)) {
      expect(isThere || isBelow || deletedBy(token, deletions), `${token} is there`).toBe(true);
    } else if (creation.parkReason !== "unknown-outcome") {
      expect(isThere, `${token} was not created`).toBe(false);
    }
  }
}

const fieldsOfPart: Readonly<Record<PartName, readonly PatchField[]>> = {
  title: ["title"],
  description: ["description"],
  dates: ["when", "startOn", "dueOn"],
  completed: ["completed"],
  place: ["place"],
};

/** Each part is what somebody wished last, and as it was where nobody wished anything. */
function expectWished(
  present: Present,
  about: {
    readonly workspace: CaldavWorkspace;
    readonly own: readonly Edit[];
    readonly item: Item | undefined;
  },
): void {
  const { workspace, own, item } = about;
  if (!item) throw new Error(`${present.token} was not read`);
  const deeds = workspace.deeds.get(present.token);
  for (const part of parts) {
    // A subtask goes with its task.
    if (part === "place" && present.kind === "subtask") continue;
    const wished = ({ patch }: Edit) =>
      fieldsOfPart[part].filter((field) => fieldsOf(patch).includes(field));
    const edit = own.findLast((one) => isDone(one) && wished(one).length > 0);
    const change = deeds?.last.get(part);
    const before = change?.value ?? (deeds?.first ? partOf(deeds.first, part) : null);
    const asEdited =
      edit !== undefined &&
      wished(edit).every((field) => sameField(field, edit.patch, valuesOf(item)));
    const asPlayed = before === partOf(present, part);
    const what = `${part} of ${present.token}: ${partOf(present, part)}, edit ${edit?.id} ${JSON.stringify(edit?.patch)}, played ${before}`;
    if (!edit) expect(asPlayed || own[0]?.action === "create", what).toBe(true);
    else if (!change || isBefore(change.at, edit.createdAt)) expect(asEdited, what).toBe(true);
    else if (isBefore(edit.updatedAt, change.at)) expect(asPlayed, what).toBe(true);
    else expect(asEdited || asPlayed, what).toBe(true);
  }
}

/** Whether a person has been asked which of two items it is. */
const isUncertain = ({ state, parkReason }: Edit): boolean =>
  state === "parked" && parkReason === "unknown-outcome";

const tokenOf = ({ base, patch }: Edit): string => tokenIn(base.title || (patch.title ?? ""));

/** What a program holds is what the service has, under true tags, also for one that slept since an old token. */
async function expectCopies(
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
  { kind, project, list, milestone, assigned }: Present,
  { slug, person }: { readonly slug: string; readonly person: number },
): boolean {
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

/** Each UID stands in one calendar of its kind, and both people know the item by the same one. */
function expectOneUid(programs: readonly CalendarProgram[]): void {
  const uids = programs.map((program) =>
    [...program.calendars.values()]
      .filter(({ slug }) => slug.startsWith("events-") || slug.startsWith("tasks-"))
      .flatMap(({ copies }) => [...copies.values()].map(({ octets }) => readText(octets).uid))
      .toSorted(),
  );
  for (const own of uids) {
    expect(own).toEqual([...new Set(own)]);
    expect(own).toEqual(uids[0]);
  }
}
