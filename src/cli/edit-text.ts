import { mostListed } from "../operations/edit-operations.ts";
import { visible } from "../reports/formats/text-formats.ts";
import { localTime, rowsOf, textTable } from "./terminal-text.ts";

/** An edit from the API, as far as it is printed. */
export interface ListedEdit {
  readonly id: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly notBefore: string | null;
  readonly action: string;
  readonly state: string;
  readonly reason: string | null;
  readonly problem: string | null;
  readonly replaced: string | null;
  readonly undoes: number | null;
  readonly item: {
    readonly title: string;
    readonly uid: string;
    readonly kind: string;
    readonly project: { readonly title: string };
  };
  readonly words: {
    readonly sentence: string;
    readonly who: string;
    readonly did: string;
    readonly by: string | null;
    readonly standing: string;
    readonly changes: readonly DescribedChange[];
  };
  readonly choice: Choice | null;
  readonly ways: readonly {
    readonly act: string;
    readonly label: string;
    readonly does: string;
  }[];
  readonly extras: readonly {
    readonly name: string;
    readonly what: string;
    readonly state: string;
  }[];
  readonly story?: readonly {
    readonly at: string;
    readonly until: string | null;
    readonly times: number;
    readonly what: string;
  }[];
}

interface DescribedChange {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

interface Choice {
  readonly kind: "fields" | "deletion" | "revival";
  readonly version: string;
  readonly fields: readonly {
    readonly field: string;
    readonly name: string;
    readonly before: string;
    readonly theirs: string;
    readonly mine: string;
  }[];
  readonly besides: readonly DescribedChange[];
}

/** Edits from the API, one line each: when, who, what, and the progress. */
export function describeEdits(answer: unknown, zone: string): string {
  const edits = rowsOf<ListedEdit>(answer);
  if (edits.length === 0) return "no edits\n";
  const oldest = edits.at(-1)?.id;
  const more = `\nThese are the newest ${mostListed}; --before ${oldest} shows older ones.\n`;
  const list = textTable(
    ["ID", `ACCEPTED (${zone})`, "WHO", "WHAT", "STATE"],
    edits.map(({ id, createdAt, words: { who, did, by, standing } }) => [
      String(id),
      localTime(createdAt, zone),
      who,
      by === null ? did : `${did}, ${by}`,
      standing,
    ]),
  );
  return edits.length < mostListed ? list : list + more;
}

/** One edit with its changes, history and possible actions. */
export function describeEditText(answer: unknown, zone: string): string {
  const edit: ListedEdit = Object(answer);
  const { id, item, action, state, reason, notBefore, words, story = [], undoes } = edit;
  const at = (instant: string | null) => `${localTime(instant, zone)} (${zone})`;
  const waits = state === "pending" && notBefore !== null;
  return lines([
    `Edit ${id}: ${words.sentence}`,
    `  Item      ${item.kind} ${JSON.stringify(item.title)} in ${item.project.title}, UID ${item.uid}`,
    `  State     ${state}${reason === null ? "" : ` (${reason})`}, since ${at(edit.updatedAt)}`,
    ...(waits ? [`  Next try  ${at(notBefore)}`] : []),
    ...(undoes === null ? [] : [`  Undoes    edit ${undoes}`]),
    ...section("  Changes", words.changes.map(changeLine(action))),
    ...edit.extras.map(({ name, what, state: of }) => indented(`${name}: ${what} (${of})`)),
    ...(edit.problem === null ? [] : ["  Problem", indented(edit.problem)]),
    ...(edit.replaced === null ? [] : ["  Replaced values", indented(edit.replaced)]),
    ...choiceLines(edit),
    ...section(
      `  What happened (${zone})`,
      story.map(({ at: when, until, times, what }) => {
        const again =
          until === null ? "" : ` (${times} times, last at ${localTime(until, zone).slice(11)})`;
        return `${localTime(when, zone)}  ${what}${again}`;
      }),
    ),
    ...section("  What can be done", waysOf(edit)),
  ]);
}

/** A person's choice, with the commands for it. */
export function describeEditChoice(edit: ListedEdit): string {
  const { id, item } = edit;
  return lines([
    `Edit ${id} of ${JSON.stringify(item.title)}: also changed by someone else`,
    ...choiceLines(edit),
  ]);
}

function choiceLines({ choice, action }: ListedEdit): readonly string[] {
  if (!choice) return [];
  if (choice.kind === "revival") return ["  Someone else has deleted the item"];
  const fields = choice.fields.flatMap(({ name, field, before, theirs, mine }) => [
    `  ${name}${name.toLowerCase() === field.toLowerCase() ? "" : ` (${field})`}`,
    `    before                   ${before}`,
    `    theirs, in the workspace ${theirs}`,
    ...(action === "delete" ? [] : [`    mine, in the edit        ${mine}`]),
  ]);
  const besides = choice.besides.map(changeLine(action));
  return [
    ...(fields.length > 0
      ? ["  Also changed by someone else", ...fields.map((line) => `  ${line}`)]
      : []),
    ...section("  Sent as well: without a conflict", besides),
  ];
}

/** The effect of a decision or an undo, from the API. */
interface PrintedPreview {
  readonly sentence: string;
  readonly fields: readonly (
    | {
        readonly name: string;
        readonly now: string;
        readonly result: string;
        readonly whose: string;
      }
    | { readonly name: string; readonly now: string; readonly back: string }
  )[];
  readonly losses?: readonly {
    readonly name: string;
    readonly value: string;
    readonly whose: string;
  }[];
  readonly changedSince?: readonly {
    readonly name: string;
    readonly was: string;
    readonly now: string;
    readonly by: string | null;
  }[];
  readonly loss?: string | null;
}

export function describePreview(answer: unknown): string {
  const {
    sentence,
    fields,
    losses = [],
    changedSince = [],
    loss = null,
  }: PrintedPreview = Object(answer);
  return lines([
    sentence,
    ...fields.map((field) =>
      "back" in field
        ? indented(`${field.name}: ${field.now} → ${field.back}`)
        : indented(`${field.name}: ${field.now} → ${field.result} (${whose(field.whose)})`),
    ),
    ...losses.map(({ name, value, whose: of }) => indented(`${name} given up: ${value} (${of})`)),
    ...changedSince.map(({ name, was, now, by }) =>
      indented(`${name} has changed since: ${was} → ${now}${by === null ? "" : `, by ${by}`}`),
    ),
    ...(loss === null ? [] : [indented(loss)]),
  ]);
}

const whose = (of: string): string => (of === "nobody-else" ? "without a conflict" : of);

/** Each action with its command. */
function waysOf({ id, ways }: ListedEdit): readonly string[] {
  return ways.map(({ act, label, does }) => {
    const said = act === "undo" ? undoing : `${label}: ${does}`;
    return `${said}\n      dayferry ${commandOf(act, id)}`;
  });
}

/** Unlike the page, the command does not ask. */
const undoing =
  "Undo: restores what it changed with a new edit, and prints what has changed since (--dry-run only prints)";

function commandOf(act: string, id: number): string {
  switch (act) {
    case "keep-mine":
      return `edits resolve ${id} --keep mine`;
    case "keep-theirs":
      return `edits resolve ${id} --keep theirs`;
    case "combine":
      return `edits resolve ${id} --keep FIELD=mine,FIELD=theirs --text FIELD=WORDS --dry-run`;
    default:
      return `edits ${act} ${id}`;
  }
}

const indented = (text: string): string => `    ${text}`;

const section = (head: string, body: readonly string[]): readonly string[] =>
  body.length === 0 ? [] : [head, ...body.map(indented)];

const lines = (all: readonly string[]): string =>
  all
    .flatMap((line) => line.split("\n"))
    .map((line) => `${visible(line)}\n`)
    .join("");

/** For a creation the new value, else old and new. */
const changeLine =
  (action: string) =>
  ({ name, from, to }: DescribedChange): string =>
    action === "create" ? `${name}: ${to}` : `${name}: ${from} → ${to}`;
