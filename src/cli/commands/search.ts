import type { Command } from "commander";
import type { AnswerOf } from "../../operations/operation.ts";
import { search } from "../../operations/search-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { operationCommand } from "../operation-command.ts";
import { listText } from "../terminal-text.ts";

/** `search`: items, projects, people, edits and settings by their words. */
export const searchCommand = ({ host }: CommandTools): Command =>
  operationCommand(search, host, { describe });

function describe(answer: AnswerOf<typeof search>): string {
  const { items, hasMoreItems, projects, people, edits, settings } = answer;
  const others = [
    ...projects.map(({ name }) => ({ kind: "project", name, about: "" })),
    ...people.map(({ name }) => ({ kind: "person", name, about: "" })),
    ...edits.map((edit) => ({ ...edit, kind: "edit" })),
    ...settings.map((setting) => ({ ...setting, kind: "setting" })),
  ];
  if (items.length + others.length === 0) return "nothing found\n";
  const found = listText(items, "", {
    KIND: ({ kind }) => kind,
    NAME: ({ title, completed }) => (completed ? `${title} (completed)` : title),
    PROJECT: ({ project }) => project,
    WHEN: ({ when }) => when,
  });
  const more = hasMoreItems ? "There are more items: add a word to narrow the search.\n" : "";
  const rest = listText(others, "", {
    KIND: ({ kind }) => kind,
    NAME: ({ name }) => name,
    DETAILS: ({ about }) => about,
  });
  return [found, more, rest].filter((part) => part !== "").join("\n");
}
