import { channels } from "../../domain/edit.ts";
import { jsonKeyOf } from "../../domain/fields.ts";
import { fieldsOf } from "../../domain/patch.ts";
import { channelInWords } from "../../domain/wording.ts";
import type { ReportRow } from "../../store/rows/report-rows.ts";
import { say } from "../../texts/say.ts";
import { instantsOf, kindWords, personOf, projectOf, type ReportScope, report } from "../report.ts";
import { differencesOf, differenceWords, type FieldDifference } from "./changed-fields.ts";

const fields =
  "item, at, revision, act, kind, uid, title, project, before, after, pending, edit_id, channel, person, edit_action, edit_patch";
type Row = ReportRow<"report_changes", typeof fields>;

const actWords = {
  added: "reportAct.added",
  changed: "reportAct.changed",
  removed: "reportAct.removed",
} as const;

/** What has changed, and by whom if it was an edit through Dayferry; the last week by default. */
export const changes = report({
  name: "changes",
  group: "history",
  takes: ["project", "person", "dates", "since", "as-of"],
  columns: [
    { key: "at", title: "column.when", type: "instant" },
    { key: "revision", title: "column.revision", type: "count" },
    { key: "act", title: "column.what", type: "text", words: actWords },
    { key: "kind", title: "column.kind", type: "text", words: kindWords },
    { key: "title", title: "column.title", type: "text" },
    { key: "project", title: "column.project", type: "text" },
    { key: "fields", title: "column.fields", type: "text" },
    { key: "pending", title: "column.pending", type: "flag" },
    { key: "who", title: "column.who", type: "text" },
    { key: "edit_id", title: "column.edit", type: "count" },
    { key: "uid", title: "column.uid", type: "text" },
  ],
  read(view, scope) {
    const rows = view({
      view: "report_changes",
      columns: fields,
      where: {
        report_changes: [...projectOf(scope), ...personOf(scope), ...sinceOf(scope)],
      },
    });
    return () => changesOf(rows, scope);
  },
});

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

/** For one person, only changes that an edit explains. */
function changesOf(rows: readonly Row[], scope: ReportScope) {
  const inWords = differenceWords(scope);
  const newestFirst = rows.toSorted((a, b) => b.revision - a.revision || b.pending - a.pending);
  const entries = newestFirst.flatMap((row) => {
    const differences = differencesOf(row);
    const isOurs = explains(row, differences);
    if (scope.person !== null && !isOurs) return [];
    const entry = {
      ...row,
      item: row.act === "removed" ? null : row.item,
      fields: differences.map(inWords).join("; ") || null,
      who: isOurs ? editorOf(row) : null,
      edit_id: isOurs ? row.edit_id : null,
    };
    return [entry];
  });
  return { rows: entries, notes: [say("reports.whoNote"), say("reports.pendingNote")] };
}

/** "Ben Okafor, by a calendar program". */
function editorOf({ person, channel }: Row): string {
  const way = channels.find((each) => each === channel);
  return [person ?? say("reports.account"), ...(way ? [channelInWords(way)] : [])].join(", ");
}

/** True if the edit in progress concerns any of these fields. A sweep may read other people's changes in the meantime. */
function explains(row: Row, differences: readonly FieldDifference[]): boolean {
  if (row.edit_id === null || row.edit_action === null) return false;
  const { edit_action: action } = row;
  if (row.act !== "changed") return action === "create" || action === "delete";
  const patched = fieldsOf(Object(JSON.parse(row.edit_patch ?? "{}")));
  const wanted = new Set(patched.map((field) => (field === "place" ? field : jsonKeyOf(field))));
  if (action === "complete" || action === "reopen") wanted.add("completed");
  return action === "create" || differences.some(({ field }) => wanted.has(field));
}
