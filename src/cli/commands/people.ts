import { Command } from "commander";
import {
  clearPassword,
  listPeople,
  setPassword,
  showPassword,
} from "../../operations/people-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { usersInWords } from "../confirm.ts";
import { type GivenInput, operationCommand } from "../operation-command.ts";
import type { OperationRunner } from "../operation-runner.ts";
import { rowsOf, textTable } from "../terminal-text.ts";

/** `people`: the people, and the app passwords of their calendar programs. */
export function peopleCommand({ host }: CommandTools): Command {
  return new Command("people")
    .description("people and their app passwords")
    .addCommand(operationCommand(listPeople, { describe: describeList }, host))
    .addCommand(
      operationCommand(
        setPassword,
        {
          describe: describePassword,
          async question(input, about) {
            const ends = await passwordEnd(input, about);
            return ends === null
              ? null
              : { asks: `${ends}\nCreate a new password for person ${String(input["id"])}?` };
          },
        },
        host,
      ),
    )
    .addCommand(
      operationCommand(
        clearPassword,
        {
          done: ({ id }) => `the app password of person ${String(id)} has ended\n`,
          async question(input, about) {
            const ends = await passwordEnd(input, about);
            return ends === null
              ? null
              : { asks: `${ends}\nRemove the app password of person ${String(input["id"])}?` };
          },
        },
        host,
      ),
    );
}

/** What ends with a person's app password, as sentences; null if there is none. */
async function passwordEnd(
  { id }: GivenInput,
  { runner, zone }: { readonly runner: OperationRunner; readonly zone: string },
): Promise<string | null> {
  const used: UsedPassword = Object(await runner.run(showPassword, { id: Number(id) }));
  if (!used.hasPassword) return null;
  const { programs, logIns } = used;
  const words = usersInWords(programs, zone);
  return [
    words === null ? "No program has used it for an edit yet." : `Used by ${words}.`,
    "The old password stops working at once, and cannot be restored: calendar programs stop syncing.",
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
  if (people.length === 0) return "no people yet: they appear with the first sync\n";
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
  const access = calendars === "read" ? "They may read the calendars but not change them.\n" : "";
  return `The app password of ${name.replace(/\p{Cc}/gu, " ")}, shown this once:\n\n${rows}
Enter these three as a CalDAV account in the calendar program. Capitals, spaces and dashes of the password
do not matter.\n${access}`;
}
