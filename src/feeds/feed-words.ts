import { assignedOf, type FeedChoice, type FeedFilter } from "../domain/feed-filter.ts";
import type { SpokenKind } from "../domain/item.ts";
import type { Store } from "../store/store.ts";
import { formatList } from "../texts/dates.ts";
import { say } from "../texts/say.ts";

type Directory = Pick<Store["directory"], "labelNames" | "personNames" | "project">;

/** What a feed shows, as one phrase without a full stop. */
export function describeFeedChoice(choice: FeedChoice, directory: Directory): string {
  const { kind, projectId: project, personId: person, filter } = choice;
  const names = directory.personNames();
  const who = person === null ? null : (names.get(person) ?? say("unnamed.person", { id: person }));
  const title = (id: Parameters<Directory["project"]>[0]): string =>
    directory.project(id)?.title ?? say("unnamed.project", { id });
  const chosen = filter?.projects?.map(title);
  const place =
    kind === "project" && project !== null
      ? title(project)
      : chosen
        ? formatList(chosen)
        : who === null
          ? say("shows.allProjects")
          : say("shows.allSeen", { name: who });
  const labels = directory.labelNames();
  const assigned = assignedOf(choice);
  const parts = [
    say("shows.of", { kinds: kindsInWords(filter) ?? say("shows.everything"), place }),
    ...(assigned && [...assigned].length > 0
      ? [
          say("shows.assigned", {
            names: formatList(
              [...assigned].map((id) => names.get(id) ?? say("unnamed.person", { id })),
              "disjunction",
            ),
          }),
        ]
      : []),
    ...(filter?.labels
      ? [
          say("shows.labelled", {
            labels: formatList(
              filter.labels.map((id) => labels.get(id) ?? say("shows.deletedLabel")),
              "disjunction",
            ),
          }),
        ]
      : []),
    ...(kind === "project" && who !== null ? [say("shows.asSeen", { name: who })] : []),
    ...completedInWords(filter),
    ...privateInWords(choice),
    ...(filter?.reminders === false ? [say("shows.noReminders")] : []),
  ];
  return parts.join(", ");
}

/** `tasks and subtasks`; null without a choice. */
export function kindsInWords(filter: FeedFilter | null): string | null {
  const plural = (kinds: readonly SpokenKind[]) =>
    formatList(kinds.map((kind) => say(`shows.kind.${kind}`)));
  if (filter?.labels) {
    return plural((filter.kinds ?? ["task", "subtask"]).filter((kind) => kind.endsWith("task")));
  }
  return filter?.kinds ? plural(filter.kinds) : null;
}

function completedInWords(filter: FeedFilter | null): readonly string[] {
  const length = filter?.completed;
  if (length === undefined) return [];
  if (length === "none") return [say("shows.noCompleted")];
  const days = Temporal.Duration.from(length).total({
    unit: "days",
    relativeTo: new Temporal.PlainDate(2026, 1, 1),
  });
  return [say("shows.completedFor", { days })];
}

function privateInWords({ filter, personId: person }: FeedChoice): readonly string[] {
  if (!filter?.private) return [];
  return person === null
    ? [say(`shows.private.${filter.private}`)]
    : [say(`shows.ownPrivate.${filter.private}`)];
}
