import { visible } from "../reports/formats/text-formats.ts";
import { localTime, rowsOf, table } from "./terminal-text.ts";

/** An edit as the API answers it, as far as it is printed. */
export interface ListedEdit {
  readonly id: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly notBefore: string | null;
  readonly action: string;
  readonly state: string;
  readonly reason: string | null;
  readonly problem: string | null;
  readonly channel: string;
  readonly actor: number | null;
  readonly attempts: number;
  readonly undoes: number | null;
  readonly item: { readonly title: string; readonly uid: string; readonly kind: string };
  readonly words: {
    readonly changes: readonly {
      readonly name: string;
      readonly from: string;
      readonly to: string;
    }[];
    readonly conflicts: readonly {
      readonly name: string;
      readonly before: string;
      readonly workspace: string;
      readonly edit: string;
    }[];
  };
  readonly conflictVersion: string | null;
  readonly extras: readonly {
    readonly name: string;
    readonly what: string;
    readonly state: string;
  }[];
}

/** Edits from the API, a line each, with what each changes and what is wrong below it. */
export function describeEdits(answer: unknown, zone: string): string {
  const edits = rowsOf<ListedEdit>(answer);
  if (edits.length === 0) return "no edits\n";
  const [head = "", ...lines] = table(
    ["ID", `ACCEPTED (${zone})`, "ACTION", "STATE", "ITEM"],
    edits.map(({ id, createdAt, action, state, reason, item }) => [
      String(id),
      localTime(createdAt, zone),
      action,
      reason ? `${state} (${reason})` : state,
      item.title,
    ]),
  )
    .trimEnd()
    .split("\n");
  const blocks = edits.map((edit, index) => {
    const below = [...changeLines(edit), ...(edit.problem === null ? [] : [edit.problem])];
    return [lines[index], ...below.map((text) => `      ${visible(text)}`)].join("\n");
  });
  return `${[head, ...blocks].join("\n")}\n`;
}

/** One edit, whole. */
export function describeEdit(answer: unknown, zone: string): string {
  const edit: ListedEdit = Object(answer);
  const { id, item, action, state, reason, actor, channel, notBefore } = edit;
  const at = (instant: string | null) => `${localTime(instant, zone)} (${zone})`;
  const waits = state === "pending" && notBefore !== null;
  return [
    `Edit ${id}: ${action} ${item.kind} ${JSON.stringify(item.title)}`,
    `  UID       ${item.uid}`,
    `  State     ${state}${reason === null ? "" : ` (${reason})`}, since ${at(edit.updatedAt)}`,
    `  Accepted  ${at(edit.createdAt)} from ${actor === null ? "the account" : `person ${actor}`} through ${channel}`,
    ...(edit.attempts > 0 ? [`  Attempts  ${edit.attempts}`] : []),
    ...(waits ? [`  Next try  ${at(notBefore)}`] : []),
    ...(edit.undoes === null ? [] : [`  Undoes    edit ${edit.undoes}`]),
    ...(edit.words.changes.length === 0 ? [] : ["  Changes", ...changeLines(edit).map(indented)]),
    ...edit.extras.map(({ name, what, state: of }) => indented(`${name}: ${what} (${of})`)),
    ...troubleLines(edit),
  ]
    .map((line) => `${visible(line)}\n`)
    .join("");
}

/** Of a conflict both sides, which say more than the sentence about them. */
function troubleLines(edit: ListedEdit): readonly string[] {
  if (edit.conflictVersion !== null)
    return [
      "  Somebody else has changed the same",
      ...overwritten(edit).map((line) => `  ${line}`),
    ];
  return edit.problem === null ? [] : ["  Problem", indented(edit.problem)];
}

/** What sending the edit of a conflict would overwrite, and what would stand in its place. */
export function describeOverwriting(edit: ListedEdit): string {
  const { id, item } = edit;
  const head = `Edit ${id} of ${JSON.stringify(item.title)} would overwrite what somebody else has changed:`;
  return `${[head, ...overwritten(edit)].map(visible).join("\n")}\n`;
}

function overwritten({ words: { conflicts }, action }: ListedEdit): readonly string[] {
  return conflicts.flatMap(({ name, before, workspace, edit }) => [
    `  ${name}`,
    `    before             ${before}`,
    `    in the workspace   ${workspace}`,
    ...(action === "delete" ? [] : [`    in the edit        ${edit}`]),
  ]);
}

const indented = (text: string): string => `    ${text}`;

/** Of a creation what it is to be, else old and new. */
const changeLines = ({ words: { changes }, action }: ListedEdit): readonly string[] =>
  changes.map(({ name, from, to }) =>
    action === "create" ? `${name}: ${to}` : `${name}: ${from} → ${to}`,
  );
