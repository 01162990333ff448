import { Command } from "commander";
import { asJson, type CommandTools, configFor } from "../command-tools.ts";
import { withDaemonOrLocal } from "../daemon-or-local.ts";
import { readId } from "../options.ts";
import { table } from "../table.ts";

/** `people`: who there is, and the app passwords of their calendar programs. */
export function peopleCommand({ host }: CommandTools): Command {
  const people = new Command("people").description("people and their app passwords");
  people
    .command("list")
    .description("everybody whom the workspace or the configuration names")
    .option("--json", "print JSON", false)
    .action(async ({ json }: { readonly json: boolean }, command: Command) => {
      const config = configFor(command, host);
      const listed = await withDaemonOrLocal({ config, host }, (office) => office.people());
      host.print(json ? asJson(listed) : describeList(listed));
    });
  people
    .command("set-password")
    .description("a new app password for calendar programs, shown this once; an older one ends")
    .argument("<id>", "the person's number", readId)
    .option("--json", "print JSON", false)
    .action(async (id: number, { json }: { readonly json: boolean }, command: Command) => {
      const config = configFor(command, host);
      const given = await withDaemonOrLocal({ config, host }, (office) => office.setPassword(id));
      host.print(json ? asJson(given) : describePassword(given));
    });
  people
    .command("clear-password")
    .description("end a person's app password: calendar programs can no longer log in")
    .argument("<id>", "the person's number", readId)
    .action(async (id: number, _options, command: Command) => {
      const config = configFor(command, host);
      await withDaemonOrLocal({ config, host }, (office) => office.clearPassword(id));
      host.say(`the app password of person ${id} has ended\n`);
    });
  return people;
}

interface ListedPerson {
  readonly id: number;
  readonly name: string;
  readonly login: string;
  readonly timeZone: string | null;
  readonly suspended: boolean;
  readonly calendars: "write" | "read";
  readonly hasPassword: boolean;
  readonly hasOwnKey: boolean;
}

interface GivenPassword extends ListedPerson {
  readonly password: string;
  readonly url: string;
}

function describeList(listed: unknown): string {
  const people: readonly ListedPerson[] = Array.isArray(listed) ? listed : [];
  if (people.length === 0) return "no people yet: they appear with the first sweep\n";
  return table(
    ["ID", "NAME", "USER NAME", "CALENDARS", "PASSWORD", "OWN KEY", "ZONE"],
    people.map((person) => [
      String(person.id),
      person.suspended ? `${person.name} (suspended)` : person.name,
      person.login,
      person.calendars,
      person.hasPassword ? "set" : "-",
      person.hasOwnKey ? "yes" : "-",
      person.timeZone ?? "-",
    ]),
  );
}

function describePassword(given: unknown): string {
  const { name, url, login, password, calendars }: GivenPassword = Object(given);
  const rows = table(
    ["Server", url],
    [
      ["User name", login],
      ["Password", password],
    ],
  );
  const access = calendars === "read" ? "They may read the calendars and not change them.\n" : "";
  return `The app password of ${name.replace(/\p{Cc}/gu, " ")}, shown this once:\n\n${rows}
Enter these three as a CalDAV account in the calendar program. Capitals, spaces and dashes of the password
do not matter.\n${access}`;
}
