import { expect } from "vitest";
import type { Edit } from "../../../src/domain/edit.ts";
import { projectId } from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import { fieldsOf, type PatchField, valuesOf } from "../../../src/domain/patch.ts";
import { sameStored } from "../../../src/domain/sameness.ts";
import { expectView } from "../expect-view.ts";
import { isBefore, isDone } from "../walk-sight.ts";
import { tokenIn } from "../workspace-people.ts";
import { expectCopies, expectOneUid, expectTagsTrue } from "./copies.ts";
import type { CaldavHands, Family } from "./hands.ts";
import { type PartName, type Present, partOf, parts } from "./present.ts";
import type { CaldavRig } from "./walk-rig.ts";
import type { CaldavWorkspace } from "./workspace.ts";

/** Expects that everybody holds the same, and that every edit is in it, was overwritten, or is listed with its reason. */
export async function expectCaldavRest(
  scene: CaldavRig,
  hands: CaldavHands,
): Promise<readonly Edit[]> {
  const { rig, workspace, programs } = scene;
  const items = await expectView(rig.rooms, workspace.places);
  const present = identified(workspace.items(), { scene, hands });
  const edits = rig.rooms.store.journal.list({ limit: 10_000 }).toReversed();
  for (const edit of edits) expectEnded(edit, { all: edits, hands });
  const tokenOf = (edit: Edit): string => hands.marks.get(edit.item) ?? firstMark(edit);
  expectOnce(workspace, { present, edits, tokenOf });
  for (const item of present) {
    const own = edits.filter((edit) => tokenOf(edit) === item.token).toSorted(byEnd);
    if (!own.some(isUncertain))
      expectWished(item, { workspace, own, item: items.get(`${item.kind}-${item.id}`) });
  }
  for (const program of programs) {
    for (const slug of program.calendars.keys()) await program.sync(slug, {});
    await expectCopies(program, { present, workspace });
  }
  expectOneUid(programs);
  expectTagsTrue(hands, { edits, present });
  for (const family of hands.families) {
    expectTogether(family, { present, edits: edits.filter((edit) => isOf(family, tokenOf(edit))) });
  }
  return edits;
}

/** A copy whose own title was not stored still has that of what it was made from; it is known by what it is. */
function identified(
  present: readonly Present[],
  { scene, hands }: { readonly scene: CaldavRig; readonly hands: CaldavHands },
): readonly Present[] {
  const { rig, workspace } = scene;
  const shown = workspace.projects.flatMap((project) =>
    rig.rooms.store.view.ofProject(projectId(project)),
  );
  const marks = new Map(
    shown.map(({ key, item }) => [`${item.kind}-${item.id}`, hands.marks.get(key)]),
  );
  const tokenOf = (kind: string, { id, token }: Pick<Present, "id" | "token">) =>
    marks.get(`${kind}-${id}`) ?? token;
  return present.map((item) => ({
    ...item,
    token: tokenOf(item.kind, item),
    parent: item.parent && { ...item.parent, token: tokenOf("task", item.parent) },
  }));
}

/** In the order in which they reached the workspace: a person may let go what has waited for long. */
const byEnd = (a: Edit, b: Edit): number =>
  a.confirmedAt && b.confirmedAt ? Temporal.Instant.compare(a.confirmedAt, b.confirmedAt) : 0;

function expectEnded(
  { id, item, action, actor, state, problem }: Edit,
  { all, hands }: { readonly all: readonly Edit[]; readonly hands: CaldavHands },
): void {
  expect(["confirmed", "parked", "discarded", "held"], `edit ${id}`).toContain(state);
  expect(actor, `edit ${id} is somebody's who may`).not.toBe(hands.scene.workspace.reader);
  // A deletion that waits is taken back by whoever puts the item again.
  const isBack = action === "delete" && all.some((other) => other.item === item && other.id > id);
  const isWished = isBack || hands.takenBack.has(id);
  const isSilent = state === "confirmed" || state === "held" || (state === "discarded" && isWished);
  if (!isSilent) expect(problem ?? "", `edit ${id}`).toMatch(/\S/);
}

const isOf = ({ parent, child }: Family, token: string): boolean =>
  token === parent || token === child;

/** What was put before its task is below it. */
function expectTogether(
  { parent, child }: Family,
  { present, edits }: { readonly present: readonly Present[]; readonly edits: readonly Edit[] },
): void {
  const below = present.find(({ token }) => token === child);
  const isOne = edits.every((edit) => isDone(edit) && edit.action !== "delete");
  if (!below || !isOne || !present.some(({ token }) => token === parent)) return;
  expect([below.kind, below.parent?.token], `${child} is below ${parent}`).toEqual([
    "subtask",
    parent,
  ]);
}

/** Nothing is there twice; what was created and not deleted is there; what was deleted is not. */
function expectOnce(
  { deeds }: CaldavWorkspace,
  {
    present,
    edits,
    tokenOf,
  }: {
    readonly present: readonly Present[];
    readonly edits: readonly Edit[];
    readonly tokenOf: (edit: Edit) => string;
  },
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
    // Of what was deleted and made again before the service had it, the last creation counts.
    const creation = creations.find(isDone) ?? creations[0];
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
    const edit = sinceMade(own).findLast((one) => isDone(one) && wished(one).length > 0);
    const change = deeds?.last.get(part);
    const before = change?.value ?? (deeds?.first ? partOf(deeds.first, part) : null);
    const asEdited =
      edit !== undefined &&
      wished(edit).every((field) => sameStored(field, edit.patch, valuesOf(item)));
    const asPlayed = before === partOf(present, part);
    const what = `${part} of ${present.token}: ${partOf(present, part)}, edit ${edit?.id} ${JSON.stringify(edit?.patch)}, played ${before}`;
    // Whoever makes anew what somebody has deleted says all of it.
    const isMade = own.some((one) => one.action === "create" && isDone(one));
    if (!edit) expect(asPlayed || isMade, what).toBe(true);
    else if (!change || isBefore(change.at, edit.createdAt)) expect(asEdited, what).toBe(true);
    else if (isBefore(edit.updatedAt, change.at)) expect(asPlayed, what).toBe(true);
    else expect(asEdited || asPlayed, what).toBe(true);
  }
}

/** What was wished of an item before it was deleted and made anew is gone with the old one. */
const sinceMade = (own: readonly Edit[]): readonly Edit[] =>
  own.slice(
    Math.max(
      0,
      own.findLastIndex((one) => one.action === "create" && isDone(one)),
    ),
  );

/** Whether a person has been asked which of two items it is. */
const isUncertain = ({ state, parkReason }: Edit): boolean =>
  state === "parked" && parkReason === "unknown-outcome";

const firstMark = ({ base, patch }: Edit): string => tokenIn(base.title || (patch.title ?? ""));
