import type { Edit } from "../../domain/edit.ts";
import { fieldsOf, type PatchField, patchFields } from "../../domain/patch.ts";
import type { PlainItem } from "../../domain/plain-item.ts";

/** An edit whose outcome is being stored. */
export type Outcome = Pick<Edit, "item" | "action" | "patch">;

/** What two-way calendars do not show, and when a completion took place, which a program may say in its own way. */
const silentKeys: ReadonlySet<string> = new Set([
  "assigned",
  "commentCount",
  "completedAt",
  "completedBy",
  "createdAt",
  "creatorId",
  "customFields",
  "estimatedMinutes",
  "listId",
  "loggedMinutes",
  "projectId",
  "rrule",
  "stage",
  "subtaskCount",
  "ticket",
]);

/** What of an item an edit of a field decides; progress follows a completion. */
const decided: Readonly<Record<PatchField, readonly string[]>> = {
  title: ["title"],
  description: ["description"],
  when: ["when"],
  reminder: ["reminderMinutes"],
  milestone: ["milestone"],
  private: ["private"],
  completed: ["completed", "percent"],
  assigned: [],
  labels: ["labels"],
  startOn: ["startOn"],
  dueOn: ["dueOn"],
  estimated: [],
  place: [],
};

/**
 * Whether a change of an item is news to a program that has put it: anything that its calendars show, but what the
 * service answers to an edit in the fields of that edit. Whether the answer says what the edit said is for the texts to
 * tell. A to-do that gets its place below a task has asked for that.
 */
export function isNews(
  { before, after }: { readonly before: PlainItem; readonly after: PlainItem },
  outcome: Outcome | null,
): boolean {
  const spoken = outcome ? spokenKeys(outcome) : new Set();
  const isHung = before.kind === "event" || before.parentId !== null;
  const [was, is] = [textsOf(before), textsOf(after)];
  return [...is.keys()].some((key) => {
    if (was.get(key) === is.get(key) || silentKeys.has(key) || spoken.has(key)) return false;
    return isHung || (key !== "kind" && key !== "parentId");
  });
}

function spokenKeys({ action, patch }: Outcome): ReadonlySet<string> {
  const fields = action === "create" ? patchFields : fieldsOf(patch);
  return new Set(fields.flatMap((field) => decided[field]));
}

const textsOf = (item: PlainItem): ReadonlyMap<string, string> =>
  new Map(Object.entries(item).map(([key, value]) => [key, JSON.stringify(value)]));
