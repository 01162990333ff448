import type { AgendaItem } from "../../calendars/agenda.ts";
import type { Comment, HistoryEntry } from "../../domain/comment.ts";
import {
  type EditedField,
  fieldOf,
  fieldsOfKind,
  type ItemKind,
  isEdited,
} from "../../domain/fields.ts";
import type { LabelId, PersonId } from "../../domain/ids.ts";
import {
  type Item,
  type Label,
  type Person,
  type Project,
  spokenKind,
  type Todolist,
} from "../../domain/item.ts";
import { plainDescription } from "../../domain/text.ts";
import { dayInWords, lengthInWords, momentInWords, spanInWords } from "../../domain/wording.ts";
import type { ChangeInWords } from "../../edits/field-changes.ts";
import type { FieldFault, ItemFields } from "../../edits/forms/item-fields.ts";
import { type NewItemFault, type NewItemFields, newKinds } from "../../edits/forms/new-item.ts";
import type { ViewItem } from "../../store/view/view.ts";
import { boxesField } from "../item-body.ts";
import type { Viewer } from "../viewer.ts";
import {
  badge,
  button,
  card,
  checkbox,
  facts,
  field,
  folded,
  linkButton,
  notice,
  postForm,
  selectField,
  textField,
} from "./components.ts";
import { type ItemPresences, presenceCard } from "./item-presence.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** Result of the reader's last submission. */
export interface FormState {
  /** As entered. */
  readonly fields?: ItemFields;
  readonly faults?: readonly (FieldFault | NewItemFault)[];
  readonly problems?: readonly string[];
  /** What someone else has changed since the form was shown. */
  readonly since?: readonly ChangeInWords[];
  readonly isUnchanged?: boolean;
  /** The edit that was just stored. */
  readonly edit?: number;
}

interface ItemPageData {
  readonly viewer: Viewer;
  readonly shown: AgendaItem;
  readonly fields: ItemFields;
  readonly state: FormState;
  readonly subtasks: readonly ViewItem[];
  readonly comments: readonly Comment[];
  /** Its history in the service, oldest first. */
  readonly history: readonly HistoryEntry[];
  readonly people: readonly Person[];
  readonly names: ReadonlyMap<PersonId, string>;
  readonly labels: readonly Label[];
  readonly labelNames: ReadonlyMap<LabelId, string>;
  readonly presences: ItemPresences;
  /** Its URL in the service. */
  readonly link: string | null;
  readonly formToken: string;
  readonly isFixed: boolean;
}

/** An item with all its mirrored data, and its form; its URL is two levels below the start page. */
export function itemPage(data: ItemPageData): Page {
  const { shown, state, isFixed } = data;
  const { item, pending } = shown;
  const kind = spokenKind(item);
  const body = html`${saidAbout(state)}
${card({
  title: null,
  id: "item",
  live: ["mirror", "edits"],
  body: html`<p class="badges">${badge(kind)}${item.completed ? badge("done", "good") : null}${
    pending ? badge("pending", "wait") : null
  }${shown.private ? badge("private") : null}</p>${everything(data)}`,
})}
${below(data)}
${presenceCard(data.presences)}
${comments(data)}
${happened(data)}
${isFixed ? null : card({ title: "Edit", id: "change", body: changeForm(data) })}
${isFixed ? null : deleteForm(data)}`;
  return {
    title: item.title,
    current: "calendar",
    actions: html`${data.link === null ? null : linkButton("Open in the workspace", data.link)} ${linkButton("Calendar", "../../calendar")}`,
    body,
  };
}

interface NewItemPageData {
  readonly fields: NewItemFields;
  readonly faults: readonly (FieldFault | NewItemFault)[];
  readonly problems: readonly string[];
  readonly projects: readonly Project[];
  readonly lists: readonly Todolist[];
  readonly zone: string;
  readonly formToken: string;
}

/** The form for a new event, milestone or task; its URL is one level below the start page. */
export function newItemPage(data: NewItemPageData): Page {
  const { fields, faults, problems, projects, lists, zone, formToken } = data;
  const problem = problemOf(faults);
  const of = (name: keyof NewItemFields) => ({
    name,
    value: textOf(fields[name]),
    problem: problem(name),
  });
  const titles = new Map(projects.map(({ id, title }) => [id, title]));
  const choose = { value: "", label: "Choose…" };
  const body = html`${problems.map((text) => notice("bad", text))}
${card({
  title: null,
  body: postForm(
    { action: null, formToken },
    html`<input type="hidden" name="${boxesField}" value="allDay private">
${field({ ...of("title"), label: "Title", isRequired: true })}
${selectField({
  ...of("kind"),
  label: "Kind",
  choices: newKinds.map((kind) => ({ value: kind, label: kindLabels[kind] })),
})}
${selectField({
  ...of("project"),
  label: "Project",
  choices: [choose, ...projects.map(({ id, title }) => ({ value: String(id), label: title }))],
})}
${selectField({
  ...of("list"),
  label: "List",
  hint: "For a task only.",
  choices: [
    choose,
    ...lists.map((list) => ({
      value: String(list.id),
      label: `${titles.get(list.projectId) ?? ""}: ${list.title}`,
    })),
  ],
})}
<fieldset class="when"><legend>When (${spaced(zone)})</legend>
${checkbox({ name: "allDay", value: "yes", label: "Whole days", isOn: fields.allDay === "yes" })}
${field({ ...of("startOn"), label: "First day", type: "date" })}${field({ ...of("startAt"), label: "From", type: "time" })}
${field({ ...of("endOn"), label: "Last day", type: "date" })}${field({ ...of("endAt"), label: "Until", type: "time" })}
<p class="hint">Milestones and tasks use the first day.</p></fieldset>
${textField({ ...of("description"), label: "Description" })}
${checkbox({
  name: "private",
  value: "yes",
  label: "Private",
  isOn: fields.private === "yes",
  hint: "Only the creator and assigned people see the event.",
})}
${button("Preview", { tone: "main" })}`,
  ),
})}`;
  return { title: "New item", current: "calendar", width: "narrow", body };
}

const kindLabels = { event: "Event", milestone: "Milestone", task: "Task" } as const;

function saidAbout({ edit, isUnchanged, problems = [], since, faults = [] }: FormState): Markup {
  return html`${
    edit === undefined
      ? null
      : notice(
          "good",
          html`Accepted, and stored. <a href="../../edits/${edit}">What becomes of it</a>.`,
        )
  }${isUnchanged ? notice("info", "No changes: the item already has these values.") : null}${problems.map((text) => notice("bad", text))}${
    faults.length > 0 ? notice("bad", "Some fields are invalid. Nothing was changed.") : null
  }${
    since
      ? notice(
          "bad",
          html`<p>Conflict: someone else changed the same fields. Your values are still in the form. Submit again to overwrite theirs.</p><ul>${since.map(
            ({ name, from, to }) =>
              html`<li>${name}: <bdi>${from}</bdi> has become <bdi>${to}</bdi></li>`,
          )}</ul>`,
        )
      : null
  }`;
}

function everything({ shown, viewer, names, labelNames }: ItemPageData): Markup {
  const { item, project, list } = shown;
  const called = (ids: readonly PersonId[]): string =>
    ids.map((id) => names.get(id) ?? `person ${id}`).join(", ");
  const text = plainDescription(item.description);
  const common: readonly (readonly [string, Markup | string | null])[] = [
    ["Project", project?.title ?? null],
    ["List", list?.title ?? null],
    ["Assigned", item.assigned.length > 0 ? called(item.assigned) : "nobody"],
    ...linesOf(item),
    ["Description", text === "" ? null : html`<span class="prose">${text}</span>`],
  ];
  const origin: readonly (readonly [string, string | null])[] = [
    ["Made by", item.creatorId === null ? null : called([item.creatorId])],
    ["Made", item.createdAt && momentInWords(item.createdAt, viewer.zone)],
    ["Last changed", item.updatedAt && momentInWords(item.updatedAt, viewer.zone)],
  ];
  if (item.kind === "event") {
    const { reminder } = item;
    const when = spanInWords(item.when, viewer.zone);
    return facts([
      ["When", when],
      ["Reminder", reminder && `${exactly(reminder)} before`],
      ...common,
      ...origin,
    ]);
  }
  const fields = item.customFields.map(({ title, value }) => ({
    title,
    said: typeof value === "string" ? value : value.join(", "),
  }));
  const filled = fields.filter(({ said }) => said.trim() !== "");
  const empty = fields.filter(({ said }) => said.trim() === "");
  return facts([
    ["Due", item.dueOn ? dayInWords(item.dueOn) : "no day"],
    ["Starts", item.startOn && dayInWords(item.startOn)],
    ["Progress", `${item.percent} %`],
    ["Estimated", item.estimated && exactly(item.estimated)],
    ["Logged", item.logged && exactly(item.logged)],
    ["Labels", item.labels.map((id) => labelNames.get(id) ?? `label ${id}`).join(", ") || null],
    ["Stage", item.stage],
    ["Ticket", item.ticket],
    ["Repeats", item.rrule],
    ...filled.map(({ title, said }) => [title, said] as const),
    ["Left empty", empty.length > 0 ? empty.map(({ title }) => title).join(", ") : null],
    ...common,
    [
      "Finished",
      item.completedAt &&
        `${momentInWords(item.completedAt, viewer.zone)}${item.completedBy === null ? "" : ` by ${called([item.completedBy])}`}`,
    ],
    ...origin,
  ]);
}

function below({ subtasks }: ItemPageData): Markup | null {
  if (subtasks.length === 0) return null;
  const entries = subtasks.map(
    ({ key, item }) =>
      html`<li><a href="${key}"><bdi>${item.title}</bdi></a>${item.completed ? html` ${badge("done", "good")}` : null}${
        item.kind !== "event" && item.dueOn
          ? html` <span class="quiet">due ${dayInWords(item.dueOn)}</span>`
          : null
      }</li>`,
  );
  return card({ title: "Subtasks", body: html`<ul class="plain">${entries}</ul>` });
}

function comments({ comments: all, names, viewer }: ItemPageData): Markup | null {
  if (all.length === 0) return null;
  const entries = all.map(
    ({ creatorId, createdAt, description }) =>
      html`<li><p class="quiet"><bdi>${creatorId === null ? "Someone" : (names.get(creatorId) ?? `Person ${creatorId}`)}</bdi>${
        createdAt ? html`, ${momentInWords(createdAt, viewer.zone)}` : null
      }</p><p class="prose">${plainDescription(description)}</p></li>`,
  );
  return card({ title: "Comments", body: html`<ul class="plain">${entries}</ul>` });
}

function happened({ history, names, viewer }: ItemPageData): Markup | null {
  if (history.length === 0) return null;
  const entries = history.toReversed().map(({ personId, action, activityAt, on }) => {
    const who = personId === null ? "Someone" : (names.get(personId) ?? `Person ${personId}`);
    const day = on ? html`, ${dayInWords(on)}` : null;
    return html`<li><bdi>${who}</bdi>: <bdi>${action}</bdi><span class="quiet">${
      activityAt ? html`, ${momentInWords(activityAt, viewer.zone)}` : day
    }</span></li>`;
  });
  const title = `History in the workspace (${history.length})`;
  return card({ title: null, body: folded(title, html`<ul class="plain">${entries}</ul>`) });
}

/** Fields whose form control depends on their type alone. */
const simpleFields = (kind: ItemKind) =>
  fieldsOfKind(kind)
    .filter(isEdited)
    .filter((name) => name !== "completed" && name !== "when")
    .filter((name) => ["flag", "line", "minutes"].includes(fieldOf(name).type.name));

function simpleControl(
  name: EditedField,
  {
    isOn,
    ...of
  }: {
    readonly name: string;
    readonly value: string;
    readonly problem: string | null;
    readonly isOn: boolean;
  },
): Markup {
  const { name: label, hint, type } = fieldOf(name);
  if (type.name === "flag") return checkbox({ name, value: "yes", label, isOn });
  return field({
    ...of,
    label,
    ...(hint && { hint }),
    ...(type.name === "minutes" && { type: "number" }),
  });
}

/** One-line text fields on an item's page. */
const linesOf = (item: Item): readonly (readonly [string, string | null])[] =>
  fieldsOfKind(item.kind)
    .filter((name) => isEdited(name) && fieldOf(name).type.name === "line")
    .map((name) => {
      const value = Object.entries(item).find(([field]) => field === name)?.[1];
      return [fieldOf(name).name, typeof value === "string" ? value : null];
    });

function changeForm(data: ItemPageData): Markup {
  const { shown, fields, state, people, labels, viewer, formToken } = data;
  const { item, sequence } = shown;
  const problem = problemOf(state.faults ?? []);
  const of = (name: keyof ItemFields) => ({
    name,
    value: textOf(fields[name]),
    problem: problem(name),
  });
  const simple = simpleFields(item.kind);
  const boxes = [
    "assigned",
    ...(item.kind === "event" ? ["allDay"] : ["labels"]),
    ...simple.filter((name) => fieldOf(name).type.name === "flag"),
    ...(shown.canComplete ? ["completed"] : []),
  ];
  return postForm(
    { action: null, formToken },
    html`<input type="hidden" name="sequence" value="${sequence}"><input type="hidden" name="${boxesField}" value="${boxes.join(" ")}">
${field({ ...of("title"), label: "Title", isRequired: true })}
${shown.canComplete ? checkbox({ name: "completed", value: "yes", label: "Done", isOn: fields.completed === "yes" }) : null}
${
  item.kind === "event"
    ? html`<fieldset class="when"><legend>When (${spaced(viewer.zone)})</legend>
${checkbox({ name: "allDay", value: "yes", label: "Whole days", isOn: fields.allDay === "yes" })}
${field({ ...of("startOn"), label: "First day", type: "date" })}${field({ ...of("startAt"), label: "From", type: "time" })}
${field({ ...of("endOn"), label: "Last day", type: "date" })}${field({ ...of("endAt"), label: "Until", type: "time" })}</fieldset>
`
    : html`<fieldset class="when"><legend>Days</legend>
${field({ ...of("startOn"), label: "Starts on", type: "date" })}${field({ ...of("dueOn"), label: "Due on", type: "date" })}</fieldset>
`
}
${simple.map((name) => simpleControl(name, { ...of(name), isOn: fields[name] === "yes" }))}
${textField({ ...of("description"), label: "Description" })}
${folded(
  `Assigned (${fields.assigned?.length ?? 0})`,
  html`<div class="choices">${people.map(({ id, name }) =>
    checkbox({
      name: "assigned",
      value: String(id),
      label: html`<bdi>${name}</bdi>`,
      isOn: fields.assigned?.includes(String(id)) === true,
    }),
  )}</div>`,
)}
${
  item.kind === "event" || labels.length === 0
    ? null
    : folded(
        `Labels (${fields.labels?.length ?? 0})`,
        html`<div class="choices">${labels.map(({ id, name }) =>
          checkbox({
            name: "labels",
            value: String(id),
            label: html`<bdi>${name}</bdi>`,
            isOn: fields.labels?.includes(String(id)) === true,
          }),
        )}</div>`,
      )
}
${button("Preview the change", { tone: "main" })}`,
  );
}

const deleteForm = ({ shown, formToken }: ItemPageData): Markup =>
  card({
    title: "Delete it",
    body: postForm(
      { action: `${shown.key}/delete`, formToken, inRow: true },
      html`<input type="hidden" name="sequence" value="${shown.sequence}"><p class="quiet">Deletes it for everyone. Asks first.</p>${button("Delete…", { tone: "bad" })}`,
    ),
  });

const problemOf =
  (faults: readonly (FieldFault | NewItemFault)[]) =>
  (name: string): string | null =>
    faults.find((fault) => fault.field === name)?.message ?? null;

const textOf = (value: string | readonly string[] | undefined): string =>
  typeof value === "string" ? value : "";

const spaced = (zone: string): string => zone.replaceAll("_", " ");

const exactly = (length: Temporal.Duration): string =>
  lengthInWords(length, new Temporal.ZonedDateTime(0n, "UTC"));
