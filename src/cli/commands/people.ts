import type { Command } from "commander";
import type { AnswerOf } from "../../operations/operation.ts";
import {
  clearPassword,
  listPeople,
  setPassword,
  showPassword,
} from "../../operations/people-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { usersInWords } from "../confirm.ts";
import { type Asking, commandGroup, operationCommand } from "../operation-command.ts";
import { listText, textTable } from "../terminal-text.ts";

/** `people`: the people, and the app passwords of their calendar programs. */
export const peopleCommand = ({ host }: CommandTools): Command =>
  commandGroup("people", "people and their app passwords", [
    operationCommand(listPeople, host, {
      describe: (people) =>
        listText(people, "no people yet: they appear with the first sync\n", {
          ID: ({ id }) => id,
          NAME: ({ name, suspended }) => (suspended ? `${name} (suspended)` : name),
          "USER NAME": ({ login }) => login,
          CALENDARS: ({ calendars }) => calendars,
          PASSWORD: ({ hasPassword }) => (hasPassword ? "set" : null),
          "OWN KEY": ({ hasOwnKey }) => (hasOwnKey ? "yes" : null),
          ZONE: ({ timeZone }) => timeZone,
        }),
    }),
    operationCommand(setPassword, host, {
      describe: describePassword,
      question: ({ id }, asking) =>
        passwordQuestion(id, asking, `Create a new password for person ${id}?`),
    }),
    operationCommand(clearPassword, host, {
      done: ({ id }) => `the app password of person ${id} has ended\n`,
      question: ({ id }, asking) =>
        passwordQuestion(id, asking, `Remove the app password of person ${id}?`),
    }),
  ]);

/** Says what stops working without a person's app password; null if there is no password. */
async function passwordQuestion(
  id: string | number,
  { runner, zone }: Asking,
  question: string,
): Promise<{ readonly asks: string } | null> {
  const { hasPassword, programs, logIns } = await runner.run(showPassword, { id });
  if (!hasPassword) return null;
  const words = usersInWords(programs, zone);
  const ends = [
    words === null ? "No program has used it for an edit yet." : `Used by ${words}.`,
    "The old password stops working at once, and cannot be restored: calendar programs stop syncing.",
    ...(logIns > 0
      ? [`${logIns} ${logIns === 1 ? "browser is" : "browsers are"} logged out.`]
      : []),
  ];
  return { asks: `${ends.join(" ")}\n${question}` };
}

function describePassword(given: AnswerOf<typeof setPassword>): string {
  const { name, url, login, password, calendars } = given;
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
