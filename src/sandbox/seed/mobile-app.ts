import type { SeedWriter } from "./seed-writer.ts";
import { longTitle } from "./texts.ts";
import type { SeedCast } from "./website.ts";

/** The release of an app: sprints, bugs, and the reminder that a demo shows within two minutes. */
export function seedMobileApp(pen: SeedWriter, { people, labels }: SeedCast): number {
  const { ana, ben, davit, elif } = people;
  const project = pen.project({
    title: "Mobile app 2.0",
    description: "iOS and Android, offline mode",
    color: "#5cb85c",
    manager: ben,
  });
  for (const person of [ana, ben, davit, elif]) pen.join(person, project.id);
  const home = pen.folder({ project: project.id, name: "Mobile app 2.0", parent: null });
  pen.folder({ project: project.id, name: "Screenshots", parent: home });

  const sprint = pen.list(project, "Sprint 14");
  const bugs = pen.list(project, "Bugs");
  const later = pen.list(project, "Later");

  const offline = pen.task(sprint, {
    title: "Offline mode: keep edits until the network is back",
    startOn: pen.day(-4),
    dueOn: pen.day(3),
    estimatedHours: 30,
    loggedHours: 18,
    loggedMins: 40,
    assigned: [ben],
    createdBy: ben,
    stage: 2,
  });
  for (const [title, due] of [
    ["Queue on disk", 0],
    ["Conflict dialog", 2],
    ["Tests on a train 🚆", 3],
  ] as const)
    pen.subtask(offline, { title, dueOn: pen.day(due), assigned: [ben], createdBy: ben });
  pen.comment(offline, {
    by: elif,
    text: "What happens after three days without network?",
    daysAgo: 3,
  });
  pen.comment(offline, { by: ben, text: "Nothing is lost.\nI will add a test.", daysAgo: 2 });
  pen.task(sprint, {
    title: "Dark mode",
    dueOn: pen.day(-6),
    createdBy: elif,
    assigned: [elif],
    ...pen.completed(elif, 5),
    labels: [labels.design],
  });
  pen.task(sprint, {
    title: "Store texts",
    dueOn: pen.day(0),
    createdBy: ana,
    assigned: [ana, davit],
  });
  pen.task(bugs, {
    title: "Crash when a title holds \\ or ;",
    dueOn: pen.day(-10),
    createdBy: elif,
    assigned: [ben],
    labels: [labels.bug, labels.urgent],
  });
  pen.task(bugs, {
    title: "Wrong date on the last Sunday of March",
    dueOn: pen.day(1),
    createdBy: elif,
    assigned: [ben],
    labels: [labels.bug],
  });
  pen.task(later, { title: "Watch app", createdBy: ana, labels: [labels.idea] });

  const common = { project: project.id, createdBy: ben, assigned: [ben, elif] };
  const soon = pen.now.add({ minutes: 17 });
  pen.event({
    ...common,
    title: "Release call",
    start: pen.wall(soon),
    end: pen.wall(soon.add({ minutes: 30 })),
    reminder: 15,
    assigned: [ana, ben],
    description: "Go or no-go",
  });
  for (const offset of [-7, 0, 7, 14])
    pen.event({
      ...common,
      title: "Sprint planning",
      start: pen.at(offset, "09:30"),
      end: pen.at(offset, "11:00"),
      reminder: 10,
    });
  pen.event({
    ...common,
    title: "Retrospective",
    start: pen.at(-1, "15:00"),
    end: pen.at(-1, "16:00"),
  });
  pen.event({
    ...common,
    title: "Beta 1",
    start: pen.at(-21, "00:00"),
    allDay: true,
    milestone: true,
    completed: true,
  });
  pen.event({
    ...common,
    title: "Release 2.0",
    start: pen.at(16, "00:00"),
    allDay: true,
    milestone: true,
    reminder: 2880,
  });
  pen.event({
    ...common,
    title: "Deploy window",
    start: pen.at(16, "22:00"),
    end: pen.at(17, "02:00"),
  });
  pen.event({
    ...common,
    title: "Interview (confidential)",
    start: pen.at(5, "13:00"),
    end: pen.at(5, "14:00"),
    private: true,
    createdBy: elif,
    assigned: [davit],
    reminder: 60,
  });
  pen.event({ ...common, title: longTitle, start: pen.at(4, "10:00"), end: pen.at(4, "10:30") });
  return project.id;
}
