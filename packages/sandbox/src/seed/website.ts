import type { SeedAccount } from "./account.ts";
import type { SeedWriter } from "./seed-writer.ts";
import { awkwardText, longTitle } from "./texts.ts";

/** A website relaunch close to its launch, with every type of custom field. */
export function seedWebsite(writer: SeedWriter, { people, labels }: SeedAccount): number {
  const { ana, ben, chiara, farid, greta } = people;
  const fields = {
    budget: writer.customField({
      title: "Budget",
      description: "What the client agreed to",
      type: "Currency",
      currency: "EUR",
    }),
    goLive: writer.customField({ title: "Go-live", description: "", type: "Date" }),
    share: writer.customField({ title: "Done by agency", description: "", type: "Percentage" }),
    contact: writer.customField({ title: "Contact", description: "Who to ask", type: "Text" }),
    channels: writer.customField({
      title: "Channels",
      description: "",
      type: "Tags",
      options: [
        { id: "1", name: "Web" },
        { id: "2", name: "Print" },
        { id: "3", name: "Social media" },
      ],
    }),
    risk: writer.customField({
      title: "Risk",
      description: "",
      type: "Dropdown",
      options: [
        { id: "1", name: "low" },
        { id: "2", name: "high" },
      ],
    }),
    notes: writer.customField({ title: "Notes", description: "", type: "Textarea" }),
    pages: writer.customField({ title: "Pages", description: "", type: "Numbers" }),
  };
  const { project, home } = writer.startProject([ana, ben, chiara, farid, greta], {
    title: "Website relaunch",
    description: "New site for Haddad & Sons, three languages",
    color: "#428bca",
    manager: ana,
    customFields: Object.values(fields),
  });
  const designs = writer.folder({ project: project.id, name: "Designs", parent: home });
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle r="32"/></svg>';
  const inProject = { project: project.id, by: chiara };
  writer.file({
    ...inProject,
    folder: designs,
    name: "logo.svg",
    type: "image/svg+xml",
    text: svg,
  });
  const brief = "Three languages, launch before the fair.\n";
  writer.file({
    ...inProject,
    folder: home,
    name: "Brief & budget.txt",
    type: "text/plain",
    text: brief,
  });

  const design = writer.list(project, "Design");
  const build = writer.list(project, "Build");
  const content = writer.list(project, "Content & translations");
  writer.list(project, "Launch");

  const homePage = writer.task(design, {
    title: "Home page: second draft",
    description: "<p>Keep the <strong>hero image</strong>, drop the slider.</p>",
    startOn: writer.day(-6),
    dueOn: writer.day(2),
    estimatedHours: 12,
    estimatedMins: 30,
    loggedHours: 7,
    loggedMins: 15,
    assigned: [chiara],
    labels: [labels.design],
    createdBy: ana,
    stage: 2,
    taskHistory: "<b>Ana Reis</b> changed due date",
    customFields: {
      [fields.budget.id]: "4800.00",
      [fields.goLive.id]: writer.day(20),
      [fields.share.id]: "60",
      [fields.contact.id]: "Farid حداد",
      [fields.channels.id]: ["1", "3"],
      [fields.risk.id]: ["2"],
      [fields.notes.id]: "First line\nSecond line",
      [fields.pages.id]: "14",
    },
  });
  writer.subtask(homePage, {
    title: "Hero image",
    dueOn: writer.day(-1),
    assigned: [chiara],
    createdBy: ana,
    ...writer.completed(chiara, 1),
  });
  writer.subtask(homePage, {
    title: "Footer with three languages",
    dueOn: writer.day(1),
    assigned: [chiara],
    createdBy: ana,
  });
  writer.subtask(homePage, { title: "Phone layout 📱", dueOn: writer.day(2), createdBy: chiara });
  writer.comment(homePage, { by: chiara, text: "Draft is in the folder Designs.", daysAgo: 2 });
  writer.comment(homePage, {
    by: ana,
    text: "Love it! <em>One</em> remark: the blue is too dark.",
    daysAgo: 1,
  });

  writer.task(design, {
    title: "Colour palette",
    dueOn: writer.day(-14),
    createdBy: chiara,
    assigned: [chiara],
    labels: [labels.design, labels.client],
    ...writer.completed(chiara, 12),
  });
  writer.task(design, {
    title: "אייקונים לתפריט הראשי",
    description: "עברית מימין לשמאל, with English in between",
    dueOn: writer.day(4),
    createdBy: ana,
    assigned: [chiara],
  });
  writer.task(build, {
    title: 'Contact form does not send "Umlaute" äöü',
    dueOn: writer.day(-3),
    createdBy: farid,
    assigned: [ben],
    labels: [labels.bug, labels.urgent],
  });
  writer.task(build, {
    title: "Redirects from the old site",
    description: awkwardText,
    startOn: writer.day(1),
    dueOn: writer.day(8),
    createdBy: ana,
    assigned: [ben, ana],
  });
  writer.task(build, {
    title: "Weekly backup check",
    dueOn: writer.day(3),
    createdBy: ben,
    assigned: [ben],
    rrule: "FREQ=WEEKLY;INTERVAL=1;BYDAY=TU",
  });
  writer.task(build, { title: "Choose analytics", createdBy: ben, labels: [labels.idea] });
  writer.task(content, {
    title: longTitle,
    dueOn: writer.day(0),
    createdBy: farid,
    assigned: [ana],
  });
  writer.task(content, {
    title: "نص الصفحة الرئيسية بالعربية",
    dueOn: writer.day(5),
    createdBy: ana,
    assigned: [farid],
    labels: [labels.client],
  });
  writer.task(content, {
    title: "Photos of the new hall",
    startOn: writer.day(-2),
    createdBy: ana,
    assigned: [chiara, greta],
  });

  writer.event({
    project: project.id,
    title: "Weekly call with Haddad & Sons",
    ...writer.hours(1, "10:00", "10:45"),
    reminder: 15,
    assigned: [ana, ben],
    createdBy: ana,
    description: "Agenda:\n1. design\n2. texts\n3. launch; who does what?",
  });
  writer.event({
    project: project.id,
    title: "Design review",
    ...writer.hours(-2, "14:00", "15:30"),
    assigned: [chiara, ben],
    createdBy: chiara,
    reminder: 0,
  });
  writer.event({
    project: project.id,
    title: "Salary talk",
    ...writer.hours(3, "16:00", "16:30"),
    private: true,
    assigned: [ben],
    createdBy: ana,
    reminder: 30,
  });
  writer.event({
    project: project.id,
    title: "Dentist",
    ...writer.hours(2, "08:15", "09:00"),
    private: true,
    createdBy: ben,
  });
  writer.event({
    project: project.id,
    title: "Design freeze",
    ...writer.milestoneOn(4),
    assigned: [ana, chiara],
    createdBy: ana,
    reminder: 1440,
  });
  writer.event({
    project: project.id,
    title: "Contract signed ✍️",
    ...writer.milestoneOn(-30),
    completed: true,
    createdBy: ana,
  });
  writer.event({
    project: project.id,
    title: "Texts complete",
    ...writer.milestoneOn(-5),
    assigned: [ana],
    createdBy: ana,
  });
  writer.event({
    project: project.id,
    title: "Launch 🚀",
    ...writer.milestoneOn(20),
    assigned: [ana, ben, chiara],
    createdBy: ana,
  });
  writer.event({
    project: project.id,
    title: "Call Ben back",
    start: writer.at(0, "17:30"),
    bareEnd: "absent",
    createdBy: chiara,
    assigned: [ben],
  });
  return project.id;
}
