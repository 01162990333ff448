/**
 * Programs that write an item as a whole each time, by words of their User-Agent: what they wrote before and now leave out was taken
 * away by their user. docs/clients.md says why of each.
 */
export const wholeWriters: readonly {
  readonly name: string;
  readonly agents: readonly string[];
}[] = [
  {
    name: "Apple Calendar and Reminders",
    agents: ["dataaccessd", "remindd", "calaccessd", "CalendarAgent"],
  },
  { name: "Thunderbird", agents: ["Thunderbird", "Betterbird"] },
  { name: "DAVx5", agents: ["DAVx5", "DAVdroid"] },
  { name: "tasks.org", agents: ["org.tasks"] },
  { name: "Evolution", agents: ["Evolution"] },
  { name: "KOrganizer, Merkuro", agents: ["KIO", "KDE"] },
  { name: "Outlook with CalDav Synchronizer", agents: ["CalDavSynchronizer"] },
  { name: "vdirsyncer", agents: ["vdirsyncer"] },
];

const pattern = new RegExp(
  `\\b(?:${wholeWriters.flatMap(({ agents }) => agents.map((agent) => RegExp.escape(agent))).join("|")})\\b`,
  "i",
);

/** Whether a program is known to do so. Scripts and libraries may leave out whatever does not matter to them. */
export const writesWhole = (agent: string): boolean => pattern.test(agent);
