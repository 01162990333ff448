import { type FieldType, fieldTypes as type } from "./field-types.ts";

/** The service's three dated resources. A milestone is an event, as it can become one and stop being one. */
export const itemKinds = ["event", "task", "subtask"] as const;
export type ItemKind = (typeof itemKinds)[number];

/** Which kinds have a field. Subtasks have every field of a task. */
type Holder = "item" | "event" | "task";

/** The calendar properties of a field. A missing property clears the field if it was there before. */
interface Properties {
  readonly VEVENT?: string;
  readonly VTODO?: string;
}

interface FieldFacts<Value> {
  readonly on: Holder;
  /** Key in stored JSON and reports, if it differs from the field's name. */
  readonly key?: string;
  /**
   * Where calendars show it: in feeds and over CalDAV, in feeds only, or nowhere. A change of a shown field raises
   * SEQUENCE.
   */
  readonly shown: "everywhere" | "feeds" | "nowhere";
  /** Default value; absent for a required field. */
  readonly blank?: Value;
  /** Omitted from stored JSON while it has its default, so that adding a field changes no stored item. */
  readonly sparse?: boolean;
  readonly property?: Properties;
  /** Key in the service's JSON, for a field that is read and sent by its type alone. */
  readonly service?: string;
}

/** One field of an item. */
export interface Field<Value = unknown, Plain = unknown> extends FieldFacts<Value> {
  readonly type: FieldType<Value, Plain>;
  /** True if an edit may set it. */
  readonly edited: boolean;
}

const edited = <Value, Plain, Facts extends FieldFacts<Value>>(
  of: FieldType<Value, Plain>,
  facts: Facts,
) => ({ ...facts, type: of, edited: true }) as const;

const readOnly = <Value, Plain, Facts extends FieldFacts<Value>>(
  of: FieldType<Value, Plain>,
  facts: Facts,
) => ({ ...facts, type: of, edited: false }) as const;

/**
 * Every field of an item, in the order of the stored JSON. Types of items and patches, storage, comparison, merging,
 * forms, conflicts, sentences and reports are derived from this table.
 */
const fields = {
  projectId: readOnly(type.project, { on: "item", shown: "feeds" }),
  title: edited(type.title, {
    on: "item",
    shown: "everywhere",
    blank: "",
  }),
  description: edited(type.prose, {
    on: "item",
    shown: "everywhere",
    blank: null,
    property: { VEVENT: "DESCRIPTION", VTODO: "DESCRIPTION" },
    service: "description",
  }),
  /** Tasks, subtasks and milestones can be completed. */
  completed: edited(type.flag, { on: "item", shown: "everywhere", blank: false }),
  assigned: edited(type.people, {
    on: "item",
    shown: "feeds",
    blank: [],
    service: "assigned",
  }),
  creatorId: readOnly(type.person, { on: "item", shown: "nowhere" }),
  createdAt: readOnly(type.moment, { on: "item", shown: "nowhere" }),

  when: edited(type.when, { on: "event", shown: "everywhere" }),
  /** Time before the start. */
  reminder: edited(type.minutes, {
    on: "event",
    key: "reminderMinutes",
    shown: "everywhere",
    blank: null,
    property: { VEVENT: "VALARM" },
    service: "reminder",
  }),
  milestone: edited(type.flag, {
    on: "event",
    shown: "everywhere",
    blank: false,
    property: { VEVENT: "CATEGORIES" },
  }),
  private: edited(type.flag, { on: "event", shown: "everywhere", blank: false }),

  listId: readOnly(type.list, { on: "task", shown: "nowhere" }),
  /** The parent task of a subtask; null for a task. */
  parentId: readOnly(type.parent, { on: "task", shown: "everywhere" }),
  startOn: edited(type.day, {
    on: "task",
    shown: "everywhere",
    blank: null,
    property: { VTODO: "DTSTART" },
  }),
  dueOn: edited(type.day, {
    on: "task",
    shown: "everywhere",
    blank: null,
    property: { VTODO: "DUE" },
  }),
  estimated: edited(type.minutes, {
    on: "task",
    key: "estimatedMinutes",
    shown: "nowhere",
    blank: null,
  }),
  logged: readOnly(type.minutes, {
    on: "task",
    key: "loggedMinutes",
    shown: "nowhere",
    blank: null,
  }),
  percent: readOnly(type.percent, {
    on: "task",
    shown: "everywhere",
    blank: 0,
  }),
  labels: edited(type.labels, {
    on: "task",
    shown: "everywhere",
    blank: [],
    property: { VTODO: "CATEGORIES" },
    service: "labels",
  }),
  completedAt: readOnly(type.moment, {
    on: "task",
    shown: "feeds",
    blank: null,
  }),
  completedBy: readOnly(type.person, {
    on: "task",
    shown: "nowhere",
    blank: null,
  }),
  subtaskCount: readOnly(type.count, {
    on: "task",
    shown: "nowhere",
    blank: 0,
  }),
  commentCount: readOnly(type.count, {
    on: "task",
    shown: "nowhere",
    blank: 0,
  }),
  /** The service's own recurrence text, of unknown format. Displayed, never edited. */
  rrule: readOnly(type.line, { on: "task", shown: "nowhere", blank: null }),
  ticket: readOnly(type.line, { on: "task", shown: "nowhere", blank: null }),
  stage: readOnly(type.line, { on: "task", shown: "nowhere", blank: null }),
  customFields: readOnly(type.customFields, {
    on: "task",
    shown: "nowhere",
    blank: [],
  }),
} as const satisfies Readonly<Record<string, Field>>;

type Fields = typeof fields;
export type FieldName = keyof Fields;
/** A field that edits can set. */
export type EditedField = {
  [Name in FieldName]: Fields[Name]["edited"] extends true ? Name : never;
}[FieldName];

export type ValueOf<Name extends FieldName> =
  Fields[Name]["type"] extends FieldType<infer Value, infer _Plain> ? Value : never;
export type PlainOf<Name extends FieldName> =
  Fields[Name]["type"] extends FieldType<infer _Value, infer Plain> ? Plain : never;

/** A field read from the service by its type alone. */
export type ServiceField = {
  [Name in FieldName]: Fields[Name] extends { readonly service: string } ? Name : never;
}[FieldName];

/** The key of a field in stored JSON. */
export type KeyOf<Name extends FieldName> = Fields[Name] extends {
  readonly key: infer Key extends string;
}
  ? Key
  : Name;

/** Fields of one holder, without those of all items. */
export type FieldOf<Of extends Holder> = {
  [Name in FieldName]: Fields[Name]["on"] extends Of ? Name : never;
}[FieldName];

export const isFieldName = (name: string): name is FieldName => name in fields;
export const fieldNames: readonly FieldName[] = Object.keys(fields).filter(isFieldName);

/** The declaration of a field. */
export const fieldOf = (name: FieldName): Field => fields[name];

export const jsonKeyOf = (name: FieldName): string => fieldOf(name).key ?? name;

const holderOf = (kind: ItemKind): Holder => (kind === "event" ? "event" : "task");

const fieldsByHolder = Object.fromEntries(
  (["event", "task"] as const).map((holder) => [
    holder,
    fieldNames.filter((name) => [holder, "item"].includes(fields[name].on)),
  ]),
);

/** The fields of a kind, in the order of the table. */
export const fieldsOfKind = (kind: ItemKind): readonly FieldName[] =>
  fieldsByHolder[holderOf(kind)] ?? [];

/** The fields that a calendar property stands for. */
export const fieldsOfProperty = (
  component: keyof Properties,
  property: string,
): readonly EditedField[] =>
  fieldNames.filter(isEdited).filter((name) => fieldOf(name).property?.[component] === property);

/** Fields of one line of text, each with its calendar property. */
export const lineFields = (
  component: keyof Properties,
): readonly { readonly name: EditedField; readonly property: string }[] =>
  fieldNames.filter(isEdited).flatMap((name) => {
    const { type: of, property } = fieldOf(name);
    const own = property?.[component];
    return of.name === "line" && own !== undefined ? [{ name, property: own }] : [];
  });

export const isEdited = (name: FieldName): name is EditedField => fields[name].edited;
