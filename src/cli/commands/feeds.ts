import { Command } from "commander";
import type { CommandTools } from "../command-host.ts";
import { printAnswer, withDaemonOrLocal } from "../daemon-or-local.ts";
import { readId, readName } from "../options.ts";
import { localTime, rowsOf, table } from "../terminal-text.ts";

interface FeedOptions {
  readonly json: boolean;
}

/** `feeds`: the published calendars and their addresses. */
export function feedsCommand({ host }: CommandTools): Command {
  const feeds = new Command("feeds").description("published calendars and their addresses");
  feeds
    .command("list")
    .description("every feed")
    .option("--json", "print JSON", false)
    .action((options: FeedOptions, command: Command) =>
      printAnswer(
        { host, command, options },
        { work: (backend) => backend.feeds(), describe: describeList },
      ),
    );
  feeds
    .command("create")
    .description(
      "a feed for a project whose last one was revoked, or another name for the one it has",
    )
    .requiredOption("--project <id>", "the project", readId)
    .option("--name <name>", "what it is called, whatever the project is", readName)
    .option("--no-name", "call it as the project again")
    .option("--json", "print JSON", false)
    .action((options: CreateOptions, command: Command) => {
      const { project, name } = options;
      return printAnswer(
        { host, command, options },
        {
          async work(backend) {
            const created = await backend.createFeed(project, name === false ? null : name);
            const { message }: { readonly message?: string } = Object(created);
            if (message) host.say(`${message}\n`);
            return created;
          },
          describe: describeList,
        },
      );
    });
  feeds
    .command("rotate")
    .description("a new address; the old one ends")
    .argument("<id>", "the feed's number", readId)
    .option("--json", "print JSON", false)
    .action((id: number, options: FeedOptions, command: Command) =>
      printAnswer(
        { host, command, options },
        { work: (backend) => backend.rotateFeed(id), describe: describeList },
      ),
    );
  feeds
    .command("revoke")
    .description("end a feed for good")
    .argument("<id>", "the feed's number", readId)
    .action(async (id: number, options: object, command: Command) => {
      await withDaemonOrLocal({ host, command, options }, (backend) => backend.revokeFeed(id));
      host.say(`feed ${id} is revoked\n`);
    });
  return feeds;
}

interface CreateOptions extends FeedOptions {
  readonly project: number;
  readonly name?: string | false;
}

interface ListedFeed {
  readonly id: number;
  readonly name: string;
  readonly url: string | null;
  readonly lastFetch: { readonly at: string; readonly agent: string } | null;
}

function describeList(answer: unknown, zone: string): string {
  const feeds = rowsOf<ListedFeed>(answer);
  if (feeds.length === 0) return "no feeds yet: they appear with the first sweep\n";
  return table(
    ["ID", "NAME", `LAST FETCH (${zone})`, "ADDRESS"],
    feeds.map(({ id, name, url, lastFetch }) => [
      String(id),
      name,
      localTime(lastFetch?.at, zone),
      url ?? "(revoked)",
    ]),
  );
}
