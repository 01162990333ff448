import { unreachable } from "../../domain/result.ts";
import type { ItemChangeRow } from "../../store/rows/report-rows.ts";
import { shorten } from "../formats/text-formats.ts";
import {
  instantsOf,
  personOf,
  projectOf,
  type Report,
  type ReportContent,
  type ReportScope,
} from "../report.ts";

const fields = [
  "at",
  "revision",
  "act",
  "kind",
  "uid",
  "title",
  "project",
  "before",
  "after",
  "edit_id",
  "channel",
  "person",
  "edit_action",
  "edit_patch",
] as const;
type Row = Pick<ItemChangeRow, (typeof fields)[number]>;

/** What has changed, and by whom where it was an edit of ours; the last week where neither dates nor `since` are given. */
export const changes: Report = {
  name: "changes",
  title: "Changes",
  about: "What was added, changed and removed, newest first, with every field before and after.",
  takes: ["project", "person", "dates", "since", "as-of"],
  columns: [
    { key: "at", title: "When", type: "instant" },
    { key: "revision", title: "Revision", type: "count" },
    { key: "act", title: "What", type: "text" },
    { key: "kind", title: "Kind", type: "text" },
    { key: "title", title: "Title", type: "text" },
    { key: "project", title: "Project", type: "text" },
    { key: "fields", title: "Fields", type: "text" },
    { key: "who", title: "Who", type: "text" },
    { key: "edit_id", title: "Edit", type: "count" },
    { key: "uid", title: "UID", type: "text" },
  ],
  read(view, scope) {
    const rows = view({
      view: "report_changes",
      columns: fields,
      where: {
        report_changes: [...projectOf(scope), ...personOf(scope), ...sinceOf(scope)],
      },
    });
    return () => changesOf(rows, { ofPerson: scope.person !== null });
  },
};

function sinceOf(scope: ReportScope) {
  const { since, from, to, now, asOf } = scope;
  const dates = instantsOf("at", scope);
  if (since && "revision" in since) {
    return [...dates, { column: "revision", is: ">", value: since.revision } as const];
  }
  const start = since?.at ?? (from || to ? null : (asOf ?? now).subtract({ hours: 24 * 7 }));
  const text = start?.toString({ smallestUnit: "millisecond" });
  return text ? [...dates, { column: "at", is: ">=", value: text } as const] : dates;
}

/** `ofPerson`: only what an edit explains is kept. */
function changesOf(
  rows: readonly Row[],
  { ofPerson }: { readonly ofPerson: boolean },
): ReportContent {
  const newestFirst = rows.toSorted((a, b) => b.revision - a.revision);
  return {
    rows: newestFirst.flatMap((row) => {
      const differences = differencesOf(row);
      const isOurs = explains(row, differences);
      if (ofPerson && !isOurs) return [];
      const fieldTexts = differences
        .map(({ field, before, after }) => `${field}: ${said(before)} → ${said(after)}`)
        .join("; ");
      return [
        [
          row.at,
          row.revision,
          row.act,
          row.kind,
          row.title,
          row.project,
          fieldTexts === "" ? null : fieldTexts,
          isOurs ? `${row.person ?? "the account"} (${row.channel ?? ""})` : null,
          isOurs ? row.edit_id : null,
          row.uid,
        ],
      ];
    }),
    notes: [
      "“Who” is known of edits that came in through Dayferry; everything else was changed in the workspace.",
    ],
  };
}

interface Difference {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

function differencesOf({ before, after }: Pick<Row, "before" | "after">): readonly Difference[] {
  if (before === null || after === null) return [];
  const old = new Map<string, unknown>(Object.entries(JSON.parse(before)));
  const now = new Map<string, unknown>(Object.entries(JSON.parse(after)));
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((field) => !isSame(old.get(field), now.get(field)))
    .map((field) => ({ field, before: old.get(field) ?? null, after: now.get(field) ?? null }));
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));

/** Whether the edit that was under way asked for any of it; a sweep may bring other people's changes meanwhile. */
function explains(row: Row, differences: readonly Difference[]): boolean {
  if (row.edit_id === null || row.edit_action === null) return false;
  switch (row.act) {
    case "added":
      return row.edit_action === "create" || row.edit_action === "delete";
    case "removed":
      return row.edit_action === "delete" || row.edit_action === "create";
    case "changed": {
      const patched = Object.keys(JSON.parse(row.edit_patch ?? "{}"));
      const wanted = new Set(patched.map((field) => contentField.get(field) ?? field));
      if (row.edit_action === "complete" || row.edit_action === "reopen") wanted.add("completed");
      return row.edit_action === "create" || differences.some(({ field }) => wanted.has(field));
    }
    default:
      return unreachable(row.act);
  }
}

/** Fields that a patch calls otherwise than the content does. */
const contentField: ReadonlyMap<string, string> = new Map([
  ["reminder", "reminderMinutes"],
  ["estimated", "estimatedMinutes"],
]);

const longest = 80;

function said(value: unknown): string {
  const text = typeof value === "string" ? value : value === null ? "–" : JSON.stringify(value);
  return shorten(text, longest);
}
