import type { SeedAccount } from "./account.ts";
import type { SeedWriter } from "./seed-writer.ts";
import { longTitle } from "./texts.ts";

/** An app release: sprints, bugs, and the reminder that a demo shows within two minutes. */
export function seedMobileApp(writer: SeedWriter, { people, labels }: SeedAccount): number {
  const { ana, ben, davit, elif } = people;
  const { project, home } = writer.startProject([ana, ben, davit, elif], {
    title: "Mobile app 2.0",
    description: "iOS and Android, offline mode",
    color: "#5cb85c",
    manager: ben,
  });
  writer.folder({ project: project.id, name: "Screenshots", parent: home });

  const sprint = writer.list(project, "Sprint 14");
  const bugs = writer.list(project, "Bugs");
  const later = writer.list(project, "Later");

  const offline = writer.task(sprint, {
    title: "Offline mode: keep edits until the network is back",
    startOn: writer.day(-4),
    dueOn: writer.day(3),
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
    writer.subtask(offline, { title, dueOn: writer.day(due), assigned: [ben], createdBy: ben });
  writer.comment(offline, {
    by: elif,
    text: "What happens after three days without network?",
    daysAgo: 3,
  });
  writer.comment(offline, { by: ben, text: "Nothing is lost.\nI will add a test.", daysAgo: 2 });
  writer.task(sprint, {
    title: "Dark mode",
    dueOn: writer.day(-6),
    createdBy: elif,
    assigned: [elif],
    ...writer.completed(elif, 5),
    labels: [labels.design],
  });
  writer.task(sprint, {
    title: "Store texts",
    dueOn: writer.day(0),
    createdBy: ana,
    assigned: [ana, davit],
  });
  writer.task(bugs, {
    title: "Crash when a title holds \\ or ;",
    dueOn: writer.day(-10),
    createdBy: elif,
    assigned: [ben],
    labels: [labels.bug, labels.urgent],
  });
  writer.task(bugs, {
    title: "Wrong date on the last Sunday of March",
    dueOn: writer.day(1),
    createdBy: elif,
    assigned: [ben],
    labels: [labels.bug],
  });
  writer.task(later, { title: "Watch app", createdBy: ana, labels: [labels.idea] });

  const common = { project: project.id, createdBy: ben, assigned: [ben, elif] };
  const soon = writer.now.add({ minutes: 17 });
  writer.event({
    ...common,
    title: "Release call",
    start: writer.wall(soon),
    end: writer.wall(soon.add({ minutes: 30 })),
    reminder: 15,
    assigned: [ana, ben],
    description: "Go or no-go",
  });
  for (const offset of [-7, 0, 7, 14])
    writer.event({
      ...common,
      title: "Sprint planning",
      ...writer.hours(offset, "09:30", "11:00"),
      reminder: 10,
    });
  writer.event({
    ...common,
    title: "Retrospective",
    ...writer.hours(-1, "15:00", "16:00"),
  });
  writer.event({
    ...common,
    title: "Beta 1",
    ...writer.milestoneOn(-21),
    completed: true,
  });
  writer.event({
    ...common,
    title: "Release 2.0",
    ...writer.milestoneOn(16),
    reminder: 2880,
  });
  writer.event({
    ...common,
    title: "Deploy window",
    start: writer.at(16, "22:00"),
    end: writer.at(17, "02:00"),
  });
  writer.event({
    ...common,
    title: "Interview (confidential)",
    ...writer.hours(5, "13:00", "14:00"),
    private: true,
    createdBy: elif,
    assigned: [davit],
    reminder: 60,
  });
  writer.event({ ...common, title: longTitle, ...writer.hours(4, "10:00", "10:30") });
  return project.id;
}
