import type { SeedWriter } from "./seed-writer.ts";
import { awkwardText } from "./texts.ts";
import type { SeedCast } from "./website.ts";

/** A booth at a trade fair: many whole days, nights and travel. */
export function seedTradeFair(pen: SeedWriter, { people, labels }: SeedCast): number {
  const { ana, ben, chiara, davit } = people;
  const city = pen.random.pick(["Hannover", "Milano", "Lyon", "Gdańsk", "Malmö"]);
  const cost = pen.customField({
    title: "Cost",
    description: "All included",
    type: "Currency",
    currency: "EUR",
  });
  const project = pen.project({
    title: `Trade fair ${city}`,
    description: "Booth B 14, four days",
    color: "#f0ad4e",
    manager: davit,
    customFields: [cost],
  });
  for (const person of [ana, ben, chiara, davit]) pen.join(person, project.id);
  const home = pen.folder({ project: project.id, name: `Trade fair ${city}`, parent: null });
  pen.folder({ project: project.id, name: "Contracts", parent: home });

  const booth = pen.list(project, "Booth");
  const travel = pen.list(project, "Travel");
  const print = pen.list(project, "Print & give-aways");

  const wall = pen.task(booth, {
    title: "Back wall, 6 × 2.5 m",
    description: awkwardText,
    startOn: pen.day(-10),
    dueOn: pen.day(-2),
    estimatedHours: 20,
    assigned: [chiara, davit],
    labels: [labels.urgent, labels.design],
    createdBy: davit,
    customFields: { [cost.id]: "2350.50" },
  });
  pen.subtask(wall, {
    title: "Measure again, please!",
    createdBy: davit,
    dueOn: pen.day(-4),
    ...pen.completed(davit, 4),
  });
  pen.subtask(wall, {
    title: "Send to print",
    createdBy: davit,
    dueOn: pen.day(-2),
    assigned: [chiara],
  });
  pen.comment(wall, {
    by: davit,
    text: "The printer needs it <b>today</b>, or we pay extra.",
    daysAgo: 1,
  });
  pen.task(booth, {
    title: "Power and internet for B 14",
    dueOn: pen.day(6),
    createdBy: davit,
    assigned: [ben],
  });
  pen.task(booth, {
    title: "Demo laptop; spare laptop; adapters, cables, tape",
    startOn: pen.day(5),
    dueOn: pen.day(9),
    createdBy: ben,
    assigned: [ben],
  });
  pen.task(travel, {
    title: "Hotel for four",
    dueOn: pen.day(-8),
    createdBy: davit,
    assigned: [davit],
    ...pen.completed(davit, 9),
  });
  pen.task(travel, {
    title: "הסעה משדה התעופה",
    dueOn: pen.day(11),
    createdBy: davit,
    assigned: [davit],
  });
  pen.task(print, {
    title: "500 tote bags 👜",
    dueOn: pen.day(7),
    createdBy: chiara,
    assigned: [chiara],
    estimatedMins: 45,
  });
  pen.task(print, {
    title: "Flyer <draft> & price list",
    dueOn: pen.day(1),
    createdBy: chiara,
    assigned: [chiara],
    labels: [labels.design],
  });

  const multi = { project: project.id, createdBy: davit, assigned: [ana, ben, davit] };
  pen.event({
    ...multi,
    title: `Fair days ${city}`,
    start: pen.at(12, "00:00"),
    end: pen.at(15, "23:59"),
    allDay: true,
    reminder: 1440,
  });
  pen.event({
    ...multi,
    title: "Booth is built",
    start: pen.at(11, "00:00"),
    allDay: true,
    milestone: true,
  });
  pen.event({
    ...multi,
    title: "Registration closed",
    start: pen.at(-1, "00:00"),
    allDay: true,
    milestone: true,
    assigned: [davit],
  });
  pen.event({
    ...multi,
    title: "Night train",
    start: pen.at(10, "21:52"),
    end: pen.at(11, "07:14"),
    description: "Coach 12, seats 31-34",
  });
  pen.event({
    ...multi,
    title: "Set-up day",
    start: pen.at(11, "00:00"),
    end: pen.at(11, "23:59"),
  });
  pen.event({
    ...multi,
    title: "Supplier holiday",
    start: pen.at(-3, "00:00"),
    end: pen.at(3, "23:59"),
    allDay: true,
    assigned: [],
  });
  pen.event({
    ...multi,
    title: "Pick up bags",
    start: pen.at(9, "12:00"),
    end: pen.at(9, "12:00"),
    assigned: [chiara],
  });
  pen.event({
    ...multi,
    title: "Ring the hotel",
    start: pen.at(5, "09:00"),
    bareEnd: "empty",
    assigned: [davit],
  });
  pen.event({
    ...multi,
    title: "مكالمة مع الموزع",
    start: pen.at(6, "11:00"),
    end: pen.at(6, "11:30"),
    reminder: 10,
  });
  pen.event({
    ...multi,
    title: "Birthday surprise for Ana",
    start: pen.at(8, "18:00"),
    end: pen.at(8, "22:00"),
    private: true,
    assigned: [ben, chiara],
    createdBy: davit,
  });
  return project.id;
}
