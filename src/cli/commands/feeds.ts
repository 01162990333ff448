import { oneLine } from "@dayferry/ical";
import type { Command } from "commander";
import {
  changeFeed,
  createFeed,
  listFeeds,
  reopenFeed,
  revokeFeed,
  rotateFeed,
} from "../../operations/feed-operations.ts";
import type { AnswerOf } from "../../operations/operation.ts";
import { type CommandTools, Failed } from "../command-host.ts";
import { usersInWords } from "../confirm.ts";
import { type Asking, commandGroup, commandOf, operationCommand } from "../operation-command.ts";
import { printAnswer } from "../operation-runner.ts";
import { readId, readName } from "../options.ts";
import { listText, localTime, rowsOf } from "../terminal-text.ts";

type Feed = AnswerOf<typeof createFeed>;

/** `feeds`: the published calendars and their URLs. */
export function feedsCommand({ host }: CommandTools): Command {
  const create = chosen(
    commandOf(createFeed)
      .option("--project <id>", "a project", readId)
      .option(
        "--person <id>",
        "a person: their items in all projects, or a project as they see it",
        readId,
      )
      .option("--all", "all projects"),
  )
    .option("--name <name>", "its name", readName)
    .action((options: CreateOptions, command: Command) => {
      const wish = wishOf(options);
      return printAnswer({ host, command }, (runner) => runner.run(createFeed, { wish }), describe);
    });
  const change = chosen(
    commandOf(changeFeed)
      .argument("<id>", "the feed's number", readId)
      .option("--no-filter", "show all of it again"),
  )
    .option("--name <name>", "its name", readName)
    .option("--no-name", "reset the name to the default")
    .action((id: number, options: ChangeOptions, command: Command) => {
      const wish = { id, change: changeOf(options) };
      return printAnswer({ host, command }, (runner) => runner.run(changeFeed, wish), describe);
    });
  return commandGroup("feeds", "published calendars and their addresses", [
    operationCommand(listFeeds, host, { describe }),
    create,
    change,
    operationCommand(rotateFeed, host, {
      describe,
      async question({ id }, asking) {
        const fetched = await fetchersOf(id, asking);
        return {
          asks: `${fetched} The old address stops working at once, and cannot be restored.\nCreate a new address for feed ${id}?`,
          done: `${fetched} Programs get no updates until they have the new address.\n`,
        };
      },
    }),
    operationCommand(revokeFeed, host, {
      async question({ id }, asking) {
        const fetched = await fetchersOf(id, asking);
        return {
          asks: `${fetched} Its address stops working.\nEnd feed ${id}?`,
          done: `feed ${id} has ended. ${fetched} Undo: dayferry feeds reopen ${id}\n`,
        };
      },
    }),
    operationCommand(reopenFeed, host, { describe }),
  ]);
}

/** A new feed for the API. Throws `Failed` if the options do not say what it shows. */
function wishOf(options: CreateOptions): Readonly<Record<string, unknown>> {
  const { project, person, name } = options;
  const kind = kindOf(options);
  if (kind === undefined) throw new Failed("set --project ID, --person ID or --all", 2);
  const filter = filterOf(options);
  return {
    kind,
    ...(project !== undefined && { projectId: project }),
    ...(person !== undefined && { personId: person }),
    ...(typeof name === "string" && { name }),
    ...(filter && { filter }),
    ...colourOf(options),
  };
}

/** A feed's change for the API. */
function changeOf(options: ChangeOptions): Readonly<Record<string, unknown>> {
  const { name } = options;
  const filter = options.filter ? filterOf(options) : null;
  return {
    ...(name !== undefined && name !== true && { name: name === false ? null : name }),
    ...(filter !== undefined && { filter }),
    ...colourOf(options),
  };
}

/** Programs that have fetched a feed, as a sentence. */
async function fetchersOf(id: string | number, { runner, zone }: Asking): Promise<string> {
  const feed = (await runner.run(listFeeds, {})).find((one) => one.id === id);
  const users = (feed?.fetches ?? []).map(({ program, at }) => ({ name: program, at }));
  const words = usersInWords(users, zone);
  return words === null ? "No program has fetched it yet." : `Fetched by ${words}.`;
}

/** Options of a feed's contents, for creating and changing. */
interface ChoiceOptions {
  readonly kinds?: readonly string[];
  readonly label?: readonly string[];
  readonly assigned?: string;
  readonly projects?: readonly string[];
  readonly completed?: string;
  readonly private?: string;
  readonly reminders: boolean;
  readonly colour?: string | boolean;
}

interface CreateOptions extends ChoiceOptions {
  readonly project?: number;
  readonly person?: number;
  readonly all?: boolean;
  readonly name?: string;
}

interface ChangeOptions extends ChoiceOptions {
  readonly name?: string | boolean;
  readonly filter: boolean;
}

function chosen(command: Command): Command {
  return command
    .option("--kinds <kind...>", "only these: event, milestone, task, subtask")
    .option("--label <name...>", "only tasks with one of these labels, by name or id")
    .option(
      "--assigned <who>",
      "only items assigned to: me, anyone (assigned or not), or ids such as 11,12",
    )
    .option("--projects <id...>", "only these projects, for a feed with several")
    .option(
      "--completed <length>",
      "how long completed items stay, such as P14D; none = not at all",
    )
    .option("--private <how>", "private items: omit, busy or show")
    .option("--no-reminders", "no alarms")
    .option("--colour <colour>", "#RRGGBB, a name of CSS, or project for that of the project")
    .option("--no-colour", "say none")
    .option("--json", "print JSON", false);
}

/** The filter for the API, which validates it; undefined if nothing was chosen. */
function filterOf(options: ChoiceOptions): Readonly<Record<string, unknown>> | undefined {
  const { kinds, label: labels, assigned, projects, completed, reminders } = options;
  const filter = {
    ...(kinds && { kinds }),
    ...(labels && { labels: labels.map(idOr) }),
    ...(assigned !== undefined && {
      assigned:
        assigned === "me" || assigned === "anyone" ? assigned : assigned.split(",").map(idOr),
    }),
    ...(projects && { projects: projects.map(idOr) }),
    ...(completed !== undefined && { completed }),
    ...(options.private !== undefined && { private: options.private }),
    ...(!reminders && { reminders }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

const idOr = (text: string): number | string => (/^\d+$/.test(text.trim()) ? Number(text) : text);

/** The kind of a new feed; undefined if the options name none. */
function kindOf({ all, project, person }: CreateOptions): string | undefined {
  if (all) return "all";
  if (project !== undefined) return "project";
  return person === undefined ? undefined : "person";
}

function colourOf({ colour }: ChoiceOptions): { readonly colour?: string | null } {
  if (colour === false) return { colour: null };
  return typeof colour === "string" ? { colour } : {};
}

function describe(answer: Feed | readonly Feed[], zone: string): string {
  const list = listText(answer, "no feeds yet: they appear with the first sync\n", {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    SHOWS: ({ shows }) => shows,
    [`LAST FETCH (${zone})`]: ({ lastFetch }) => localTime(lastFetch?.at, zone),
    ADDRESS: ({ url }) => url ?? "(revoked)",
  });
  const open = rowsOf(answer).filter(({ url }) => url !== null);
  const shown = open.flatMap(({ id, problem, fetches }) =>
    [...(problem ? [`shows nothing: ${problem}`] : []), ...fetches.map(({ says }) => says)].map(
      (line) => `${id}: ${oneLine(line)}\n`,
    ),
  );
  return shown.length === 0 ? list : `${list}\n${shown.join("")}`;
}
