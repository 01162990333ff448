import { expect } from "vitest";
import type { Edit } from "../../src/domain/edit.ts";
import { listId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { sameField, valuesOf } from "../../src/domain/patch.ts";
import { toPlain } from "../../src/domain/plain-item.ts";
import type { Call } from "../../src/upstream/client.ts";
import { worked } from "../contract/pair.ts";
import { readBack } from "../support/read-back.ts";
import type { WalkRig } from "./walk-rig.ts";
import { expectSeen, isBefore, isDone, wishedOf } from "./walk-sight.ts";
import { type Held, type PartName, parts, type Story, tokenIn } from "./walk-workspace.ts";

const call: Call = { priority: "interactive" };

/** Expects that mirror, view, feed and workspace agree, and that all that became of every item was somebody's wish. */
export async function expectRest(rig: WalkRig): Promise<readonly Edit[]> {
  const held = rig.workspace.items();
  const present = await expectSameView(rig);
  expectFeed(rig, held);
  const edits = rig.rooms.store.journal.list({ limit: 10_000 }).toReversed();
  for (const edit of edits) expectEnded(edit);
  expectOnce(rig, { held, edits });
  for (const [token, story] of rig.workspace.stories) {
    expectSeen(
      story,
      edits.filter((edit) => tokenOf(edit) === token),
    );
  }
  for (const item of held) {
    const story = rig.workspace.stories.get(item.token);
    const own = edits.filter((edit) => tokenOf(edit) === item.token);
    expectWished(item, { story, own, item: present.get(`${item.kind}-${item.id}`) });
  }
  return edits;
}

/** The journal and what the service was asked to change, for the report of a failure: timing decides much of a walk. */
export function describeWalk({ rooms, sandbox }: WalkRig): string {
  const edits = rooms.store.journal.list({ limit: 10_000 }).toReversed();
  const requests = sandbox.requests.entries().filter(({ method }) => method !== "GET");
  return [
    ...edits.map(({ id, action, state, parkReason, attempts, sentAt, base, problem }) => {
      const sent = sentAt?.toString() ?? "never";
      return `${id} ${action} ${base.title}: ${state} ${parkReason}, ${attempts} tries, sent ${sent}, ${problem}`;
    }),
    ...requests.map(({ at, method, path, status, body }) => {
      return `${at.toFixed(0)} ${method} ${path} ${status} ${body}`;
    }),
  ].join("\n");
}

/** The view is what the service answers now, item by item. */
async function expectSameView(rig: WalkRig): Promise<ReadonlyMap<string, Item>> {
  const { store } = rig.rooms;
  const items = await readService(rig);
  const shown = store.view.ofProject(projectId(rig.workspace.place.project));
  expect(shown.filter(({ pending }) => pending)).toEqual([]);
  expect(byId(shown.map(({ item }) => item))).toEqual(byId(items));
  return new Map(items.map((item) => [`${item.kind}-${item.id}`, item]));
}

const byId = (items: readonly Item[]) =>
  items
    .map((item) => ({ key: `${item.kind}-${item.id}`, item: toPlain(item) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));

async function readService({ rooms, workspace }: WalkRig): Promise<readonly Item[]> {
  const { events, tasks, subtasks } = rooms.upstream;
  const { project, list, other } = workspace.place;
  const at = projectId(project);
  const found: Item[] = [...worked(await events.list({ projectId: at, view: "all" }, call)).items];
  for (const id of [list, other]) {
    const place = { projectId: at, listId: listId(id) };
    const { items } = worked(await tasks.list(place, call));
    found.push(...items);
    for (const { id: task } of items) {
      const below = { ...place, taskId: serviceId(Number(task)) };
      found.push(...worked(await subtasks.list(below, call)).items);
    }
  }
  return found;
}

function expectFeed(rig: WalkRig, held: readonly Held[]): void {
  const shown = [...readBack(rig.feed()).values()].map(({ summary }) => tokenIn(summary));
  expect(shown.toSorted()).toEqual(held.map(({ token }) => token).toSorted());
}

function expectEnded({ id, state, problem }: Edit): void {
  expect(["confirmed", "parked", "discarded"], `edit ${id}`).toContain(state);
  if (state !== "confirmed") expect(problem, `edit ${id} says why`).toMatch(/\S/);
}

/** Nothing is there twice; what was created and not deleted is there; what was deleted is not. */
function expectOnce(
  { workspace: { stories } }: WalkRig,
  { held, edits }: { readonly held: readonly Held[]; readonly edits: readonly Edit[] },
): void {
  const tokens = held.map(({ token }) => token);
  expect(new Set(tokens).size, `once each: ${tokens.join(" ")}`).toBe(tokens.length);
  const deletions = edits.filter(({ action }) => action === "delete");
  const deletedBy = (token: string, by: readonly Edit[]): boolean => {
    const story = stories.get(token);
    const above = story?.first?.parent?.token;
    if (story?.json === null || by.some((one) => tokenOf(one) === token)) return true;
    return above !== undefined && deletedBy(above, by);
  };
  for (const token of new Set([...edits.map(tokenOf), ...stories.keys()])) {
    const creation = edits.find((one) => one.action === "create" && tokenOf(one) === token);
    const isThere = tokens.includes(token);
    // What is deleted while nobody knows that it was created is created again: the service tells of no deletions.
    const deletedAt = stories.get(token)?.deletedAt;
    if (creation && deletedAt && isBefore(deletedAt, creation.updatedAt)) continue;
    if (deletedBy(token, deletions.filter(isDone))) expect(isThere, `${token} deleted`).toBe(false);
    else if (!creation || isDone(creation)) {
      expect(isThere || deletedBy(token, deletions), `${token} is there`).toBe(true);
    } else if (creation.parkReason !== "unknown-outcome") {
      expect(isThere, `${token} was not created`).toBe(false);
    }
  }
}

/** Each part is what somebody wished last, and as it was where nobody wished anything. */
function expectWished(
  held: Held,
  about: {
    readonly story: Story | undefined;
    readonly own: readonly Edit[];
    readonly item: Item | undefined;
  },
): void {
  const { story, own, item } = about;
  if (!item) throw new Error(`${held.token} was not read`);
  if (own.length === 0) {
    expect(held.json, `${held.token}, whom no calendar touched`).toBe(story?.json);
    return;
  }
  for (const part of parts) {
    const edit = own.findLast((one) => isDone(one) && wishedOf(one, part).length > 0);
    const change = story?.last.get(part);
    const asEdited = edit !== undefined && carries(edit, { part, item });
    const before = change?.value ?? story?.first?.parts[part];
    const asPlayed = before === held.parts[part];
    const what = `${part} of ${held.token}: ${held.parts[part]}, edit ${edit?.id}, played ${before}`;
    if (!edit) expect(asPlayed || own[0]?.action === "create", what).toBe(true);
    else if (!change || isBefore(change.at, edit.createdAt)) expect(asEdited, what).toBe(true);
    else if (isBefore(edit.updatedAt, change.at)) expect(asPlayed, what).toBe(true);
    else expect(asEdited || asPlayed, what).toBe(true);
  }
}

const tokenOf = ({ base, patch }: Edit): string => tokenIn(base.title || (patch.title ?? ""));

function carries(
  edit: Edit,
  { part, item }: { readonly part: PartName; readonly item: Item },
): boolean {
  return wishedOf(edit, part).every((field) => sameField(field, edit.patch, valuesOf(item)));
}
