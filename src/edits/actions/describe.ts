import { quotedValue } from "@dayferry/ical";
import { type Edit, type FieldConflict, visibleStates } from "../../domain/edit.ts";
import type { EditExtra } from "../../domain/edit-extra.ts";
import { type Item, spokenKind } from "../../domain/item.ts";
import { applyPatch, valuesOf } from "../../domain/patch.ts";
import { patchToPlain, toPlain } from "../../domain/plain-item.ts";
import { programName } from "../../domain/program-name.ts";
import { changedFields } from "../../domain/sameness.ts";
import { plainDescription } from "../../domain/text.ts";
import { describeUntaken } from "../../domain/three-way.ts";
import { fieldNameOf, momentInWords, type Names } from "../../domain/wording.ts";
import type { Store } from "../../store/store.ts";
import { say } from "../../texts/say.ts";
import { retold } from "../../texts/stored.ts";
import { describeConflict } from "../delivery/merge-edit.ts";
import { describeDuplicates } from "../delivery/repeated-edits.ts";
import {
  type ChangeInWords,
  changesInWords,
  changesOf,
  namedPlaces,
  namesOf,
  valueInWords,
} from "../field-changes.ts";
import { quote } from "../intake/plan-part.ts";
import { type Choice, choiceOf, isCombinable } from "./choice.ts";
import { editInWords } from "./sentence.ts";
import { storyOf } from "./story.ts";
import { describeLoss } from "./undo.ts";
import { waysOut } from "./ways-out.ts";

/** An edit for people and programs; serialises to JSON. */
export type EditDescription = ReturnType<typeof describeEdit>;

/**
 * An edit with its item's present state, under the title that it had at that time. `names`: passed in if many are described.
 */
export function describeEdit(edit: Edit, store: Store, names = namesOf(store)) {
  const shown: Item =
    store.view.get(edit.item)?.item ?? edit.answer ?? applyPatch(edit.base, edit.patch);
  const { uid } = store.mirror.identity(edit.item);
  const isNew = edit.action === "create";
  const wished = applyPatch(edit.base, edit.patch);
  const before = isNew ? null : valuesOf(edit.base);
  const choice = choiceOf(edit, store);
  const isClash = choice !== null && choice.crossed.length > 0;
  const changes = namedPlaces(changesOf(before, edit), {
    places: [before?.place, edit.patch.place],
    directory: store.directory,
  });
  return {
    id: edit.id,
    state: edit.state,
    /** True if an agent made it: its editor may approve it. */
    proposed: store.journal.isProposed(edit.id),
    /** Why it is parked; null if it is not. */
    reason: edit.parkReason,
    channel: edit.channel,
    actor: edit.actor,
    /** Name of the program that sent it; null if unknown. */
    program: programName(edit.program),
    action: edit.action,
    item: {
      uid,
      kind: spokenKind(shown),
      id: shown.id,
      title: wished.title,
      /** Where it is, or is going to be. */
      project: {
        id: wished.projectId,
        title: store.directory.project(wished.projectId)?.title ?? `Project ${wished.projectId}`,
      },
    },
    changes,
    /** What the editor last saw; null for a creation. */
    base: isNew ? null : toPlain(edit.base),
    patch: patchToPlain(edit.patch),
    /** Labels to be created first. */
    newLabels: edit.newLabels,
    answer: edit.answer && toPlain(edit.answer),
    /** Fields that someone else had changed too, with every value and the side that was applied. */
    conflicts: edit.conflicts,
    /** The edit in one sentence, with its changes and conflicts in order; times are in `zone`. */
    words: {
      zone: names.zone,
      ...editInWords(edit, names),
      changes: changesInWords(changes, names),
      conflicts: edit.conflicts.map((conflict) => conflictInWords(conflict, names)),
    },
    /**
     * For an edit parked as a conflict: identifies the shown state, and must be given to send the edit anyway. Null if nobody's
     * change would be overwritten.
     */
    conflictVersion: choice === null || choice.kind === "revival" ? null : choice.version,
    /** The choice for a person; null if there is none. */
    choice: choice && describeChoice(choice, names, store),
    /** Possible actions, most common first. */
    ways: waysOut(edit, choice),
    /** What it requests besides fields: comments, files, and properties stored here. */
    extras: store.extras.ofEdit(edit.id).map(describeExtra),
    /** The edit that this one undoes. */
    undoes: edit.undoes,
    attempts: edit.attempts,
    problem: problemOf(edit, store, { names, isClash }),
    /** Other people's values that the edit has replaced, once applied; null if none. */
    replaced: hasWon(edit) ? describeConflict(edit, names) : null,
    notBefore: edit.notBefore,
    createdAt: edit.createdAt,
    updatedAt: edit.updatedAt,
  };
}

/** An edit with its history. */
export type EditStory = ReturnType<typeof describeWithStory>;

/** Like `describeEdit`, with the history. */
export const describeWithStory = (edit: Edit, store: Store, names = namesOf(store)) => ({
  ...describeEdit(edit, store, names),
  story: storyOf(edit, store, names),
  /** All edits made from the same repeating item, oldest first; none for others. */
  series: store.journal.madeTogether(edit.id),
});

/**
 * A choice for people and programs. `kind` is `fields` for a choice by field, `deletion` of an item that somebody changed, or
 * `revival` of an item that somebody deleted.
 */
function describeChoice(choice: Choice, names: Names, store: Store) {
  const { kind, version, crossed } = choice;
  const text = (value: unknown) => plainDescription(typeof value === "string" ? value : null);
  return {
    kind,
    /** Must be given with the decision, which applies to the shown state only. */
    version,
    fields: crossed.map((conflict) => {
      const { field, ours, theirs } = conflict;
      const { name, before, workspace, edit } = conflictInWords(conflict, names);
      const texts = kind === "fields" && isCombinable(field);
      return {
        field,
        name,
        before,
        theirs: workspace,
        mine: kind === "deletion" ? say("describe.deleted") : edit,
        /** Both texts in full, to be combined; null if that is not possible. */
        texts: texts ? { theirs: text(ours), mine: text(theirs) } : null,
      };
    }),
    /** Other changes of the edit, which are sent in any case. */
    besides:
      kind === "fields"
        ? changesInWords(
            changesOf(valuesOf(choice.present), { patch: choice.rest, newLabels: [] }),
            names,
          )
        : [],
    /** When the item was last changed in the service, and by whom; null if unknown. */
    changed: kind === "revival" ? null : lastChange(choice.present, names, store),
  };
}

/** Only tasks have a history, which names the person. */
function lastChange({ kind, id, updatedAt }: Item, names: Names, store: Store) {
  if (updatedAt === null) return null;
  const entries = kind === "task" && id !== null ? store.history.ofTask(id) : [];
  const isOf = ({ activityAt }: (typeof entries)[number]) => activityAt?.equals(updatedAt) === true;
  const person = entries.findLast(isOf)?.personId ?? null;
  return { at: updatedAt, by: person === null ? null : (names.people.get(person) ?? null) };
}

const conflictName = ({ field, below }: FieldConflict): string =>
  below
    ? say("describe.subtaskField", { field: fieldNameOf(field), title: below.title })
    : fieldNameOf(field);

/** A conflict for people: before, in the workspace now, and as the edit wants it. */
function conflictInWords(conflict: FieldConflict, names: Names) {
  const { field, base, ours, theirs } = conflict;
  const said = (value: unknown) => valueInWords({ field, value }, names);
  return {
    name: conflictName(conflict),
    before: said(base),
    workspace: said(ours),
    edit: said(theirs),
  };
}

/** Errors, reasons to wait, and losses, in one text; null if there are none. */
function problemOf(
  edit: Edit,
  store: Store,
  { names, isClash }: { readonly names: Names; readonly isClash: boolean },
): string | null {
  const { journal, extras } = store;
  const undone = edit.undoes !== null && edit.action === "create" ? journal.get(edit.undoes) : null;
  const isParked = edit.state === "parked" || edit.state === "discarded";
  const remarks = [
    // The text written when it was parked is repeated with current names.
    isClash || edit.problem === null ? null : retold(edit.problem),
    describeWait(edit, store),
    (isParked && edit.problem !== null && !isClash) || hasWon(edit)
      ? null
      : describeConflict(edit, names),
    edit.answer && describeUntaken(edit, edit.answer),
    describeDuplicates(edit, store),
    describeRestoration(edit),
    undone && describeLoss(undone),
    ...extras.ofEdit(edit.id).map(extraProblem),
  ].filter((remark) => remark !== null);
  return remarks.length > 0 ? remarks.join("; ") : null;
}

/** True if the edit was applied completely. Values of others that it replaced are then no problem. */
const hasWon = ({ state, conflicts }: Edit): boolean =>
  (state === "confirmed" || state === "undone") &&
  conflicts.every(({ taken }) => taken === "theirs");

function describeRestoration({ restores, state, action }: Edit): string | null {
  if (!restores) return null;
  const about = { by: restores.by, done: state === "confirmed" ? "yes" : "no" };
  return say(action === "delete" ? "describe.restored" : "describe.putBack", about);
}

const open = ["pending", "claimed", "held", "parked"];

/** The edit that must go first: the creation of its item or of the parent task, or an older edit of the item; null if none. */
function describeWait(edit: Edit, store: Store): string | null {
  if (edit.state !== "pending") return null;
  const first =
    edit.action === "create" ? describeBelow(edit, store) : describeUncreated(edit, store);
  return first ?? describeOlder(edit, store);
}

function describeBelow(edit: Edit, { journal, mirror, pastEdits, zone }: Store): string | null {
  const sought = journal.soughtParent(edit.id);
  if (sought !== null && edit.notBefore)
    return describeSearch(sought, { until: edit.notBefore, zone });
  const uid = journal.awaitedParent(edit.item);
  const task = uid === null ? null : mirror.findUid(uid);
  const above = task && pastEdits.ofItem(task.item).find(isOpenCreation);
  return above ? `${say("describe.waitsParent", { id: above.id })}${stateOf(above)}` : null;
}

function describeUncreated(edit: Edit, { mirror, pastEdits }: Store): string | null {
  if (mirror.identity(edit.item).serviceId !== null) return null;
  const creation = pastEdits
    .ofItem(edit.item)
    .find((one) => one.id < edit.id && isOpenCreation(one));
  return creation ? `${say("describe.waitsItem", { id: creation.id })}${stateOf(creation)}` : null;
}

function describeOlder({ item, id }: Edit, { pastEdits }: Store): string | null {
  const first = pastEdits
    .ofItem(item)
    .findLast((one) => one.id < id && visibleStates.includes(one.state));
  return first ? say("describe.waitsOlder", { id: first.id }) : null;
}

function stateOf({ state }: Edit): string {
  if (state === "held") return ` ${say("describe.andHeld")}`;
  return state === "parked" ? ` ${say("describe.andParked")}` : "";
}

function describeSearch(
  uid: string,
  { until, zone }: { readonly until: Temporal.Instant; readonly zone: string },
): string {
  // Rounded up to a minute, so that it has not passed while it is still waited for.
  const whole = until.round({ smallestUnit: "minute", roundingMode: "ceil" });
  return say("describe.search", { until: momentInWords(whole, zone), uid: quotedValue(uid) });
}

const isOpenCreation = ({ action, state }: Edit): boolean =>
  action === "create" && open.includes(state);

/** A comment, a file or a stored property of an edit, for people and programs. */
const describeExtra = ({ kind, name, text, target, state, problem, answerId }: EditExtra) => ({
  kind,
  /** Name of the file or the property. */
  name,
  /** The comment, or the stored lines; null for a file. */
  text,
  what: say(`describe.extra.${target}`),
  state,
  problem,
  /** Id of the created comment or file. */
  id: answerId,
});

/** Why it waits or is retried; null if it does not. */
function extraProblem({ name, state, problem }: EditExtra): string | null {
  if (problem === null || state === "done") return null;
  return say(state === "parked" ? "describe.extraParked" : "describe.extraRetried", {
    name: quote(name),
    problem: retold(problem),
  });
}

/** Texts for webhooks about items and edits. */
export const hookWords = (store: Store) => ({
  changes(before: Item, after: Item): readonly ChangeInWords[] {
    const patch = changedFields(valuesOf(before), valuesOf(after));
    return changesInWords(changesOf(valuesOf(before), { patch, newLabels: [] }), namesOf(store));
  },
  sentence: (edit: Edit): string => describeEdit(edit, store).words.sentence,
});
