import { assignedOf, type FeedChoice, type FeedFilter } from "../domain/feed-filter.ts";
import type { SpokenKind } from "../domain/item.ts";
import type { Store } from "../store/store.ts";

type Directory = Pick<Store["directory"], "labelNames" | "personNames" | "project">;

/** What a feed shows, as one phrase without a full stop. */
export function describeFeedChoice(choice: FeedChoice, directory: Directory): string {
  const { kind, projectId: project, personId: person, filter } = choice;
  const names = directory.personNames();
  const who = person === null ? null : (names.get(person) ?? `person ${person}`);
  const title = (id: Parameters<Directory["project"]>[0]): string =>
    directory.project(id)?.title ?? `project ${id}`;
  const chosen = filter?.projects?.map(title);
  const place =
    kind === "project" && project !== null
      ? title(project)
      : chosen
        ? inList(chosen)
        : who === null
          ? "all projects"
          : `all projects that ${who} may see`;
  const labels = directory.labelNames();
  const assigned = assignedOf(choice);
  const parts = [
    `${kindsInWords(filter)} of ${place}`,
    ...(assigned && [...assigned].length > 0
      ? [
          `assigned to ${inList(
            [...assigned].map((id) => names.get(id) ?? `person ${id}`),
            "or",
          )}`,
        ]
      : []),
    ...(filter?.labels
      ? [
          `labelled ${inList(
            filter.labels.map((id) => labels.get(id) ?? "a deleted label"),
            "or",
          )}`,
        ]
      : []),
    ...(kind === "project" && who !== null ? [`as ${who} may see them`] : []),
    ...completedInWords(filter),
    ...privateInWords(choice),
    ...(filter?.reminders === false ? ["without reminders"] : []),
  ];
  return parts.join(", ");
}

const plural: Readonly<Record<SpokenKind, string>> = {
  event: "events",
  milestone: "milestones",
  task: "tasks",
  subtask: "subtasks",
};

/** `tasks and subtasks`; `everything` without a choice. */
export function kindsInWords(filter: FeedFilter | null): string {
  if (filter?.labels) {
    const kinds = (filter.kinds ?? ["task", "subtask"]).filter((kind) => kind.endsWith("task"));
    return inList(kinds.map((kind) => plural[kind]));
  }
  return filter?.kinds ? inList(filter.kinds.map((kind) => plural[kind])) : "everything";
}

function completedInWords(filter: FeedFilter | null): readonly string[] {
  const length = filter?.completed;
  if (length === undefined) return [];
  if (length === "none") return ["without completed items"];
  const days = Temporal.Duration.from(length).total({
    unit: "days",
    relativeTo: new Temporal.PlainDate(2026, 1, 1),
  });
  return [`completed ones for ${days === 1 ? "a day" : `${days} days`}`];
}

function privateInWords({ filter, personId: person }: FeedChoice): readonly string[] {
  const whose = person === null ? "private items" : "their own private items";
  const modes = { omit: `without ${whose}`, busy: `${whose} as "Busy"`, show: `with ${whose}` };
  return filter?.private ? [modes[filter.private]] : [];
}

/** `a, b and c`. */
function inList(words: readonly string[], joint = "and"): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${joint} ${last}`;
}
