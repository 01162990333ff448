import type { AgendaItem } from "../../calendars/agenda.ts";
import {
  type EditedField,
  fieldOf,
  fieldsOfKind,
  type ItemKind,
  isEdited,
} from "../../domain/fields.ts";
import type { LabelId, PersonId } from "../../domain/ids.ts";
import type { Item, Label, Person, Project, Todolist } from "../../domain/item.ts";
import { asSentence, plainDescription } from "../../domain/text.ts";
import {
  dayInWords,
  fieldNameOf,
  kindInWords,
  lengthInWords,
  momentInWords,
  spanInWords,
} from "../../domain/wording.ts";
import type { ChangeInWords } from "../../edits/field-changes.ts";
import type { FieldFault, ItemFields } from "../../edits/forms/item-fields.ts";
import { type NewItemFault, type NewItemFields, newKinds } from "../../edits/forms/new-item.ts";
import { repetitions } from "../../edits/forms/repetition.ts";
import type { ViewItem } from "../../store/view/view.ts";
import { isMessageId, say } from "../../texts/say.ts";
import { boxesField } from "../item-body.ts";
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
  optionsOf,
  postForm,
  selectField,
  textField,
} from "./components.ts";
import {
  commentCard,
  historyCard,
  type ItemActivity,
  type ItemPresences,
  presenceCard,
  subtaskCard,
} from "./item-cards.ts";
import type { Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

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

interface ItemPageData extends ItemActivity {
  readonly shown: AgendaItem;
  readonly fields: ItemFields;
  readonly state: FormState;
  readonly subtasks: readonly ViewItem[];
  readonly people: readonly Person[];
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
  const kind = kindInWords(item);
  const body = html`${saidAbout(state)}
${card({
  title: null,
  id: "item",
  live: ["mirror", "edits"],
  body: html`<p class="badges">${badge(kind)}${item.completed ? badge(say("badge.done"), "good") : null}${
    pending ? badge(say("badge.pending"), "wait") : null
  }${shown.private ? badge(say("badge.private")) : null}</p>${everything(data)}`,
})}
${subtaskCard(data.subtasks)}
${presenceCard(data.presences)}
${commentCard(data)}
${historyCard(data)}
${isFixed ? null : card({ title: say("action.edit"), id: "change", body: changeForm(data) })}
${isFixed ? null : deleteForm(data)}`;
  return {
    title: item.title,
    current: "calendar",
    actions: html`${data.link === null ? null : linkButton(say("item.openInWorkspace"), data.link)} ${linkButton(say("layout.calendar"), "../../calendar")}`,
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
  const of = controls(fields, faults);
  const titles = new Map(projects.map(({ id, title }) => [id, title]));
  const choose = { value: "", label: say("action.choose") };
  const body = html`${problems.map((text) => notice("bad", asSentence(text)))}
${card({
  title: null,
  body: postForm(
    { action: null, formToken },
    html`<input type="hidden" name="${boxesField}" value="allDay private">
${field({ ...of("title"), label: say("field.title"), isRequired: true })}
${selectField({
  ...of("kind"),
  label: say("item.kind"),
  choices: newKinds.map((kind) => ({ value: kind, label: say(`item.kinds.${kind}`) })),
})}
${selectField({
  ...of("project"),
  label: say("word.project"),
  choices: [choose, ...optionsOf(projects)],
})}
${selectField({
  ...of("list"),
  label: say("field.listId"),
  hint: say("item.forTask"),
  choices: [
    choose,
    ...lists.map((list) => ({
      value: String(list.id),
      label: `${titles.get(list.projectId) ?? ""}: ${list.title}`,
    })),
  ],
})}
${whenFields(
  fields,
  { of, zone },
  html`
<p class="hint">${say("item.firstDayHint")}</p>
${selectField({
  ...of("repeats"),
  label: say("newItem.repeats"),
  choices: [
    { value: "", label: say("newItem.once") },
    ...repetitions.map((value) => ({ value, label: say(`newItem.repeat.${value}`) })),
  ],
})}${field({ ...of("times"), label: say("newItem.times"), type: "number", hint: say("newItem.timesHint") })}`,
)}
${textField({ ...of("description"), label: say("field.description") })}
${checkbox({
  name: "private",
  value: "yes",
  label: say("field.private"),
  isOn: fields.private === "yes",
  hint: say("item.privateHint"),
})}
${button(say("action.preview"), { tone: "main" })}`,
  ),
})}`;
  return { title: say("item.new"), current: "calendar", width: "narrow", body };
}

function saidAbout({ edit, isUnchanged, problems = [], since, faults = [] }: FormState): Markup {
  return html`${
    edit === undefined
      ? null
      : notice(
          "good",
          sayHtml("item.accepted", {
            link: (text) => html`<a href="../../edits/${edit}">${text}</a>`,
          }),
        )
  }${isUnchanged ? notice("info", say("item.unchanged")) : null}${problems.map((text) => notice("bad", asSentence(text)))}${
    faults.length > 0 ? notice("bad", say("item.invalid")) : null
  }${
    since
      ? notice(
          "bad",
          html`<p>${say("item.conflict")}</p><ul>${since.map(
            ({ name, from, to }) =>
              html`<li>${sayHtml("item.became", {
                field: name,
                from: html`<bdi>${from}</bdi>`,
                to: html`<bdi>${to}</bdi>`,
              })}</li>`,
          )}</ul>`,
        )
      : null
  }`;
}

function everything({ shown, viewer, names, labelNames }: ItemPageData): Markup {
  const { item, project, list } = shown;
  const called = (ids: readonly PersonId[]): string =>
    ids.map((id) => names.get(id) ?? say("unnamed.person", { id })).join(", ");
  const text = plainDescription(item.description);
  const common: readonly (readonly [string, Markup | string | null])[] = [
    [say("word.project"), project?.title ?? null],
    [say("field.listId"), list?.title ?? null],
    [say("field.assigned"), item.assigned.length > 0 ? called(item.assigned) : say("item.nobody")],
    ...linesOf(item),
    [say("field.description"), text === "" ? null : html`<span class="prose">${text}</span>`],
  ];
  const origin: readonly (readonly [string, string | null])[] = [
    [say("item.madeBy"), item.creatorId === null ? null : called([item.creatorId])],
    [say("item.made"), item.createdAt && momentInWords(item.createdAt, viewer.zone)],
    [say("item.lastChanged"), item.updatedAt && momentInWords(item.updatedAt, viewer.zone)],
  ];
  if (item.kind === "event") {
    const { reminder } = item;
    const when = spanInWords(item.when, viewer.zone);
    return facts([
      [say("field.when"), when],
      [say("field.reminder"), reminder && say("length.before", { length: exactly(reminder) })],
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
    [say("field.dueOn"), item.dueOn ? dayInWords(item.dueOn) : say("item.noDay")],
    [say("item.starts"), item.startOn && dayInWords(item.startOn)],
    [say("field.percent"), say("item.percent", { percent: item.percent })],
    [say("item.estimated"), item.estimated && exactly(item.estimated)],
    [say("item.logged"), item.logged && exactly(item.logged)],
    [
      say("field.labels"),
      item.labels.map((id) => labelNames.get(id) ?? say("unnamed.label", { id })).join(", ") ||
        null,
    ],
    [say("field.stage"), item.stage],
    [say("field.ticket"), item.ticket],
    [say("field.rrule"), item.rrule],
    ...filled.map(({ title, said }) => [title, said] as const),
    [say("item.leftEmpty"), empty.length > 0 ? empty.map(({ title }) => title).join(", ") : null],
    ...common,
    [
      say("item.finished"),
      item.completedAt &&
        (item.completedBy === null
          ? momentInWords(item.completedAt, viewer.zone)
          : say("item.finishedBy", {
              moment: momentInWords(item.completedAt, viewer.zone),
              who: called([item.completedBy]),
            })),
    ],
    ...origin,
  ]);
}

/** Fields whose form control depends on their type alone. */
const simpleFields = (kind: ItemKind) =>
  fieldsOfKind(kind)
    .filter(isEdited)
    .filter((name) => name !== "completed" && name !== "when")
    .filter((name) => ["flag", "line", "minutes"].includes(fieldOf(name).type.name));

function simpleControl(name: EditedField, of: Control): Markup {
  const { type } = fieldOf(name);
  const label = fieldNameOf(name);
  const hint = `fieldHint.${name}` as const;
  if (type.name === "flag")
    return checkbox({ name, value: "yes", label, isOn: of.value === "yes" });
  return field({
    ...of,
    label,
    ...(isMessageId(hint) && { hint: say(hint) }),
    ...(type.name === "minutes" && { type: "number" }),
  });
}

/** One-line text fields on an item's page. */
const linesOf = (item: Item): readonly (readonly [string, string | null])[] =>
  fieldsOfKind(item.kind)
    .filter((name) => isEdited(name) && fieldOf(name).type.name === "line")
    .map((name) => {
      const value = Object.entries(item).find(([field]) => field === name)?.[1];
      return [fieldNameOf(name), typeof value === "string" ? value : null];
    });

function changeForm(data: ItemPageData): Markup {
  const { shown, fields, state, people, labels, viewer, formToken } = data;
  const { item, sequence } = shown;
  const of = controls(fields, state.faults ?? []);
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
${field({ ...of("title"), label: say("field.title"), isRequired: true })}
${shown.canComplete ? checkbox({ name: "completed", value: "yes", label: say("item.done"), isOn: fields.completed === "yes" }) : null}
${
  item.kind === "event"
    ? html`${whenFields(fields, { of, zone: viewer.zone })}
`
    : html`<fieldset class="when"><legend>${say("item.days")}</legend>
${field({ ...of("startOn"), label: say("item.startsOn"), type: "date" })}${field({ ...of("dueOn"), label: say("item.dueOn"), type: "date" })}</fieldset>
`
}
${simple.map((name) => simpleControl(name, of(name)))}
${textField({ ...of("description"), label: say("field.description") })}
${foldedBoxes("assigned", people, fields.assigned)}
${item.kind === "event" || labels.length === 0 ? null : foldedBoxes("labels", labels, fields.labels)}
${button(say("item.previewChange"), { tone: "main" })}`,
  );
}

const deleteForm = ({ shown, formToken }: ItemPageData): Markup =>
  card({
    title: say("item.deleteIt"),
    body: postForm(
      { action: `${shown.key}/delete`, formToken, inRow: true },
      html`<input type="hidden" name="sequence" value="${shown.sequence}"><p class="quiet">${say("item.deleteHint")}</p>${button(say("action.delete"), { tone: "bad" })}`,
    ),
  });

interface Control {
  readonly name: string;
  readonly value: string;
  readonly problem: string | null;
}

/** A function for the name, value and problem of each field of a form. */
const controls =
  <Fields extends ItemFields | NewItemFields>(
    fields: Fields,
    faults: readonly (FieldFault | NewItemFault)[],
  ) =>
  (name: keyof Fields & string): Control => {
    const value: unknown = fields[name];
    const problem = faults.find((fault) => fault.field === name)?.message ?? null;
    return { name, value: typeof value === "string" ? value : "", problem };
  };

/** The days and times of an event. `more`: further fields of the same group. */
const whenFields = (
  { allDay }: ItemFields,
  { of, zone }: { of: (name: "startOn" | "startAt" | "endOn" | "endAt") => Control; zone: string },
  more: Markup | null = null,
): Markup =>
  html`<fieldset class="when"><legend>${say("item.whenIn", { zone: spaced(zone) })}</legend>
${checkbox({ name: "allDay", value: "yes", label: say("item.wholeDays"), isOn: allDay === "yes" })}
${field({ ...of("startOn"), label: say("item.firstDay"), type: "date" })}${field({ ...of("startAt"), label: say("item.from"), type: "time" })}
${field({ ...of("endOn"), label: say("item.lastDay"), type: "date" })}${field({ ...of("endAt"), label: say("item.until"), type: "time" })}${more}</fieldset>`;

const foldedBoxes = (
  name: "assigned" | "labels",
  choices: readonly (Person | Label)[],
  chosen: readonly string[] = [],
): Markup =>
  folded(
    say(`item.${name}Count`, { count: chosen.length }),
    html`<div class="choices">${choices.map(({ id, name: label }) =>
      checkbox({
        name,
        value: String(id),
        label: html`<bdi>${label}</bdi>`,
        isOn: chosen.includes(String(id)),
      }),
    )}</div>`,
  );

const spaced = (zone: string): string => zone.replaceAll("_", " ");

const exactly = (length: Temporal.Duration): string =>
  lengthInWords(length, new Temporal.ZonedDateTime(0n, "UTC"));
