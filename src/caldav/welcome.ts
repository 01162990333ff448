import type { DavAnswer, DavContext } from "./context.ts";

/** What somebody reads who opens an address of collections in a browser. */
export function welcome({ person, login, paths, origin, calendars }: DavContext): DavAnswer {
  const names = calendars.list(person.id).map(({ name }) => `- ${name}`);
  const lines = [
    "This is the CalDAV server of Dayferry. A calendar program reads and changes your calendars here.",
    "",
    `Server address: ${origin}${paths.root}`,
    `User name: ${login}`,
    "Password: your app password, as you have just entered it",
    `iPhone, iPad, Mac: open ${origin}${paths.profile(person.id)}`,
    "",
    names.length === 0 ? "You have no calendars yet." : "Your calendars:",
    ...names,
  ];
  return {
    status: 200,
    headers: { "Content-Type": "text/plain; charset=utf-8" },
    body: `${lines.join("\n")}\n`,
  };
}
