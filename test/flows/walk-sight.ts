import { expect } from "vitest";
import type { Edit } from "../../src/domain/edit.ts";
import type { Item } from "../../src/domain/item.ts";
import { applyPatch, fieldsOf, type PatchField } from "../../src/domain/patch.ts";
import type { When } from "../../src/domain/when.ts";
import type { Story } from "./walk-workspace.ts";
import { type PartName, parts } from "./workspace-people.ts";

const fieldsOfPart: Readonly<Record<PartName, readonly PatchField[]>> = {
  title: ["title"],
  description: ["description"],
  dates: ["when", "startOn", "dueOn"],
  completed: ["completed"],
};

export const isDone = ({ state }: Edit): boolean => state === "confirmed";

export const isBefore = (a: Temporal.Instant, b: Temporal.Instant): boolean =>
  Temporal.Instant.compare(a, b) < 0;

/** The fields of a part that an edit wishes. */
export const wishedOf = ({ patch }: Edit, part: PartName): readonly PatchField[] =>
  fieldsOfPart[part].filter((field) => fieldsOf(patch).includes(field));

/**
 * Expects that nobody has changed, or deleted, what somebody else had changed without having seen that: the first edit
 * after a change in the workspace knew it. `own`: the item's edits, oldest first; `taskGoneAt`:
 * when its task was deleted here, which takes it along.
 */
export function expectSeen(
  story: Story,
  {
    own,
    taskGoneAt,
  }: { readonly own: readonly Edit[]; readonly taskGoneAt: Temporal.Instant | null },
): void {
  for (const part of parts) {
    const change = story.last.get(part);
    if (!change) continue;
    const touching = own.filter((edit) => {
      // What is gone already may be deleted by anybody.
      const isGone = taskGoneAt !== null && isBefore(taskGoneAt, edit.createdAt);
      const deletes = edit.action === "delete" && story.deletedAt === null && !isGone;
      return isDone(edit) && (deletes || wishedOf(edit, part).length > 0);
    });
    const after = touching.filter((edit) => isBefore(change.at, edit.createdAt));
    const isRacing = touching.some((edit) => {
      return !after.includes(edit) && !isBefore(edit.updatedAt, change.at);
    });
    const [first] = after;
    if (isRacing || !first) continue;
    const wished =
      first.action === "delete" ? [] : [partOf(applyPatch(first.base, first.patch), part)];
    const what = `edit ${first.id} knows the ${part} that was set in the workspace`;
    expect([partOf(first.base, part), ...wished], what).toContain(change.value);
  }
}

/** A part as the service writes it. */
function partOf(item: Item, part: PartName): string {
  if (part === "title") return item.title;
  if (part === "description") return item.description ?? "";
  if (part === "completed") return String(item.completed);
  if (item.kind === "event") return JSON.stringify(written(item.when));
  return JSON.stringify([item.startOn?.toString() ?? null, item.dueOn?.toString() ?? null]);
}

function written(when: When): readonly unknown[] {
  if (when.kind === "dates") {
    const last = when.end.subtract({ days: 1 });
    return [`${when.start.toString()} 00:00`, `${last.toString()} 23:59`, true];
  }
  const text = (time: Temporal.ZonedDateTime) =>
    time.toPlainDateTime().toString({ smallestUnit: "minute" }).replace("T", " ");
  return [text(when.start), when.end && text(when.end), false];
}
