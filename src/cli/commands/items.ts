import type { Command } from "commander";
import {
  changeItem,
  createItem,
  deleteItem,
  listAgenda,
  showItem,
} from "../../operations/item-operations.ts";
import type { AnswerOf } from "../../operations/operation.ts";
import type { CommandTools } from "../command-host.ts";
import { commandGroup, operationCommand } from "../operation-command.ts";
import { listText, textTable } from "../terminal-text.ts";

type ShownItem = AnswerOf<typeof showItem>;

/** `agenda`: events and due tasks by day. */
export const agendaCommand = ({ host }: CommandTools): Command =>
  operationCommand(listAgenda, host, {
    describe: ({ items, isCut }) =>
      listText(items, "Nothing is due.\n", {
        WHEN: whenOf,
        KIND: ({ kind }) => kind,
        TITLE: (item) => textOf(item, "title"),
        PROJECT: ({ project }) => project.title,
      }) + (isCut ? "There is more: choose fewer days.\n" : ""),
  });

/** `items`: one event, milestone or task, and edits of its fields. */
export const itemsCommand = ({ host }: CommandTools): Command =>
  commandGroup("items", "events, milestones and tasks", [
    operationCommand(showItem, host, { describe: describeItem }),
    operationCommand(createItem, host, { describe: describeEdit }),
    operationCommand(changeItem, host, { describe: describeEdit }),
    operationCommand(deleteItem, host, {
      describe: describeEdit,
      question: ({ dryRun }) =>
        Promise.resolve(
          dryRun === "true" ? null : { asks: "The item is deleted for everyone. Delete it?" },
        ),
    }),
  ]);

const textOf = ({ fields }: ShownItem, name: string): string => String(fields[name] ?? "");

function whenOf(item: ShownItem): string {
  const due = textOf(item, "dueOn");
  if (item.kind === "task" || item.kind === "subtask") return due;
  return `${textOf(item, "startOn") || due} ${textOf(item, "startAt")}`.trim();
}

function describeItem({ uid, kind, project, list, fields, url }: ShownItem): string {
  const rows = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  const place = list ? `${project.title}, ${list.title}` : project.title;
  return textTable(
    ["FIELD", "VALUE"],
    [["uid", uid], ["kind", kind], ["place", place], ...rows, ["page", url]],
  );
}

function describeEdit(answer: AnswerOf<typeof createItem>): string {
  const { edit, state, action, title, changes, notes, occurrences } = answer;
  const what =
    edit === null ? `${action}: ${title}` : `Edit ${edit} (${state}), ${action}: ${title}`;
  const lines = changes.map(({ name, from, to }) => `  ${name}: ${from} -> ${to}`);
  return [what, ...lines, ...notes, ...occurrences.map((when) => `  ${when}`), ""].join("\n");
}
