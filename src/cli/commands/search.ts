import type { Command } from "commander";
import { type SearchResults, search } from "../../operations/search-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { operationCommand } from "../operation-command.ts";
import { textTable } from "../terminal-text.ts";

/** `search`: items, projects, people, edits and settings by their words. */
export const searchCommand = ({ host }: CommandTools): Command =>
  operationCommand(search, { describe: describeResults }, host);

function describeResults(answer: unknown): string {
  const { items, hasMoreItems, projects, people, edits, settings }: SearchResults = Object(answer);
  const others = [
    ...projects.map(({ name }) => ["project", name, ""]),
    ...people.map(({ name }) => ["person", name, ""]),
    ...edits.map(({ name, about }) => ["edit", name, about]),
    ...settings.map(({ name, about }) => ["setting", name, about]),
  ];
  if (items.length + others.length === 0) return "nothing found\n";
  const more = hasMoreItems ? "There are more items: add a word to narrow the search.\n" : "";
  const found = textTable(
    ["KIND", "NAME", "PROJECT", "WHEN"],
    items.map(({ kind, title, project, when, completed }) => [
      kind,
      completed ? `${title} (completed)` : title,
      project,
      when ?? "-",
    ]),
  );
  const rest = others.length === 0 ? "" : textTable(["KIND", "NAME", "DETAILS"], others);
  return [items.length === 0 ? "" : found, more, rest].filter((part) => part !== "").join("\n");
}
