import { longestText } from "@dayferry/ical";
import type { Patch, PatchField } from "../../domain/patch.ts";
import { fieldNameOf } from "../../domain/wording.ts";
import { say } from "../../texts/say.ts";

/**
 * A note about one item of a file; `line` is 1-based, `code` for programs, `message` for people. docs/edits.md explains the
 * codes.
 */
export interface Note {
  readonly line: number | null;
  /** The property that is stored here, for code `not-stored`. */
  readonly property?: string;
  readonly code: string;
  readonly message: string;
}

/** What one group of properties changes. Any refusal refuses the whole item; notes do not. */
export interface PlanPart {
  readonly patch: Patch;
  /** Names of labels to be created first. */
  readonly newLabels: readonly string[];
  /** What cannot be stored, or is done differently than expected. */
  readonly notes: readonly Note[];
  readonly refusals: readonly Note[];
}

/** No change: the property is missing, or equals the present value. */
export const silent: PlanPart = { patch: {}, newLabels: [], notes: [], refusals: [] };

export const wish = (patch: Patch): PlanPart => ({ ...silent, patch });

export const remark = (note: Note): PlanPart => ({ ...silent, notes: [note] });

export const refuse = (note: Note): PlanPart => ({ ...silent, refusals: [note] });

/** Combines parts, which concern different fields. */
export function joinParts(parts: readonly PlanPart[]): PlanPart {
  return {
    patch: Object.assign({}, ...parts.map(({ patch }) => patch)),
    newLabels: parts.flatMap(({ newLabels }) => newLabels),
    notes: parts.flatMap(({ notes }) => notes),
    refusals: parts.flatMap(({ refusals }) => refusals),
  };
}

const longestExcerpt = 80;

/** Why a text is refused; `length` in characters. */
export const tooLong = (field: PatchField, length: number): string =>
  say("intake.tooLong", {
    field: fieldNameOf(field),
    length: String(length),
    most: String(longestText),
  });

/** A value quoted in a message: short, on one line. */
export function quote(text: string): string {
  const shown = text.length > longestExcerpt ? `${text.slice(0, longestExcerpt)}…` : text;
  return JSON.stringify(shown.toWellFormed());
}
