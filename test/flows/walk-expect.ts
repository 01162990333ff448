import { expect } from "vitest";
import type { Edit } from "../../src/domain/edit.ts";
import { projectId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { valuesOf } from "../../src/domain/patch.ts";
import { sameStored } from "../../src/domain/sameness.ts";
import { readBack } from "../support/read-back.ts";
import { expectView } from "./expect-view.ts";
import type { WalkRig } from "./walk-rig.ts";
import { expectSeen, isBefore, isDone, wishedOf } from "./walk-sight.ts";
import type { Story, WalkItem } from "./walk-workspace.ts";
import { type PartName, parts, tokenIn } from "./workspace-people.ts";

/** Expects that mirror, view, feed and workspace agree, and that all that became of every item was somebody's wish. */
export async function expectRest(rig: WalkRig): Promise<readonly Edit[]> {
  const items = rig.workspace.items();
  const { project, list, other } = rig.workspace.place;
  const { store } = rig.rooms;
  const viewed = store.view.ofProject(projectId(project));
  expect(viewed.filter(({ pending }) => pending)).toEqual([]);
  const answered = await expectView(rig.rooms, [
    { project, list },
    { project, list: other },
  ]);
  expectFeed(rig, items);
  const edits = store.journal.list({ limit: 10_000 }).toReversed();
  for (const edit of edits) expectEnded(edit);
  expectOnce(rig, { items, edits });
  for (const [token, story] of rig.workspace.stories) {
    const own = edits.filter((edit) => tokenOf(edit) === token);
    const above = story.first?.parent?.token;
    const taking = edits.find(
      (edit) => edit.action === "delete" && isDone(edit) && tokenOf(edit) === above,
    );
    expectSeen(story, { own, taskGoneAt: taking?.confirmedAt ?? null });
  }
  for (const item of items) {
    const story = rig.workspace.stories.get(item.token);
    const own = edits.filter((edit) => tokenOf(edit) === item.token);
    expectWished(item, { story, own, item: answered.get(`${item.kind}-${item.id}`) });
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

function expectFeed(rig: WalkRig, items: readonly WalkItem[]): void {
  const shown = [...readBack(rig.feed()).values()].map(({ summary }) => tokenIn(summary));
  expect(shown.toSorted()).toEqual(items.map(({ token }) => token).toSorted());
}

function expectEnded({ id, state, problem }: Edit): void {
  expect(["confirmed", "parked", "discarded"], `edit ${id}`).toContain(state);
  if (state !== "confirmed") expect(problem, `edit ${id} says why`).toMatch(/\S/);
}

/** Nothing is there twice; what was created and not deleted is there; what was deleted is not. */
function expectOnce(
  { workspace: { stories } }: WalkRig,
  { items, edits }: { readonly items: readonly WalkItem[]; readonly edits: readonly Edit[] },
): void {
  const tokens = items.map(({ token }) => token);
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
  present: WalkItem,
  about: {
    readonly story: Story | undefined;
    readonly own: readonly Edit[];
    readonly item: Item | undefined;
  },
): void {
  const { story, own, item } = about;
  if (!item) throw new Error(`${present.token} was not read`);
  if (own.length === 0) {
    expect(present.json, `${present.token}, whom no calendar touched`).toBe(story?.json);
    return;
  }
  for (const part of parts) {
    const edit = own.findLast((one) => isDone(one) && wishedOf(one, part).length > 0);
    const change = story?.last.get(part);
    const asEdited = edit !== undefined && carries(edit, { part, item });
    const before = change?.value ?? story?.first?.parts[part];
    const asPlayed = before === present.parts[part];
    const what = `${part} of ${present.token}: ${present.parts[part]}, edit ${edit?.id}, played ${before}`;
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
  return wishedOf(edit, part).every((field) => sameStored(field, edit.patch, valuesOf(item)));
}
