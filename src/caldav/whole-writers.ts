/**
 * Programs that always write whole items, by words in their User-Agent: what they wrote before and now omit was removed by
 * their user. docs/clients.md gives the reason for each.
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

/** True if a program does so. Scripts and libraries may omit any property. */
export const writesWhole = (agent: string): boolean => pattern.test(agent);
