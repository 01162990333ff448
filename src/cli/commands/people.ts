import { Command } from "commander";
import type { CommandTools } from "../command-host.ts";
import { confirm, usersInWords, withYes, type YesOption } from "../confirm.ts";
import { type DaemonOrLocal, printAnswer, withDaemonOrLocal } from "../daemon-or-local.ts";
import { readId } from "../options.ts";
import { rowsOf, textTable } from "../terminal-text.ts";

interface PeopleOptions {
  readonly json: boolean;
}

/** `people`: who there is, and the app passwords of their calendar programs. */
export function peopleCommand({ host }: CommandTools): Command {
  const people = new Command("people").description("people and their app passwords");
  people
    .command("list")
    .description("everybody whom the workspace or the configuration names")
    .option("--json", "print JSON", false)
    .action((options: PeopleOptions, command: Command) =>
      printAnswer(
        { host, command, options },
        { work: (backend) => backend.people(), describe: describeList },
      ),
    );
  withYes(
    people
      .command("set-password")
      .description("a new app password for calendar programs, shown this once; an older one ends")
      .argument("<id>", "the person's number", readId),
  )
    .option("--json", "print JSON", false)
    .action((id: number, options: PeopleOptions & YesOption, command: Command) =>
      printAnswer(
        { host, command, options },
        {
          async work(backend, { service: { timeZone } }) {
            const ends = await passwordEnd(id, { backend, zone: timeZone });
            const question = () => `${ends}\nMake a new password for person ${id}?`;
            if (ends !== null) await confirm(host, options, question);
            return backend.setPassword(id);
          },
          describe: describePassword,
        },
      ),
    );
  withYes(
    people
      .command("clear-password")
      .description("end a person's app password: calendar programs can no longer log in")
      .argument("<id>", "the person's number", readId),
  ).action(async (id: number, options: YesOption, command: Command) => {
    await withDaemonOrLocal(
      { host, command, options },
      async (backend, { service: { timeZone } }) => {
        const ends = await passwordEnd(id, { backend, zone: timeZone });
        const question = () => `${ends}\nRemove the app password of person ${id}?`;
        if (ends !== null) await confirm(host, options, question);
        await backend.clearPassword(id);
      },
    );
    host.say(`the app password of person ${id} has ended\n`);
  });
  return people;
}

/** What ends with a person's app password, as sentences; null where there is none. */
async function passwordEnd(
  id: number,
  { backend, zone }: { readonly backend: DaemonOrLocal; readonly zone: string },
): Promise<string | null> {
  const used: UsedPassword = Object(await backend.passwordUse(id));
  if (!used.hasPassword) return null;
  const { programs, logIns } = used;
  const words = usersInWords(programs, zone);
  return [
    words === null ? "No program has made an edit with it yet." : `Used by ${words}.`,
    "The old password stops working at once, and cannot be brought back: calendar programs stop syncing.",
    ...(logIns > 0
      ? [`${logIns} ${logIns === 1 ? "browser is" : "browsers are"} logged out.`]
      : []),
  ].join(" ");
}

interface UsedPassword {
  readonly hasPassword: boolean;
  readonly programs: readonly { readonly name: string; readonly at: string }[];
  readonly logIns: number;
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

function describeList(answer: unknown): string {
  const people = rowsOf<ListedPerson>(answer);
  if (people.length === 0) return "no people yet: they appear with the first sweep\n";
  return textTable(
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
  const rows = textTable(
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
