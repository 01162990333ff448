import { inTurns } from "@dayferry/event-loop";
import { z } from "zod";
import { type AgendaItem, createAgenda } from "../calendars/agenda.ts";
import { fieldOf, isFieldName } from "../domain/fields.ts";
import { fingerprint } from "../domain/fingerprint.ts";
import { listId, personId, projectId } from "../domain/ids.ts";
import { type SpokenKind, spokenKind } from "../domain/item.ts";
import { fail, ok } from "../domain/result.ts";
import type { FormOutcome, FormWish } from "../edits/forms/accept-form.ts";
import {
  fieldsOfItem,
  formFieldNames,
  type ItemFields,
  readItemFields,
} from "../edits/forms/item-fields.ts";
import { newItemFieldNames, readNewItem } from "../edits/forms/new-item.ts";
import { english } from "../texts/english.ts";
import { say } from "../texts/say.ts";
import { agendaAnswer, itemAnswer, itemEditAnswer } from "./answers.ts";
import {
  aCount,
  aDay,
  aFlag,
  anId,
  aText,
  aValue,
  type Caller,
  callerPerson,
  invalid,
  missing,
  type OperationFailure,
  type OperationModules,
  type Outcome,
  operation,
} from "./operation.ts";

type Context = Pick<
  OperationModules,
  "store" | "clock" | "baseUrl" | "eventLoop" | "acceptForm" | "rights"
> & { readonly caller: Caller };

/** The longest span of an agenda. */
const mostDays = 366;

export const listAgenda = operation({
  name: "agenda",
  answer: agendaAnswer,
  summary: "list events and due tasks between two days",
  note: "Two weeks from today by default.",
  route: "GET /api/agenda",
  access: "person",
  input: {
    from: aDay("first day; today by default").optional(),
    to: aDay("last day; 13 days later by default").optional(),
    project: anId("only of this project", projectId).optional(),
    assigned: anId("only assigned to this person", personId).optional(),
    completed: aFlag("also what is completed").optional(),
  },
  async run({ from, to, project, assigned, completed }, context) {
    const { store, clock, eventLoop, caller } = context;
    const { zone } = caller.viewer;
    const first = from ?? clock().toZonedDateTimeISO(zone).toPlainDate();
    const last = to ?? first.add({ days: 13 });
    const { days } = first.until(last);
    if (days < 0 || days >= mostDays)
      return invalid(say("itemFault.daysAfter", { most: String(mostDays - 1) }));
    const filter = {
      projects: new Set(project === undefined ? [] : [project]),
      kinds: new Set<SpokenKind>(),
      assigned: assigned ?? null,
      completed: completed === true,
    };
    const span = { from: first, to: last.add({ days: 1 }), zone };
    const about = { onlooker: callerPerson(caller), filter };
    const { items, isCut } = await inTurns(createAgenda(store).days(span, about), eventLoop);
    return ok({ items: items.map((item) => shown(item, context)), isCut });
  },
});

export const showItem = operation({
  name: "items show",
  answer: itemAnswer,
  summary: "one item with its fields",
  route: "GET /api/items/:uid",
  access: "person",
  input: { uid: aText("the item's UID") },
  run: ({ uid }, context) => withItem(uid, context, (item) => ok(shown(item, context))),
});

/** What a form field takes, by the type of its value. */
const fieldKinds = {
  day: { type: "string", format: "date" },
  flag: { type: "boolean" },
  labels: { type: "array", items: { type: "integer" } },
  minutes: { type: "integer" },
  people: { type: "array", items: { type: "integer" } },
  text: { type: "string" },
  time: { type: "string", pattern: "^\\d{2}:\\d{2}$" },
} as const;
type FieldKind = keyof typeof fieldKinds;

const fieldKindNames = Object.keys(fieldKinds).filter(
  (name): name is FieldKind => name in fieldKinds,
);

const timeFields: Readonly<Record<string, readonly [FieldKind, string]>> = {
  startOn: ["day", "first day; of a task the day on which it starts"],
  startAt: ["time", "time of day; left out for whole days"],
  endOn: ["day", "last day, included"],
  endAt: ["time", "end on the last day"],
  allDay: ["flag", "whole days; by default without startAt"],
};

/** What a form says for a choice. */
const choices: ReadonlyMap<string, string> = new Map([
  ["true", "yes"],
  ["false", ""],
]);
const one = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((given) => choices.get(String(given)) ?? String(given));
/** Also as one text with commas, as on the command line. */
const several = z
  .union([
    z.string().transform((given) => given.split(",")),
    z.array(z.union([z.string(), z.number()])),
  ])
  .transform((given) => given.map((each) => String(each).trim()).filter((each) => each !== ""));

/** The fields of an item's form, as members of an input. */
const fieldInputs = Object.fromEntries(
  [...formFieldNames.texts, ...formFieldNames.sets].map((name) => {
    const [kind, about] = timeFields[name] ?? [kindOf(name), aboutField(name)];
    const isSet = kind === "people" || kind === "labels";
    return [name, aValue(about, isSet ? several : one, fieldKinds[kind]).optional()];
  }),
);

function kindOf(name: string): FieldKind {
  const type = isFieldName(name) ? fieldOf(name).type.name : "text";
  return fieldKindNames.find((known) => known === type) ?? "text";
}

function aboutField(name: string): string {
  const [label, hint] = [`field.${name}`, `fieldHint.${name}`];
  const known: Readonly<Record<string, string>> = english;
  return [known[label], known[hint]]
    .filter((text) => text !== undefined)
    .join(": ")
    .toLowerCase();
}

/** The form fields that an input names. */
const fieldsIn = (input: Readonly<Record<string, unknown>>): ItemFields =>
  Object.fromEntries(
    [...formFieldNames.texts, ...formFieldNames.sets].flatMap((name) =>
      input[name] === undefined ? [] : [[name, input[name]]],
    ),
  );

const textIn = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

const dryRun = aFlag("only preview the edit").optional();
const sequence = aCount("the version that was seen, from `items show`; the present one by default");

/** What the operations have in common that make an edit. */
const editing = {
  canPropose: true,
  isOffered: ({ acceptForm }: Pick<OperationModules, "acceptForm">) => acceptForm !== null,
  status: (input: { readonly dryRun?: boolean | undefined }) => (input.dryRun === true ? 200 : 202),
} as const;

const invalidFields = (
  faults: readonly { readonly field: string; readonly message: string }[],
): Outcome => invalid(faults.map(({ field, message }) => `${field}: ${message}`).join("; "));

export const createItem = operation({
  name: "items create",
  answer: itemEditAnswer,
  summary: "create an event, milestone or task",
  note: "Fields are those of `items show`. `repeats` and `times` create several.",
  route: "POST /api/items",
  access: "person",
  input: {
    kind: aText("event, milestone or task"),
    project: anId("where it goes", projectId),
    list: anId("todolist, for a task", listId).optional(),
    repeats: aText("daily, workdays, weekly, fortnightly, monthly or yearly").optional(),
    times: aCount("number of occurrences of a repeating item, 2 to 50").optional(),
    ...fieldInputs,
    dryRun,
  },
  ...editing,
  run(input, context) {
    const { store, clock, caller } = context;
    const onlooker = callerPerson(caller);
    const agenda = createAgenda(store);
    const given = fieldsIn(input);
    const isTimed = (given.startAt ?? "") !== "";
    const read = readNewItem(
      {
        ...{ startOn: "", allDay: isTimed ? "" : "yes", endOn: given.startOn },
        ...given,
        ...Object.fromEntries(newItemFieldNames.map((name) => [name, textIn(input[name])])),
      },
      {
        zones: { reader: caller.viewer.zone, account: store.zone },
        creator: onlooker,
        now: clock(),
        projects: agenda.projects(onlooker),
        lists: (project) => agenda.lists(project, onlooker),
      },
    );
    if (!read.ok) return invalidFields(read.failure);
    const [item, ...others] = read.value;
    if (!item) return invalid(say("itemFault.nothing"));
    const list = item.kind === "event" ? null : item.listId;
    const refused = refusalOf(context, { projectId: item.projectId, listId: list });
    if (refused) return fail(refused);
    // The same request again within a second is the same item.
    const asked = [onlooker, clock().round("second").toString(), JSON.stringify(input)].join(" ");
    const uid = (nth: number) => `${fingerprint(asked)}-${nth}@${store.meta.installation}`;
    if (input["dryRun"] !== true && store.mirror.findUid(uid(1))) {
      return fail({ kind: "conflict", detail: say("itemFault.createdJustNow") });
    }
    const more = others.map((one, at) => ({ item: one, uid: uid(at + 2) }));
    return accept({ kind: "create", item, uid: uid(1), more }, input, context);
  },
});

export const changeItem = operation({
  name: "items change",
  answer: itemEditAnswer,
  summary: "change fields of an item",
  note: "Fields are those of `items show`; others stay.",
  route: "PATCH /api/items/:uid",
  access: "person",
  input: { uid: aText("the item's UID"), sequence: sequence.optional(), ...fieldInputs, dryRun },
  ...editing,
  run: (input, context) =>
    withItem(input.uid, context, (item) => {
      const { caller, store } = context;
      const zones = { reader: caller.viewer.zone, account: store.zone };
      const patch = readItemFields(fieldsIn(input), item.item, zones);
      if (!patch.ok) return invalidFields(patch.failure);
      const refused = refusalOf(context, placeOf(item));
      if (refused) return fail(refused);
      const seen = input.sequence ?? item.sequence;
      return accept(
        { kind: "change", item: item.key, sequence: seen, patch: patch.value },
        input,
        context,
      );
    }),
});

export const deleteItem = operation({
  name: "items delete",
  answer: itemEditAnswer,
  summary: "delete an item",
  route: "DELETE /api/items/:uid",
  access: "person",
  input: { uid: aText("the item's UID"), sequence: sequence.optional(), dryRun },
  ...editing,
  run: (input, context) =>
    withItem(input.uid, context, (item) => {
      const refused = refusalOf(context, placeOf(item));
      if (refused) return fail(refused);
      const seen = input.sequence ?? item.sequence;
      return accept({ kind: "delete", item: item.key, sequence: seen }, input, context);
    }),
});

function accept(
  wish: FormWish,
  input: Readonly<Record<string, unknown>>,
  { acceptForm, caller }: Context,
): Outcome {
  const { channel, program, viewer, proposes = false } = caller;
  if (!acceptForm) return missing(say("itemFault.noEdits"));
  const outcome = acceptForm({
    ...{ actor: callerPerson(caller), zone: viewer.zone, dryRun: input["dryRun"] === true, wish },
    ...{ channel, program, proposed: proposes },
  });
  return answerOf(outcome);
}

function answerOf(outcome: FormOutcome): Outcome {
  switch (outcome.kind) {
    case "planned": {
      const { edit, state, action, subject, changes, notes, occurrences } = outcome;
      return ok({ edit, state, action, title: subject.title, changes, notes, occurrences });
    }
    case "unchanged":
      return ok({
        ...{ edit: null, state: null, action: "unchanged", title: outcome.subject.title },
        ...{ changes: [], notes: [], occurrences: [] },
      });
    case "moved":
      return fail({
        kind: "conflict",
        title: "It has changed since",
        detail: say("itemFault.changed"),
        more: { since: outcome.since },
      });
    case "refused":
      return fail({ kind: "unprocessable", detail: outcome.reasons.join("; ") });
    case "gone":
      return missing(say("itemFault.gone"));
  }
}

function withItem(
  uid: string,
  { store, caller }: Context,
  work: (item: AgendaItem) => Outcome,
): Outcome {
  const key = store.mirror.findUid(uid)?.item;
  const item = key === undefined ? null : createAgenda(store).item(key, callerPerson(caller));
  return item ? work(item) : missing(say("itemFault.noUid", { uid }));
}

const placeOf = ({ item }: AgendaItem) => ({
  projectId: item.projectId,
  listId: item.kind === "event" ? null : item.listId,
});

function refusalOf(
  { rights, caller }: Context,
  place: Parameters<Context["rights"]["refusal"]>[1],
): OperationFailure | null {
  const person = callerPerson(caller);
  const detail = person && rights.refusal(person, place);
  return detail ? { kind: "forbidden", detail } : null;
}

function shown(found: AgendaItem, { caller, baseUrl }: Context) {
  const { uid, item, project, list, pending, sequence: version, key } = found;
  return {
    ...{ uid, kind: spokenKind(item), private: found.private, pending, sequence: version },
    project: { id: item.projectId, title: project?.title ?? "" },
    list: list && { id: list.id, title: list.title },
    fields: fieldsOfItem(item, caller.viewer.zone),
    url: `${baseUrl()}/calendar/items/${key}`,
  };
}
