import type { SeedAccount } from "./account.ts";
import type { SeedWriter } from "./seed-writer.ts";
import { awkwardText } from "./texts.ts";

/** A booth at a trade fair: many all-day events, nights and travel. */
export function seedTradeFair(writer: SeedWriter, { people, labels }: SeedAccount): number {
  const { ana, ben, chiara, davit } = people;
  const city = writer.random.pick(["Hannover", "Milano", "Lyon", "Gdańsk", "Malmö"]);
  const cost = writer.customField({
    title: "Cost",
    description: "All included",
    type: "Currency",
    currency: "EUR",
  });
  const { project, home } = writer.startProject([ana, ben, chiara, davit], {
    title: `Trade fair ${city}`,
    description: "Booth B 14, four days",
    color: "#f0ad4e",
    manager: davit,
    customFields: [cost],
  });
  writer.folder({ project: project.id, name: "Contracts", parent: home });

  const booth = writer.list(project, "Booth");
  const travel = writer.list(project, "Travel");
  const print = writer.list(project, "Print & give-aways");

  const wall = writer.task(booth, {
    title: "Back wall, 6 × 2.5 m",
    description: awkwardText,
    startOn: writer.day(-10),
    dueOn: writer.day(-2),
    estimatedHours: 20,
    assigned: [chiara, davit],
    labels: [labels.urgent, labels.design],
    createdBy: davit,
    customFields: { [cost.id]: "2350.50" },
  });
  writer.subtask(wall, {
    title: "Measure again, please!",
    createdBy: davit,
    dueOn: writer.day(-4),
    ...writer.completed(davit, 4),
  });
  writer.subtask(wall, {
    title: "Send to print",
    createdBy: davit,
    dueOn: writer.day(-2),
    assigned: [chiara],
  });
  writer.comment(wall, {
    by: davit,
    text: "The printer needs it <b>today</b>, or we pay extra.",
    daysAgo: 1,
  });
  writer.task(booth, {
    title: "Power and internet for B 14",
    dueOn: writer.day(6),
    createdBy: davit,
    assigned: [ben],
  });
  writer.task(booth, {
    title: "Demo laptop; spare laptop; adapters, cables, tape",
    startOn: writer.day(5),
    dueOn: writer.day(9),
    createdBy: ben,
    assigned: [ben],
  });
  writer.task(travel, {
    title: "Hotel for four",
    dueOn: writer.day(-8),
    createdBy: davit,
    assigned: [davit],
    ...writer.completed(davit, 9),
  });
  writer.task(travel, {
    title: "הסעה משדה התעופה",
    dueOn: writer.day(11),
    createdBy: davit,
    assigned: [davit],
  });
  writer.task(print, {
    title: "500 tote bags 👜",
    dueOn: writer.day(7),
    createdBy: chiara,
    assigned: [chiara],
    estimatedMins: 45,
  });
  writer.task(print, {
    title: "Flyer <draft> & price list",
    dueOn: writer.day(1),
    createdBy: chiara,
    assigned: [chiara],
    labels: [labels.design],
  });

  const multi = { project: project.id, createdBy: davit, assigned: [ana, ben, davit] };
  writer.event({
    ...multi,
    title: `Fair days ${city}`,
    ...writer.days(12, 15),
    reminder: 1440,
  });
  writer.event({
    ...multi,
    title: "Booth is built",
    ...writer.milestoneOn(11),
  });
  writer.event({
    ...multi,
    title: "Registration closed",
    ...writer.milestoneOn(-1),
    assigned: [davit],
  });
  writer.event({
    ...multi,
    title: "Night train",
    start: writer.at(10, "21:52"),
    end: writer.at(11, "07:14"),
    description: "Coach 12, seats 31-34",
  });
  writer.event({
    ...multi,
    title: "Set-up day",
    ...writer.hours(11, "00:00", "23:59"),
  });
  writer.event({
    ...multi,
    title: "Supplier holiday",
    ...writer.days(-3, 3),
    assigned: [],
  });
  writer.event({
    ...multi,
    title: "Pick up bags",
    ...writer.hours(9, "12:00", "12:00"),
    assigned: [chiara],
  });
  writer.event({
    ...multi,
    title: "Ring the hotel",
    start: writer.at(5, "09:00"),
    bareEnd: "empty",
    assigned: [davit],
  });
  writer.event({
    ...multi,
    title: "مكالمة مع الموزع",
    ...writer.hours(6, "11:00", "11:30"),
    reminder: 10,
  });
  writer.event({
    ...multi,
    title: "Birthday surprise for Ana",
    ...writer.hours(8, "18:00", "22:00"),
    private: true,
    assigned: [ben, chiara],
    createdBy: davit,
  });
  return project.id;
}
