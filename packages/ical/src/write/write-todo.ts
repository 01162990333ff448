import { baseMark } from "../base-mark.ts";
import {
  encodeUrl,
  escapeText,
  foldLines,
  writableCategories,
  writableUid,
  writeDate,
  writeStamp,
} from "../lines/content-line.ts";
import { cleanText } from "../text.ts";
import { type ItemCard, textLinesOf } from "./write-event.ts";

/** Content of a published to-do. */
export interface TodoCard extends ItemCard {
  readonly startOn: Temporal.PlainDate | null;
  /** Due date. */
  readonly dueOn: Temporal.PlainDate | null;
  /** 0 to 100; used if not completed. */
  readonly percent: number;
  readonly status: "NEEDS-ACTION" | "IN-PROCESS" | "COMPLETED";
  /** null if unknown; used if completed. */
  readonly completedAt: Temporal.Instant | null;
  /** UID of the parent; null for none. */
  readonly relatedTo: string | null;
}

/** Thrown for a card that cannot be a to-do; callers must not create one. */
export class UnwritableTodoError extends Error {
  override readonly name = "UnwritableTodoError";
  readonly uid: string;
  constructor(uid: string, reason: string) {
    super(`to-do ${JSON.stringify(uid)} cannot be written: ${reason}`);
    this.uid = uid;
  }
}

/**
 * One VTODO with folded lines and CRLF; equal cards give equal text. A start that is not before the due date is omitted: DUE
 * must be later than DTSTART, programs drop one of the two otherwise, and a missing property is not an edit. Completed items
 * have 100 percent and all others at most 99, because programs take 100 for completed. Throws `UnwritableTodoError` if the UID
 * is empty. Source: RFC 5545 3.6.2, 3.8.2.3 (DUE), 3.8.1.8, 3.8.2.1.
 */
export function writeTodo(card: TodoCard): string {
  const uid = writableUid(card.uid);
  if (uid === "") throw new UnwritableTodoError(card.uid, "its UID is empty");
  const stamp = writeStamp(card.stampAt);
  return foldLines([
    "BEGIN:VTODO",
    `UID:${escapeText(uid)}`,
    `SEQUENCE:${card.sequence}`,
    `DTSTAMP:${stamp}`,
    ...dateLines(card),
    `SUMMARY:${escapeText(card.summary)}`,
    ...textLines(card),
    ...completionLines(card),
    ...relationLines(card),
    ...(card.createdAt ? [`CREATED:${writeStamp(card.createdAt)}`] : []),
    `LAST-MODIFIED:${stamp}`,
    ...(card.classification === null ? [] : [`CLASS:${card.classification}`]),
    `${baseMark}:${card.sequence}`,
    "END:VTODO",
  ]);
}

function dateLines({ startOn, dueOn }: TodoCard): readonly string[] {
  const isShown = startOn && (!dueOn || Temporal.PlainDate.compare(startOn, dueOn) < 0);
  return [
    ...(isShown ? [`DTSTART;VALUE=DATE:${writeDate(startOn)}`] : []),
    ...(dueOn ? [`DUE;VALUE=DATE:${writeDate(dueOn)}`] : []),
  ];
}

function textLines(card: TodoCard): readonly string[] {
  const description = cleanText(card.description);
  const categories = writableCategories(card.categories).map(escapeText);
  return [
    ...(description === "" ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    ...(categories.length === 0 ? [] : [`CATEGORIES:${categories.join(",")}`]),
    ...(card.url === null ? [] : [`URL;VALUE=URI:${encodeUrl(card.url)}`]),
    ...textLinesOf(card),
  ];
}

function completionLines({ status, percent, completedAt }: TodoCard): readonly string[] {
  if (status !== "COMPLETED") {
    const shown = Math.min(99, Math.max(0, Math.round(percent)));
    return [`STATUS:${status}`, `PERCENT-COMPLETE:${shown}`];
  }
  const completed = completedAt ? [`COMPLETED:${writeStamp(completedAt)}`] : [];
  return ["STATUS:COMPLETED", "PERCENT-COMPLETE:100", ...completed];
}

function relationLines({ relatedTo }: TodoCard): readonly string[] {
  const parent = relatedTo === null ? "" : writableUid(relatedTo);
  return parent === "" ? [] : [`RELATED-TO;RELTYPE=PARENT:${escapeText(parent)}`];
}
