import type { IncomingItem } from "../../ics/read/read.ts";
import { timeKey } from "./subscribed-text.ts";

/**
 * The newer version of a component with only those properties that differ from the older one, so that nothing else is
 * taken for a wish. Null when none does.
 */
export function spokenAnew(newer: IncomingItem, older: IncomingItem): IncomingItem | null {
  const said = new Set(groups.filter(({ of }) => key(of(newer)) !== key(of(older))));
  const lost = new Set(older.unstorable.map(({ name, reason }) => `${name} ${reason}`));
  const unstorable = newer.unstorable.filter(({ name, reason }) => !lost.has(`${name} ${reason}`));
  const isMoved = said.has(times);
  const isTicked = said.has(completion);
  const spoken: IncomingItem = {
    ...newer,
    summary: said.has(title) ? newer.summary : undefined,
    description: said.has(text) ? newer.description : undefined,
    when: isMoved ? newer.when : undefined,
    start: isMoved ? newer.start : undefined,
    due: isMoved ? newer.due : undefined,
    status: isTicked ? newer.status : undefined,
    completedAt: isTicked ? newer.completedAt : undefined,
    percent: isTicked ? newer.percent : undefined,
    categories: said.has(categories) ? newer.categories : undefined,
    alarm: said.has(alarm) ? newer.alarm : undefined,
    classification: said.has(privacy) ? newer.classification : undefined,
    attendees: said.has(people) ? newer.attendees : undefined,
    relatedTo: said.has(parent) ? newer.relatedTo : undefined,
    comments: said.has(comments) ? newer.comments : [],
    attachments: said.has(files) ? newer.attachments : [],
    unstorable,
  };
  return said.size > 0 ? spoken : null;
}

/** Whether a component claims to have been changed after another one of the same calendar. */
export function claimsNewer(a: IncomingItem, b: IncomingItem): boolean {
  if ((a.sequence ?? 0) > (b.sequence ?? 0)) return true;
  if (!a.lastModified || !b.lastModified) return false;
  return Temporal.Instant.compare(a.lastModified, b.lastModified) > 0;
}

interface Group {
  readonly of: (item: IncomingItem) => unknown;
}

const title: Group = { of: ({ summary }) => summary?.trim() };
const text: Group = { of: ({ description }) => description?.trimEnd() };
const times: Group = { of: timeKey };
const completion: Group = {
  of: ({ status, completedAt, percent }) => [status, completedAt?.toString(), percent],
};
const categories: Group = { of: (item) => item.categories?.toSorted() };
const alarm: Group = {
  of: (item) => item.alarm?.total({ unit: "minutes", relativeTo }),
};
const privacy: Group = { of: ({ classification }) => classification };
const people: Group = { of: ({ attendees }) => attendees?.toSorted() };
const parent: Group = { of: ({ relatedTo }) => relatedTo };
const comments: Group = { of: (item) => item.comments };
const files: Group = {
  of: (item) => item.attachments.map(({ name, type, content }) => [name, type, content.length]),
};
const groups: readonly Group[] = [
  title,
  text,
  times,
  completion,
  categories,
  alarm,
  privacy,
  people,
  parent,
  comments,
  files,
];

const relativeTo = new Temporal.PlainDate(2026, 1, 1);

const key = (value: unknown): string => JSON.stringify(value) ?? "";
