import { Command } from "commander";
import type { Config } from "../../config/config.ts";
import { asJson, type CommandTools, configFor } from "../command-tools.ts";
import { withDaemonOrLocal } from "../daemon-or-local.ts";
import { localTime } from "../local-time.ts";
import { readId, readName } from "../options.ts";
import { table } from "../table.ts";

/** `feeds`: the published calendars and their addresses. */
export function feedsCommand({ host }: CommandTools): Command {
  const feeds = new Command("feeds").description("published calendars and their addresses");
  const show = (
    feed: unknown,
    { config, json }: { readonly config: Config; readonly json: boolean },
  ) => host.print(json ? asJson(feed) : describeList([feed], config.service.timeZone));
  feeds
    .command("list")
    .description("every feed")
    .option("--json", "print JSON", false)
    .action(async ({ json }: { readonly json: boolean }, command: Command) => {
      const config = configFor(command, host);
      const listed = await withDaemonOrLocal({ config, host }, (office) => office.feeds());
      host.print(json ? asJson(listed) : describeList(listed, config.service.timeZone));
    });
  feeds
    .command("create")
    .description(
      "a feed for a project whose last one was revoked, or another name for the one it has",
    )
    .requiredOption("--project <id>", "the project", readId)
    .option("--name <name>", "what it is called, whatever the project is", readName)
    .option("--no-name", "call it as the project again")
    .option("--json", "print JSON", false)
    .action(async ({ project, name, json }: CreateOptions, command: Command) => {
      const config = configFor(command, host);
      const created = await withDaemonOrLocal({ config, host }, (office) =>
        office.createFeed(project, name === false ? null : name),
      );
      const { message }: { readonly message?: string } = Object(created);
      if (message) host.say(`${message}\n`);
      show(created, { config, json });
    });
  feeds
    .command("rotate")
    .description("a new address; the old one ends")
    .argument("<id>", "the feed's number", readId)
    .option("--json", "print JSON", false)
    .action(async (id: number, { json }: { readonly json: boolean }, command: Command) => {
      const config = configFor(command, host);
      const rotated = await withDaemonOrLocal({ config, host }, (office) => office.rotateFeed(id));
      show(rotated, { config, json });
    });
  feeds
    .command("revoke")
    .description("end a feed for good")
    .argument("<id>", "the feed's number", readId)
    .action(async (id: number, _options, command: Command) => {
      const config = configFor(command, host);
      await withDaemonOrLocal({ config, host }, (office) => office.revokeFeed(id));
      host.say(`feed ${id} is revoked\n`);
    });
  return feeds;
}

interface CreateOptions {
  readonly project: number;
  readonly name?: string | false;
  readonly json: boolean;
}

interface ListedFeed {
  readonly id: number;
  readonly name: string;
  readonly url: string | null;
  readonly lastFetch: { readonly at: string; readonly agent: string } | null;
}

function describeList(listed: unknown, zone: string): string {
  const feeds: readonly ListedFeed[] = Array.isArray(listed) ? listed : [];
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
