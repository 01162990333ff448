import type { InList } from "./access-checks.ts";
import type { Fields } from "./fields.ts";
import type { WorkRecord } from "./records.ts";
import { refuse } from "./refusal.ts";
import { knownPeople, type Setting, stampNow } from "./setting.ts";

/** An upload for a new item, and its folder; null for the project's home folder. */
export interface WantedAttachment {
  readonly upload: number;
  readonly folder: number | null;
}

interface ReadContext {
  readonly fields: Fields;
  readonly setting: Setting;
}

/** A new item from a body, and its uploads; stores nothing. Rejects (400) without a title. */
export function readNewWork(
  found: InList,
  { fields, setting }: ReadContext,
): { readonly draft: WorkRecord; readonly attachments: readonly WantedAttachment[] } {
  const title = fields.title("title") ?? fields.refuse("title is required") ?? "";
  const patch = readWorkPatch(fields, setting);
  const attachments = readAttachments(fields, setting);
  const bare = newWork(found, { id: 0, title, now: stampNow(setting) });
  const draft = { ...bare, ...patch };
  checkDates(draft, fields);
  return fields.problem === null ? { draft, attachments } : refuse(400, fields.problem);
}

/** The item as changed by a body, completed or reopened by `by` at `now`; stores nothing and leaves `updatedAt` as it was. */
export function readChangedWork<T extends WorkRecord>(
  item: T,
  { fields, setting, by, now }: ReadContext & { readonly by: number; readonly now: string },
): T {
  const edited = { ...item, ...readWorkPatch(fields, setting) };
  const completed = fields.flag("completed") ?? item.completedAt !== null;
  checkDates(edited, fields);
  if (fields.problem !== null) return refuse(400, fields.problem);
  return withCompleted(edited, { completed, by, now });
}

/** A new item of a list with only this identity. */
export function newWork(
  found: InList,
  given: { readonly id: number; readonly title: string; readonly now: string },
): WorkRecord {
  const { id, title, now } = given;
  const place = { id, project: found.project.id, list: found.list.id };
  return { ...place, ...blankWork({ title, createdBy: found.person.id, createdAt: now }) };
}

/** Shared by tasks and subtasks that have only a title. */
export function blankWork(
  given: Pick<WorkRecord, "title" | "createdBy" | "createdAt">,
): Omit<WorkRecord, "id" | "project" | "list"> {
  return {
    title: given.title,
    description: null,
    startOn: null,
    dueOn: null,
    estimatedHours: null,
    estimatedMins: null,
    loggedHours: null,
    loggedMins: null,
    assigned: [],
    labels: [],
    attachments: [],
    percentProgress: 0,
    taskHistory: null,
    completedAt: null,
    completedBy: null,
    createdBy: given.createdBy,
    createdAt: given.createdAt,
    updatedAt: given.createdAt,
  };
}

/** The fields that tasks and subtasks share in a response. */
export function showWork(
  item: WorkRecord,
  seen: InList & { readonly setting: Setting; readonly comments: number },
) {
  return {
    id: item.id,
    title: item.title,
    description: item.description,
    start_date: item.startOn,
    due_date: item.dueOn,
    estimated_hours: item.estimatedHours,
    estimated_mins: item.estimatedMins,
    logged_hours: item.loggedHours,
    logged_mins: item.loggedMins,
    updated_at: item.updatedAt,
    created_at: item.createdAt,
    completed: item.completedAt !== null,
    assigned: item.assigned,
    labels: item.labels,
    task_history: item.taskHistory,
    percent_progress: item.percentProgress,
    attachments: item.attachments.flatMap((id) => {
      const upload = seen.setting.store.uploads.get(id);
      return upload === undefined
        ? []
        : [{ id, name: upload.name, byte_size: upload.byteSize, file_type: fileType(upload.name) }];
    }),
    comments: seen.comments,
    by_me: item.createdBy === seen.person.id,
    template: false,
    project: { id: seen.project.id, name: seen.project.title },
    creator: { id: item.createdBy },
    list: { id: seen.list.id, name: seen.list.title },
    ...(item.completedAt === null
      ? {}
      : { completed_at: item.completedAt, completed_by: item.completedBy }),
  };
}

/** An id given as a number or a string; 0, which does not exist, for anything else. */
export function wholeNumber(id: unknown): number {
  const number = typeof id === "number" || typeof id === "string" ? Number(id) : 0;
  return Number.isSafeInteger(number) ? number : 0;
}

/** The extension of a file name in lower case; empty without one. */
export function fileType(name: string): string {
  return /\.([^.]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? "";
}

/** The fields of tasks and subtasks that a caller may set. */
type WorkPatch = Partial<
  Pick<
    WorkRecord,
    | "title"
    | "description"
    | "startOn"
    | "dueOn"
    | "estimatedHours"
    | "estimatedMins"
    | "assigned"
    | "labels"
  >
>;

/**
 * Reads what tasks and subtasks share from a body; errors go to `fields`. Drops unknown people, rejects unknown labels;
 * `estimated_hrs` (a text) is the service's other name for the estimate. Source: service-api.md, Task create body.
 */
function readWorkPatch(fields: Fields, setting: Setting): WorkPatch {
  const title = fields.title("title");
  const description = fields.text("description");
  const startOn = fields.date("start_date");
  const dueOn = fields.date("due_date");
  const estimate = readEstimate(fields);
  const assigned = fields.ids("assigned");
  const labels = fields.ids("labels");
  for (const label of labels ?? [])
    if (setting.store.labels.get(label) === undefined)
      fields.refuse(`labels holds ${label}, which is no label`);
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(startOn === undefined ? {} : { startOn }),
    ...(dueOn === undefined ? {} : { dueOn }),
    ...estimate,
    ...(assigned === undefined ? {} : { assigned: knownPeople(setting, assigned) }),
    ...(labels === undefined ? {} : { labels }),
  };
}

function readEstimate(fields: Fields): Pick<WorkPatch, "estimatedHours" | "estimatedMins"> {
  const estimatedHours = fields.count("estimated_hours");
  const estimatedMins = fields.count("estimated_mins");
  const alias = fields.raw("estimated_hrs");
  const hours = typeof alias === "string" || typeof alias === "number" ? Number(alias) : Number.NaN;
  if (alias !== undefined && (alias === "" || !(hours >= 0 && Number.isFinite(hours))))
    fields.refuse("estimated_hrs must be a number of hours");
  return {
    ...(alias === undefined || fields.problem !== null
      ? {}
      : { estimatedHours: Math.floor(hours), estimatedMins: Math.round((hours % 1) * 60) }),
    ...(estimatedHours === undefined ? {} : { estimatedHours }),
    ...(estimatedMins === undefined ? {} : { estimatedMins }),
  };
}

/** The attachment ids of a body, each an object with `id` (text or number) and an optional `folder`. */
function readAttachments(fields: Fields, setting: Setting): readonly WantedAttachment[] {
  const raw = fields.raw("attachments");
  if (raw === undefined || raw === null) return [];
  if (!Array.isArray(raw)) {
    fields.refuse("attachments must be an array");
    return [];
  }
  return raw.flatMap((it: unknown): WantedAttachment[] => {
    const given = new Map<string, unknown>(
      typeof it === "object" && it !== null ? Object.entries(it) : [],
    );
    const upload = setting.store.uploads.get(wholeNumber(given.get("id")));
    const folder = given.get("folder");
    if (upload === undefined) fields.refuse("attachments holds an id that was never uploaded");
    else return [{ upload: upload.id, folder: folder === undefined ? null : wholeNumber(folder) }];
    return [];
  });
}

function checkDates({ startOn, dueOn }: WorkRecord, fields: Fields): void {
  if (startOn !== null && dueOn !== null && startOn > dueOn)
    fields.refuse(`start_date ${startOn} is after due_date ${dueOn}`);
}

/** The item completed or reopened; unchanged if it already is. */
function withCompleted<T extends WorkRecord>(
  item: T,
  wanted: { readonly completed: boolean; readonly by: number; readonly now: string },
): T {
  if (wanted.completed === (item.completedAt !== null)) return item;
  if (!wanted.completed)
    return { ...item, completedAt: null, completedBy: null, percentProgress: 0 };
  return { ...item, completedAt: wanted.now, completedBy: wanted.by, percentProgress: 100 };
}
