import { Command } from "commander";
import {
  type Agenda,
  changeItem,
  createItem,
  deleteItem,
  type ItemEdit,
  type ItemRecord,
  listAgenda,
  showItem,
} from "../../operations/item-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { operationCommand } from "../operation-command.ts";
import { textTable } from "../terminal-text.ts";

/** `agenda`: events and due tasks by day. */
export const agendaCommand = ({ host }: CommandTools): Command =>
  operationCommand(listAgenda, { describe: describeAgenda }, host);

/** `items`: one event, milestone or task, and edits of its fields. */
export function itemsCommand({ host }: CommandTools): Command {
  const items = new Command("items").description("events, milestones and tasks");
  items.addCommand(operationCommand(showItem, { describe: describeItem }, host));
  for (const operation of [createItem, changeItem]) {
    items.addCommand(operationCommand(operation, { describe: describeItemEdit }, host));
  }
  return items.addCommand(
    operationCommand(
      deleteItem,
      {
        describe: describeItemEdit,
        question: ({ dryRun }) =>
          Promise.resolve(
            dryRun === "true" ? null : { asks: "The item is deleted for everyone. Delete it?" },
          ),
      },
      host,
    ),
  );
}

function describeAgenda(answer: unknown): string {
  const { items, isCut }: Agenda = Object(answer);
  if (items.length === 0) return "Nothing is due.\n";
  const rows = items.map((item) => [
    whenOf(item),
    item.kind,
    textOf(item, "title"),
    item.project.title,
  ]);
  const more = isCut ? "There is more: choose fewer days.\n" : "";
  return `${textTable(["WHEN", "KIND", "TITLE", "PROJECT"], rows)}${more}`;
}

const textOf = ({ fields }: ItemRecord, name: keyof ItemRecord["fields"]): string =>
  String(fields[name] ?? "");

function whenOf(item: ItemRecord): string {
  const day = textOf(item, "startOn") || textOf(item, "dueOn");
  return item.kind === "task" || item.kind === "subtask"
    ? textOf(item, "dueOn")
    : `${day} ${textOf(item, "startAt")}`.trim();
}

function describeItem(answer: unknown): string {
  const item: ItemRecord = Object(answer);
  const { uid, kind, project, list, fields, url } = item;
  const rows = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  const place = list ? `${project.title}, ${list.title}` : project.title;
  return textTable(
    ["FIELD", "VALUE"],
    [["uid", uid], ["kind", kind], ["place", place], ...rows, ["page", url]],
  );
}

function describeItemEdit(answer: unknown): string {
  const { edit, state, action, title, changes, notes, occurrences }: ItemEdit = Object(answer);
  const what =
    edit === null ? `${action}: ${title}` : `Edit ${edit} (${state}), ${action}: ${title}`;
  const lines = changes.map(({ name, from, to }) => `  ${name}: ${from} -> ${to}`);
  return [what, ...lines, ...notes, ...occurrences.map((when) => `  ${when}`), ""].join("\n");
}
