import { assignedOf, type FeedChoice, type FeedFilter } from "../domain/feed-filter.ts";
import type { SpokenKind } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import { seesProject } from "../domain/visibility.ts";
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
function kindsInWords(filter: FeedFilter | null): string | null {
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

/** The automatic name of a feed: what it shows, and whose it is. */
export function usualName(choice: FeedChoice, { directory }: Pick<Store, "directory">): string {
  const { kind, projectId: project, personId: person, filter } = choice;
  const whose =
    person === null
      ? null
      : (directory.person(person)?.name ?? say("unnamed.Person", { id: person }));
  const found = project === null ? null : directory.project(project);
  // It follows the project's title only while the person may see the project.
  const title = person === null || seesProject(person, found) ? found?.title : null;
  const chosen = kindsInWords(filter);
  const kinds = chosen && `${chosen.charAt(0).toUpperCase()}${chosen.slice(1)}`;
  switch (kind) {
    case "project": {
      const what = chosen === null ? "" : `: ${chosen}`;
      const named = title ?? say("feedName.unnamed", { id: project ?? "" });
      return `${named}${what}${whose === null ? "" : ` (${whose})`}`;
    }
    case "person": {
      const name = whose ?? say("feedName.nobody");
      const isTheirs = assignedOf(choice)?.size === 1 && (filter?.assigned ?? "me") === "me";
      if (kinds === null)
        return say(isTheirs ? "feedName.assigned" : "feedName.projects", { name });
      return say(isTheirs ? "feedName.assignedTo" : "feedName.of", { kinds, name });
    }
    case "all":
      return kinds === null ? say("calendar.allProjects") : say("feedName.ofAll", { kinds });
    default:
      return unreachable(kind);
  }
}
