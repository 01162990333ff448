import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import { playStory, until } from "./demo-story.ts";
import type { People } from "./people/people.ts";
import type { RunningDaemon } from "./serve.ts";

/** What runs beside a demo's daemon, and how it prints text. */
export interface Demo {
  readonly sandbox: Sandbox;
  readonly dataDir: string;
  readonly configFile: string;
  readonly context: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly signal: AbortSignal;
    readonly clock: () => Temporal.Instant;
    print(text: string): void;
  };
  /** Called when the demo has made its own edits. */
  onTold(): void;
}

/** Prints the URLs once the projects are known, and what to try once everything has been read: each line works as printed. */
export async function printGuide(daemon: RunningDaemon, demo: Demo): Promise<void> {
  const { modules, adminToken, url } = daemon;
  const { sandbox, dataDir, context } = demo;
  context.print(`Dayferry demo\n\n  start page   ${url}/?token=${adminToken}\n`);
  await until(
    () => modules.feeds.list().length > 0 && modules.people.list().length > 0,
    context.signal,
  );
  const [owner, member] = sandbox.keys;
  if (context.signal.aborted) return;
  context.print(
    [
      "\n  feeds to subscribe to\n",
      ...modules.feeds.list().map(({ name, path }) => `    ${name}\n      ${url}${path}\n`),
      calendarAccount(modules.people, { url, person: owner?.personId }),
      memberAccount(modules.people, { url, person: member?.personId }),
      `\n  mails        ${join(dataDir, "mail")}\n`,
      modules.config.adminToken === null ? `  admin token  ${join(dataDir, "admin-token")}\n` : "",
      `  workspace    ${sandbox.baseUrl} (key ${owner?.apiKey} of ${owner?.name})\n\n`,
    ].join(""),
  );
  await until(() => modules.sync.ready, context.signal);
  if (context.signal.aborted) return;
  await playStory({ modules, sandbox, dataDir, url, ...context });
  demo.onTold();
  if (context.signal.aborted) return;
  context.print(`  every list has been read\n${recipes(daemon, demo)}\n  Ctrl-C stops the demo\n`);
}

/** An event that the seed data starts soon, so that its reminder can be seen. */
const soon = "Release call";

/** Prefix of a command, depending on how npm runs this one. */
function typedCommand(event: string | undefined): string {
  if (event === "npx") return "npx dayferry";
  return event ? "npm run -s dayferry --" : "dayferry";
}

function recipes(
  { modules, adminToken, url }: RunningDaemon,
  { configFile, context }: Demo,
): string {
  const feeds = modules.feeds.list();
  const feed = feeds.find(
    ({ projectId }) =>
      projectId !== null &&
      modules.store.view.ofProject(projectId).some(({ item }) => item.title === soon),
  );
  const command = typedCommand(context.env["npm_lifecycle_event"]);
  return [
    ...(feed
      ? [
          "\n  an edit: download a feed, change it, send it back\n",
          `    curl -sf ${url}${feed.path} > calendar.ics\n`,
          `    sed 's/^SUMMARY:${soon}/SUMMARY:${soon} (moved)/' calendar.ics > changed.ics\n`,
          `    curl -H "Authorization: Bearer ${adminToken}" --data-binary @changed.ics \\\n`,
          `      "${url}/api/edits?project=${feed.projectId}"\n`,
        ]
      : []),
    `\n  commands, in another terminal; \`${command} --help\` lists them all\n`,
    `    ${command} open\n`,
    `    ${command} edits list\n`,
    `    ${command} report agenda\n`,
    `    ${command} doctor\n`,
    `  (in a folder with a config.json, add --config ${configFile})\n`,
  ].join("");
}

interface Account {
  readonly url: string;
  readonly person: number | undefined;
}

/** Account for a calendar program; an existing password is kept. */
function calendarAccount(people: People, { url, person }: Account): string {
  const { login, password } = accountOf(people, person);
  return [
    "\n  a calendar account (CalDAV), to edit in a calendar program\n",
    `    server     ${url}/dav/\n`,
    `    user name  ${login}\n`,
    `    password   ${password}\n`,
  ].join("");
}

/** A member logs in to the pages with the same password as in a calendar program. */
function memberAccount(people: People, { url, person }: Account): string {
  const { login, password } = accountOf(people, person);
  return [
    "\n  a member's own pages, in another browser or a private window\n",
    `    log in     ${url}/login\n`,
    `    as         ${login}\n`,
    `    with       ${password}\n`,
  ].join("");
}

function accountOf(people: People, person: number | undefined) {
  const known = people.list().find(({ id }) => id === person);
  const given = known && !known.hasPassword ? people.setPassword(known.id) : null;
  return {
    login: known?.login ?? "see People and mail",
    password:
      given?.kind === "set" ? given.password : "as it was set; People and mail gives a new one",
  };
}
