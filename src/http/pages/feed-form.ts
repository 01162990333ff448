import { type FeedChoice, type FeedFilter, privateModes } from "../../domain/feed-filter.ts";
import type { Label, Person, Project } from "../../domain/item.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { enumerated, lengthInWords } from "../../domain/wording.ts";
import { say } from "../../texts/say.ts";
import {
  button,
  checkbox,
  field,
  folded,
  hiddenInputs,
  optionsOf,
  postForm,
  selectField,
  switchField,
} from "./components.ts";
import { html, type Markup } from "./markup-template.ts";

/** What a feed may contain. */
export interface FeedChoices {
  readonly projects: readonly Project[];
  readonly people: readonly Person[];
  readonly labels: readonly Label[];
}

/** The last input; empty at first. */
export type EnteredFeed = ReadonlyMap<string, readonly string[]>;

interface Asked {
  readonly choices: FeedChoices;
  readonly viewer: Viewer;
  readonly formToken: string;
  readonly entered: EnteredFeed;
}

/** The most common feeds, each created by one button. */
export function presetForms({ choices, viewer, formToken }: Omit<Asked, "entered">): Markup {
  const of = viewer.kind === "person" ? `person:${viewer.person}` : "all";
  const [project] = choices.projects;
  const isOwn = viewer.kind === "person";
  const plain = { of, kinds, completed: "", assigned: "" } as const;
  const presets: readonly (readonly [label: string, preset: Preset])[] = [
    ...(isOwn
      ? ([
          [say("feedForm.myTasks"), { ...plain, kinds: ["task", "subtask"], completed: "none" }],
          [say("feedForm.assignedToMe"), plain],
        ] as const)
      : []),
    ...(project
      ? ([
          [
            say("feedForm.everythingOf", { project: project.title }),
            { ...plain, of: `project:${project.id}` },
          ],
        ] as const)
      : []),
    [
      say(isOwn ? "feedForm.myMilestones" : "feedForm.allMilestones"),
      { ...plain, kinds: ["milestone"], assigned: "anyone" },
    ],
  ];
  return html`<div class="row presets">${presets.map(
    ([label, { of, kinds, completed, assigned }]) =>
      postForm(
        { action: "feeds", formToken },
        html`${hiddenInputs([
          ["of", of],
          ...kinds.map((kind) => ["kinds", kind] as const),
          ["completed", completed],
          ["assigned", assigned],
          ["reminders", "on"],
        ])}${button(label)}`,
      ),
  )}</div>`;
}

type Preset = Readonly<Record<"of" | "completed" | "assigned", string>> & {
  readonly kinds: readonly string[];
};

/** The form for a new feed: subject, name and contents. */
export function newFeedForm(asked: Asked): Markup {
  const { choices, viewer, formToken, entered } = asked;
  const isAdmin = viewer.kind === "admin";
  const projects = choices.projects.map(({ id, title }) => ({
    value: `project:${id}`,
    label: title,
  }));
  const people = isAdmin
    ? choices.people.map(({ id, name }) => ({
        value: `person:${id}`,
        label: say("feedForm.inAllProjects", { name }),
      }))
    : [{ value: `person:${viewer.person}`, label: say("feedForm.meInAll") }];
  const all = isAdmin ? [{ value: "all", label: say("calendar.allProjects") }] : [];
  const body = html`${selectField({ name: "of", label: say("feedForm.source"), value: one(entered, "of"), choices: [...people, ...all, ...projects] })}
${nameField(one(entered, "name"))}
${filterFields({ ...asked, isOverAll: true })}
${colourField(one(entered, "colour"), [{ value: "", label: say("feedForm.projectColour") }])}
<p role="status" class="quiet" id="count"></p>
${button(say("feedForm.create"), { tone: "main" })}`;
  return postForm({ action: "feeds", formToken }, body);
}

const one = (entered: EnteredFeed, name: string): string => entered.get(name)?.[0] ?? "";

export const nameField = (value: string): Markup =>
  field({
    name: "name",
    label: say("word.name"),
    value,
    hint: say("feedForm.nameHint"),
  });

const kinds = ["event", "milestone", "task", "subtask"] as const;

const stays = () => [
  { value: "", label: say("feedForm.keepDefault") },
  { value: "none", label: say("feedForm.removeAtOnce") },
  { value: "P7D", label: say("feedForm.keepWeek") },
  { value: "P30D", label: say("feedForm.keepMonth") },
  { value: "P90D", label: say("feedForm.keepQuarter") },
];

/** A duration set by a script, in words. */
function stayInWords(text: string): string {
  try {
    const length = Temporal.Duration.from(text);
    return say("feedForm.keepFor", {
      length: lengthInWords(length, new Temporal.ZonedDateTime(0n, "UTC")),
    });
  } catch {
    return text;
  }
}

/** A feed's filter as entered; an unusual value is added to the options. */
export function filterFields({
  choices,
  viewer,
  entered,
  isOverAll,
}: Omit<Asked, "formToken"> & {
  /** True if the feed covers, or may cover, several projects. */
  readonly isOverAll: boolean;
}): Markup {
  const has = (name: string, value: string): boolean => entered.get(name)?.includes(value) ?? false;
  const isNew = entered.size === 0;
  const isAdmin = viewer.kind === "admin";
  const [assigned, completed] = [one(entered, "assigned"), one(entered, "completed")];
  const foldedBoxes = (
    name: string,
    [title, legend]: [string, string],
    entries: readonly Option[],
  ) =>
    folded(
      title,
      html`<fieldset class="boxes"><legend class="unseen">${legend}</legend>${entries.map(
        ({ value, label }) => checkbox({ name, value, label, isOn: has(name, value) }),
      )}</fieldset>`,
      { open: entered.has(name) },
    );
  return html`<fieldset class="boxes"><legend>${say("feedForm.whatItShows")}</legend>${kinds.map((value) => checkbox({ name: "kinds", value, label: say(`feedForm.kind.${value}`), isOn: isNew || has("kinds", value) }))}</fieldset>
${selectField({
  name: "assigned",
  label: say("word.assignedTo"),
  value: assigned,
  choices: withEntered({ value: assigned, label: namesOf(assigned, choices.people) }, [
    { value: "", label: say("feedForm.assignedDefault") },
    { value: "anyone", label: say("feedForm.anyoneOrNone") },
    { value: "me", label: isAdmin ? say("feedForm.theOwner") : say("feedForm.me") },
    ...(isAdmin ? optionsOf(choices.people) : []),
  ]),
})}
${selectField({
  name: "completed",
  label: say("feedForm.completedItems"),
  value: completed,
  choices: withEntered({ value: completed, label: stayInWords(completed) }, stays()),
})}
${selectField({
  name: "private",
  label: say("feedForm.privateItems"),
  value: one(entered, "private"),
  hint: say("feedForm.privateHint"),
  choices: [
    { value: "", label: say("feedForm.default") },
    ...privateModes.map((value) => ({ value, label: say(`feedForm.private.${value}`) })),
  ],
})}
${switchField({ name: "reminders", label: say("feedForm.withReminders"), isOn: isNew || has("reminders", "on") })}
${
  choices.labels.length === 0
    ? null
    : foldedBoxes(
        "labels",
        [say("feedForm.onlyLabels"), say("field.labels")],
        optionsOf(choices.labels),
      )
}
${
  choices.projects.length < 2 || !isOverAll
    ? null
    : foldedBoxes(
        "projects",
        [say("feedForm.limitProjects"), say("word.projects")],
        optionsOf(choices.projects),
      )
}`;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

/** Adds a value set by a script to the options. */
const withEntered = (
  { value, label = value }: { readonly value: string; readonly label?: string },
  options: readonly Option[],
): readonly Option[] =>
  options.some((option) => option.value === value)
    ? options
    : [...options, { value, label: say("feedForm.asItIs", { label }) }];

const namesOf = (ids: string, people: readonly Person[]): string => {
  const names = people.filter(({ id }) => ids.split(",").includes(String(id)));
  return names.length === 0 ? say("feedForm.soFar") : enumerated(names.map(({ name }) => name));
};

const colours = [
  ["#2F6FDE", "blue"],
  ["#1B8E5A", "green"],
  ["#C2410C", "orange"],
  ["#B4235A", "red"],
  ["#7A3FC4", "violet"],
  ["#0E7490", "teal"],
  ["#A16207", "ochre"],
  ["#525B66", "grey"],
] as const;

export function colourField(value: string, first: readonly Option[]): Markup {
  const named = colours.map(([value, name]) => ({ value, label: say(`feedForm.colour.${name}`) }));
  const known = [...first, { value: "none", label: say("feedForm.programDefault") }, ...named];
  return selectField({
    name: "colour",
    label: say("feedForm.colour"),
    value,
    hint: say("feedForm.colourHint"),
    choices: withEntered({ value }, known),
  });
}

/** The form's fields for an existing feed. */
export function enteredOf({ filter }: FeedChoice): EnteredFeed {
  const { assigned, labels = [], projects = [], completed, reminders } = filter ?? {};
  const entered: Readonly<Record<string, readonly (string | undefined)[]>> = {
    kinds: filter?.kinds ?? kinds,
    labels: labels.map(String),
    projects: projects.map(String),
    assigned: [Array.isArray(assigned) ? assigned.join(",") : assigned?.toString()],
    completed: [completed],
    private: [filter?.private],
    reminders: reminders === false ? [] : ["on"],
  };
  return new Map(
    Object.entries(entered)
      .map(([name, values]) => [name, values.filter((value) => value !== undefined)] as const)
      .filter(([, values]) => values.length > 0),
  );
}

/** The body of `POST /api/feeds` for the form. */
export function feedBodyOf(entered: EnteredFeed): Readonly<Record<string, unknown>> {
  const [kind = "", id] = one(entered, "of").split(":");
  const filter = filterOf(entered);
  const { projects, ...others } = filter ?? {};
  const chosen =
    kind === "project" ? others : { ...others, ...(projects !== undefined && { projects }) };
  return {
    kind,
    ...(kind === "project" && { projectId: Number(id) }),
    ...(kind === "person" && { personId: Number(id) }),
    ...nameAndColour(entered),
    ...(Object.keys(chosen).length > 0 && { filter: chosen }),
  };
}

/** The form's filter as a script would send it; null if nothing is filtered. */
export function filterOf(entered: EnteredFeed): Partial<Record<keyof FeedFilter, unknown>> | null {
  const ids = (name: string): readonly number[] => (entered.get(name) ?? []).map(Number);
  const chosenKinds = entered.get("kinds") ?? [];
  const [assigned, completed] = [one(entered, "assigned"), one(entered, "completed")];
  const filter: Partial<Record<keyof FeedFilter, unknown>> = {
    ...(new Set(chosenKinds).size < kinds.length && { kinds: chosenKinds }),
    ...(ids("labels").length > 0 && { labels: ids("labels") }),
    ...(ids("projects").length > 0 && { projects: ids("projects") }),
    ...(assigned !== "" && {
      assigned: /^[\d,]+$/.test(assigned) ? assigned.split(",").map(Number) : assigned,
    }),
    ...(completed !== "" && { completed }),
    ...(one(entered, "private") !== "" && { private: one(entered, "private") }),
    ...(one(entered, "reminders") === "" && { reminders: false }),
  };
  return Object.keys(filter).length === 0 ? null : filter;
}

/** Name and colour from the form; a default colour is omitted. */
export function nameAndColour(entered: EnteredFeed): Readonly<Record<string, unknown>> {
  const [name, colour] = [one(entered, "name"), one(entered, "colour")];
  return {
    name: name.trim() === "" ? null : name,
    ...(colour === "none" ? { colour: null } : colour !== "" && { colour }),
  };
}

/** A problem with the label of its field. */
export const labelled = ({
  field: at,
  message,
}: Readonly<Record<"field" | "message", string>>): string => {
  const label = fieldLabels.find(([name]) => name === at)?.[1];
  return label === undefined ? message : `${say(label)}: ${message}`;
};

const fieldLabels = [
  ["kind", "feedForm.source"],
  ["projectId", "feedForm.source"],
  ["personId", "feedForm.source"],
  ["name", "word.name"],
  ["colour", "feedForm.colour"],
  ["filter.kinds", "feedForm.whatItShows"],
  ["filter.assigned", "word.assignedTo"],
  ["filter.completed", "feedForm.completedItems"],
  ["filter.private", "feedForm.privateItems"],
  ["filter.labels", "field.labels"],
  ["filter.projects", "word.projects"],
] as const;
