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

/** Everything that one to-do says. */
export interface TodoCard extends ItemCard {
  readonly startOn: Temporal.PlainDate | null;
  /** The day on which it is due. */
  readonly dueOn: Temporal.PlainDate | null;
  /** 0 to 100; counts for what is not completed. */
  readonly percent: number;
  readonly status: "NEEDS-ACTION" | "IN-PROCESS" | "COMPLETED";
  /** Null where it is not known; counts for what is completed. */
  readonly completedAt: Temporal.Instant | null;
  /** UID of the parent; null for none. */
  readonly relatedTo: string | null;
}

/** Thrown for a card that no to-do can be made of; the makers of cards promise to make none. */
export class UnwritableTodoError extends Error {
  override readonly name = "UnwritableTodoError";
  readonly uid: string;
  constructor(uid: string, reason: string) {
    super(`to-do ${JSON.stringify(uid)} cannot be written: ${reason}`);
    this.uid = uid;
  }
}

/**
 * One VTODO with folded lines and CRLF ends; equal cards give equal text. A start that does not lie before the due date
 * is left out: DUE must be later than DTSTART, programs drop one of the two otherwise, and a property that is not there
 * is no edit. What is completed has 100 percent, all else at most 99, as programs take 100 for a completion.
 * Throws `UnwritableTodoError` when the UID is empty.
 * Source: RFC 5545 3.6.2, 3.8.2.3 (DUE), 3.8.1.8, 3.8.2.1.
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
