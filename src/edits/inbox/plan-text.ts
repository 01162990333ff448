import type { SpokenKind } from "../../domain/item.ts";
import { isMessageId, say } from "../../texts/say.ts";

/** The API's answer to a calendar file, as far as it is printed. */
export interface AcceptedAnswer {
  readonly items: readonly AcceptedItem[];
  readonly errors: readonly {
    readonly line: number | null;
    readonly uid: string | null;
    readonly code: string;
    readonly message: string;
  }[];
  /** Absent if the file was refused as a whole. */
  readonly summary?: { readonly unchanged: number };
  /** Number of unlisted items and errors; none if absent. */
  readonly more?: { readonly items: number; readonly errors: number };
  readonly [member: string]: unknown;
}

export interface AcceptedItem {
  readonly uid: string;
  readonly kind: string;
  readonly action: string;
  readonly title: string;
  readonly editId: number | null;
  readonly words: readonly { readonly name: string; readonly from: string; readonly to: string }[];
  /** What it does, in words; null if nothing. */
  readonly did: string | null;
  readonly problems: readonly { readonly line: number | null; readonly message: string }[];
}

export interface AcceptedFile {
  readonly file: string;
  readonly answer: AcceptedAnswer;
}

/** Reads the answer of the API, or the same JSON from this process. */
export function readAccepted(body: unknown): AcceptedAnswer {
  const answer: Partial<AcceptedAnswer> = Object(body);
  return { ...answer, items: answer.items ?? [], errors: answer.errors ?? [] };
}

/** True if everything in the file was accepted or no edit. */
export const isDone = ({ errors, items }: AcceptedAnswer): boolean =>
  errors.length === 0 && items.every(({ action }) => action !== "refused");

/** The plan, item by item, for people. */
export function describeFile({ file, answer }: AcceptedFile, dryRun: boolean): string {
  const items = answer.items.filter(({ action }) => action !== "unchanged");
  const listed = answer.items.length - items.length;
  const unchanged = answer.summary?.unchanged ?? listed;
  const unlisted = (answer.more?.items ?? 0) - (unchanged - listed);
  // Errors of items are printed with their items; the others concern the whole file, or something that is no item.
  const spoken = new Set(answer.items.map(({ uid }) => uid));
  const others = answer.errors.filter(({ uid }) => uid === null || !spoken.has(uid));
  const whole = others.map(
    ({ line, uid, message }) =>
      `  ${say("fileReport.refused", { what: withUid(at(line, message), uid ?? "") })}\n`,
  );
  return [
    `${dryRun ? say("fileReport.dryRun", { file }) : file}\n`,
    ...items.map((item) => describeItem(item, dryRun)),
    ...whole,
    unlisted > 0 ? `  ${say("fileReport.more", { count: unlisted })}\n` : "",
    unchanged > 0 ? `  ${say("fileReport.unchanged", { count: unchanged })}\n` : "",
  ].join("");
}

function describeItem(item: AcceptedItem, dryRun: boolean): string {
  const { action, kind, title, uid, editId, words, problems, did } = item;
  const named = kindName(kind);
  const head =
    action === "refused"
      ? say("fileReport.refusedItem", { kind: named, title })
      : acceptedAs(did ?? `${action} ${named} "${title}"`, { editId, dryRun });
  return [
    `  ${withUid(head, uid)}\n`,
    ...words.map(({ name, from, to }) =>
      action === "create" ? `    ${name}: ${to}\n` : `    ${name}: ${from} → ${to}\n`,
    ),
    ...problems.map(({ line, message }) => `    ${at(line, message)}\n`),
  ].join("");
}

function kindName(kind: string): string {
  const id = `kind.${kind}`;
  return isKindId(id) ? say(id) : kind;
}

const isKindId = (id: string): id is `kind.${SpokenKind}` => isMessageId(id);

function acceptedAs(
  did: string,
  { editId, dryRun }: { readonly editId: number | null; readonly dryRun: boolean },
): string {
  if (dryRun) return say("fileReport.wouldAccept", { did });
  if (editId === null) return say("fileReport.accepted", { did });
  return say("fileReport.acceptedAs", { edit: String(editId), did });
}

const withUid = (what: string, uid: string): string =>
  uid === "" ? what : say("fileReport.withUid", { what, uid });

const at = (line: number | null, message: string): string =>
  line === null ? message : say("fileReport.line", { line: String(line), message });
