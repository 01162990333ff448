import type { SeedPeople } from "./seed-people.ts";
import type { SeedWriter } from "./seed-writer.ts";
import { awkwardText, longTitle } from "./texts.ts";

/** The labels of the account by name. */
export type SeedLabels = Readonly<Record<"urgent" | "design" | "client" | "bug" | "idea", number>>;

/** What the story of a project is told with. */
export interface SeedCast {
  readonly people: SeedPeople;
  readonly labels: SeedLabels;
}

/** The relaunch of a website: under way, near its launch. Every type of custom field occurs. */
export function seedWebsite(pen: SeedWriter, { people, labels }: SeedCast): number {
  const { ana, ben, chiara, farid, greta } = people;
  const fields = {
    budget: pen.customField({
      title: "Budget",
      description: "What the client agreed to",
      type: "Currency",
      currency: "EUR",
    }),
    goLive: pen.customField({ title: "Go-live", description: "", type: "Date" }),
    share: pen.customField({ title: "Done by agency", description: "", type: "Percentage" }),
    contact: pen.customField({ title: "Contact", description: "Who to ask", type: "Text" }),
    channels: pen.customField({
      title: "Channels",
      description: "",
      type: "Tags",
      options: [
        { id: "1", name: "Web" },
        { id: "2", name: "Print" },
        { id: "3", name: "Social media" },
      ],
    }),
    risk: pen.customField({
      title: "Risk",
      description: "",
      type: "Dropdown",
      options: [
        { id: "1", name: "low" },
        { id: "2", name: "high" },
      ],
    }),
    notes: pen.customField({ title: "Notes", description: "", type: "Textarea" }),
    pages: pen.customField({ title: "Pages", description: "", type: "Numbers" }),
  };
  const project = pen.project({
    title: "Website relaunch",
    description: "New site for Haddad & Sons, three languages",
    color: "#428bca",
    manager: ana,
    customFields: Object.values(fields),
  });
  for (const person of [ana, ben, chiara, farid, greta]) pen.join(person, project.id);
  const home = pen.folder({ project: project.id, name: "Website relaunch", parent: null });
  const designs = pen.folder({ project: project.id, name: "Designs", parent: home });
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle r="32"/></svg>';
  const inProject = { project: project.id, by: chiara };
  pen.file({ ...inProject, folder: designs, name: "logo.svg", type: "image/svg+xml", text: svg });
  const brief = "Three languages, launch before the fair.\n";
  pen.file({
    ...inProject,
    folder: home,
    name: "Brief & budget.txt",
    type: "text/plain",
    text: brief,
  });

  const design = pen.list(project, "Design");
  const build = pen.list(project, "Build");
  const content = pen.list(project, "Content & translations");
  pen.list(project, "Launch");

  const homePage = pen.task(design, {
    title: "Home page: second draft",
    description: "<p>Keep the <strong>hero image</strong>, drop the slider.</p>",
    startOn: pen.day(-6),
    dueOn: pen.day(2),
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
      [fields.goLive.id]: pen.day(20),
      [fields.share.id]: "60",
      [fields.contact.id]: "Farid حداد",
      [fields.channels.id]: ["1", "3"],
      [fields.risk.id]: ["2"],
      [fields.notes.id]: "First line\nSecond line",
      [fields.pages.id]: "14",
    },
  });
  pen.subtask(homePage, {
    title: "Hero image",
    dueOn: pen.day(-1),
    assigned: [chiara],
    createdBy: ana,
    ...pen.completed(chiara, 1),
  });
  pen.subtask(homePage, {
    title: "Footer with three languages",
    dueOn: pen.day(1),
    assigned: [chiara],
    createdBy: ana,
  });
  pen.subtask(homePage, { title: "Phone layout 📱", dueOn: pen.day(2), createdBy: chiara });
  pen.comment(homePage, { by: chiara, text: "Draft is in the folder Designs.", daysAgo: 2 });
  pen.comment(homePage, {
    by: ana,
    text: "Love it! <em>One</em> remark: the blue is too dark.",
    daysAgo: 1,
  });

  pen.task(design, {
    title: "Colour palette",
    dueOn: pen.day(-14),
    createdBy: chiara,
    assigned: [chiara],
    labels: [labels.design, labels.client],
    ...pen.completed(chiara, 12),
  });
  pen.task(design, {
    title: "אייקונים לתפריט הראשי",
    description: "עברית מימין לשמאל, with English in between",
    dueOn: pen.day(4),
    createdBy: ana,
    assigned: [chiara],
  });
  pen.task(build, {
    title: 'Contact form does not send "Umlaute" äöü',
    dueOn: pen.day(-3),
    createdBy: farid,
    assigned: [ben],
    labels: [labels.bug, labels.urgent],
  });
  pen.task(build, {
    title: "Redirects from the old site",
    description: awkwardText,
    startOn: pen.day(1),
    dueOn: pen.day(8),
    createdBy: ana,
    assigned: [ben, ana],
  });
  pen.task(build, {
    title: "Weekly backup check",
    dueOn: pen.day(3),
    createdBy: ben,
    assigned: [ben],
    rrule: "FREQ=WEEKLY;INTERVAL=1;BYDAY=TU",
  });
  pen.task(build, { title: "Choose analytics", createdBy: ben, labels: [labels.idea] });
  pen.task(content, { title: longTitle, dueOn: pen.day(0), createdBy: farid, assigned: [ana] });
  pen.task(content, {
    title: "نص الصفحة الرئيسية بالعربية",
    dueOn: pen.day(5),
    createdBy: ana,
    assigned: [farid],
    labels: [labels.client],
  });
  pen.task(content, {
    title: "Photos of the new hall",
    startOn: pen.day(-2),
    createdBy: ana,
    assigned: [chiara, greta],
  });

  pen.event({
    project: project.id,
    title: "Weekly call with Haddad & Sons",
    start: pen.at(1, "10:00"),
    end: pen.at(1, "10:45"),
    reminder: 15,
    assigned: [ana, ben],
    createdBy: ana,
    description: "Agenda:\n1. design\n2. texts\n3. launch; who does what?",
  });
  pen.event({
    project: project.id,
    title: "Design review",
    start: pen.at(-2, "14:00"),
    end: pen.at(-2, "15:30"),
    assigned: [chiara, ben],
    createdBy: chiara,
    reminder: 0,
  });
  pen.event({
    project: project.id,
    title: "Salary talk",
    start: pen.at(3, "16:00"),
    end: pen.at(3, "16:30"),
    private: true,
    assigned: [ben],
    createdBy: ana,
    reminder: 30,
  });
  pen.event({
    project: project.id,
    title: "Dentist",
    start: pen.at(2, "08:15"),
    end: pen.at(2, "09:00"),
    private: true,
    createdBy: ben,
  });
  pen.event({
    project: project.id,
    title: "Design freeze",
    start: pen.at(4, "00:00"),
    allDay: true,
    milestone: true,
    assigned: [ana, chiara],
    createdBy: ana,
    reminder: 1440,
  });
  pen.event({
    project: project.id,
    title: "Contract signed ✍️",
    start: pen.at(-30, "00:00"),
    allDay: true,
    milestone: true,
    completed: true,
    createdBy: ana,
  });
  pen.event({
    project: project.id,
    title: "Texts complete",
    start: pen.at(-5, "00:00"),
    allDay: true,
    milestone: true,
    assigned: [ana],
    createdBy: ana,
  });
  pen.event({
    project: project.id,
    title: "Launch 🚀",
    start: pen.at(20, "00:00"),
    allDay: true,
    milestone: true,
    assigned: [ana, ben, chiara],
    createdBy: ana,
  });
  pen.event({
    project: project.id,
    title: "Call Ben back",
    start: pen.at(0, "17:30"),
    bareEnd: "absent",
    createdBy: chiara,
    assigned: [ben],
  });
  return project.id;
}
