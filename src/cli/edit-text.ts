import {
  type approveEdit,
  mostListed,
  type resolveEdit,
  type showEdit,
  type showUndo,
} from "../operations/edit-operations.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { visible } from "../reports/formats/text-formats.ts";
import { listText, localTime, rowsOf } from "./terminal-text.ts";

type Edit = AnswerOf<typeof approveEdit>;
type EditWithStory = AnswerOf<typeof showEdit>;

/** Edits from the API, one line each: when, who, what, and the progress. */
export function describeEdits(answer: Edit | readonly Edit[], zone: string): string {
  const edits = rowsOf(answer);
  if (edits.length === 0) return "no edits\n";
  const oldest = edits.at(-1)?.id;
  const more = `\nThese are the newest ${mostListed}; --before ${oldest} shows older ones.\n`;
  const list = listText(edits, "", {
    ID: ({ id }) => id,
    [`ACCEPTED (${zone})`]: ({ createdAt }) => localTime(createdAt, zone),
    WHO: ({ words }) => words.who,
    WHAT: ({ words: { did, by } }) => (by === null ? did : `${did}, ${by}`),
    STATE: ({ words }) => words.standing,
  });
  return edits.length < mostListed ? list : list + more;
}

/** One edit with its changes, history and possible actions. */
export function describeEditText(edit: EditWithStory, zone: string): string {
  const { id, item, action, state, reason, notBefore, words, story, undoes } = edit;
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

/** The choice that a person has to make, with the commands for it. */
export function describeEditChoice(edit: Edit): string {
  const { id, item } = edit;
  return lines([
    `Edit ${id} of ${JSON.stringify(item.title)}: also changed by someone else`,
    ...choiceLines(edit),
  ]);
}

function choiceLines({ choice, action }: Edit): readonly string[] {
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

export type Undo = Extract<AnswerOf<typeof showUndo>, { readonly kind: "possible" }>;
type Resolution = Exclude<AnswerOf<typeof resolveEdit>, Edit>;

/** The effect of a decision. */
export const describeResolution = ({ sentence, fields, losses }: Resolution): string =>
  lines([
    sentence,
    ...fields.map(({ name, now, result, whose }) =>
      indented(
        `${name}: ${now} → ${result} (${whose === "nobody-else" ? "without a conflict" : whose})`,
      ),
    ),
    ...losses.map(({ name, value, whose }) => indented(`${name} given up: ${value} (${whose})`)),
  ]);

/** The effect of an undo. */
export const describeUndo = ({ sentence, fields, changedSince, loss }: Undo): string =>
  lines([
    sentence,
    ...fields.map(({ name, now, back }) => indented(`${name}: ${now} → ${back}`)),
    ...changedSince.map(({ name, was, now, by }) =>
      indented(`${name} has changed since: ${was} → ${now}${by === null ? "" : `, by ${by}`}`),
    ),
    ...(loss === null ? [] : [indented(loss)]),
  ]);

/** Each action with its command. */
function waysOf({ id, ways }: Edit): readonly string[] {
  return ways.map(({ act, label, does }) => {
    const said = act === "undo" ? undoing : `${label}: ${does}`;
    return `${said}\n      dayferry ${commandOf(act, id)}`;
  });
}

/** Unlike the page, the command does not ask. */
const undoing =
  "Undo: restores what it changed with a new edit, and prints what has changed since (--dry-run only prints)";

const keptBy: ReadonlyMap<string, string> = new Map([
  ["keep-mine", "mine"],
  ["keep-theirs", "theirs"],
  ["combine", "FIELD=mine,FIELD=theirs --text FIELD=WORDS --dry-run"],
]);

function commandOf(act: string, id: number): string {
  const kept = keptBy.get(act);
  return kept === undefined ? `edits ${act} ${id}` : `edits resolve ${id} --keep ${kept}`;
}

const indented = (text: string): string => `    ${text}`;

const section = (head: string, body: readonly string[]): readonly string[] =>
  body.length === 0 ? [] : [head, ...body.map(indented)];

const lines = (all: readonly string[]): string =>
  all
    .flatMap((line) => line.split("\n"))
    .map((line) => `${visible(line)}\n`)
    .join("");

/** The new value of a creation, otherwise the old and the new value. */
const changeLine =
  (action: string) =>
  ({ name, from, to }: Edit["words"]["changes"][number]): string =>
    action === "create" ? `${name}: ${to}` : `${name}: ${from} → ${to}`;
