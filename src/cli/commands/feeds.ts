import { oneLine } from "@dayferry/ical";
import { Command } from "commander";
import {
  changeFeed,
  createFeed,
  listFeeds,
  reopenFeed,
  revokeFeed,
  rotateFeed,
} from "../../operations/feed-operations.ts";
import { type CommandTools, Failed } from "../command-host.ts";
import { usersInWords } from "../confirm.ts";
import { commandOf, operationCommand } from "../operation-command.ts";
import { type OperationRunner, printAnswer } from "../operation-runner.ts";
import { readId, readName } from "../options.ts";
import { localTime, rowsOf, textTable } from "../terminal-text.ts";

interface FeedOptions {
  readonly json: boolean;
}

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
      return printAnswer(
        { host, command, options: { json: options.json } },
        { work: (runner) => runner.run(createFeed, { wish }), describe: describeList },
      );
    });
  const change = chosen(
    commandOf(changeFeed)
      .argument("<id>", "the feed's number", readId)
      .option("--no-filter", "show all of it again"),
  )
    .option("--name <name>", "its name", readName)
    .option("--no-name", "reset the name to the default")
    .action((id: number, options: ChangeOptions, command: Command) =>
      printAnswer(
        { host, command, options: { json: options.json } },
        {
          work: (runner) => runner.run(changeFeed, { id, change: changeOf(options) }),
          describe: describeList,
        },
      ),
    );
  const rotate = operationCommand(
    rotateFeed,
    {
      describe: describeList,
      async question({ id }, about) {
        const fetched = await fetchersOf(id, about);
        return {
          asks: `${fetched} The old address stops working at once, and cannot be restored.\nCreate a new address for feed ${String(id)}?`,
          done: `${fetched} Programs get no updates until they have the new address.\n`,
        };
      },
    },
    host,
  );
  const revoke = operationCommand(
    revokeFeed,
    {
      async question({ id }, about) {
        const fetched = await fetchersOf(id, about);
        const feed = String(id);
        return {
          asks: `${fetched} Its address stops working.\nEnd feed ${feed}?`,
          done: `feed ${feed} has ended. ${fetched} Undo: dayferry feeds reopen ${feed}\n`,
        };
      },
    },
    host,
  );
  return new Command("feeds")
    .description("published calendars and their addresses")
    .addCommand(operationCommand(listFeeds, { describe: describeList }, host))
    .addCommand(create)
    .addCommand(change)
    .addCommand(rotate)
    .addCommand(revoke)
    .addCommand(operationCommand(reopenFeed, { describe: describeList }, host));
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
async function fetchersOf(
  id: unknown,
  { runner, zone }: { readonly runner: OperationRunner; readonly zone: string },
): Promise<string> {
  const feed = rowsOf<ListedFeed>(await runner.run(listFeeds, {})).find((one) => one.id === id);
  const users = (feed?.fetches ?? []).map(({ program, at }) => ({ name: program, at }));
  const words = usersInWords(users, zone);
  return words === null ? "No program has fetched it yet." : `Fetched by ${words}.`;
}

/** Options of a feed's contents, for creating and changing. */
interface ChoiceOptions extends FeedOptions {
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

interface ListedFeed {
  readonly id: number;
  readonly name: string;
  readonly shows: string;
  readonly url: string | null;
  readonly problem?: string | null;
  readonly lastFetch: { readonly at: string; readonly agent: string } | null;
  readonly fetches?: readonly {
    readonly program: string;
    readonly at: string;
    readonly says: string;
  }[];
}

function describeList(answer: unknown, zone: string): string {
  const feeds = rowsOf<ListedFeed>(answer);
  if (feeds.length === 0) return "no feeds yet: they appear with the first sync\n";
  const list = textTable(
    ["ID", "NAME", "SHOWS", `LAST FETCH (${zone})`, "ADDRESS"],
    feeds.map(({ id, name, shows, url, lastFetch }) => [
      String(id),
      name,
      shows,
      localTime(lastFetch?.at, zone),
      url ?? "(revoked)",
    ]),
  );
  const shown = feeds.flatMap(({ id, url, problem, fetches = [] }) =>
    url === null
      ? []
      : [...(problem ? [`shows nothing: ${problem}`] : []), ...fetches.map(({ says }) => says)].map(
          (line) => `${id}: ${oneLine(line)}\n`,
        ),
  );
  return shown.length === 0 ? list : `${list}\n${shown.join("")}`;
}
