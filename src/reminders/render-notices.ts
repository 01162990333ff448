import type { Edit, EditAction, ParkReason } from "../domain/edit.ts";
import type { Item, Person } from "../domain/item.ts";
import { applyPatch, fieldsOf, type Patch, type PatchField, valuesOf } from "../domain/patch.ts";
import { unreachable } from "../domain/result.ts";
import {
  excerpt,
  fieldInWords,
  fieldNameOf,
  momentInWords,
  type Names,
  plainLine,
  programInWords,
} from "../domain/wording.ts";
import { withoutRequest } from "../upstream/failure.ts";
import type { MailContent } from "./mail-content.ts";
import type { UnsubscribeLink } from "./recipients.ts";
import { shownTitle } from "./reminder-words.ts";

/** One mail to an editor about many edits that were not saved. */
export function noticesContent(
  parkings: readonly Parking[],
  publicUrl: string | null,
  unsubscribe: UnsubscribeLink | null,
): MailContent {
  const count = parkings.length === 1 ? "1 edit" : `${parkings.length} edits`;
  const titles = parkings.map((parking) => excerpt(shownTitle(parkedItem(parking)), 60));
  return {
    subject: `Not saved: ${count} – ${excerpt(titles.slice(0, 3).join(", "), 150)}`,
    preview: `${count} not saved. ${excerpt(titles.join(", "), 300)}`,
    heading: `${count} not saved`,
    fact: null,
    parts: [
      {
        kind: "lines",
        lines: [
          "Your calendars show the version in the workspace again.",
          "Decide for each edit whether to keep it.",
        ],
      },
      {
        kind: "section",
        heading: "Edits",
        entries: parkings.slice(0, mostShown).map((parking) => ({
          title: shownTitle(parkedItem(parking)),
          about: `edit ${parking.edit.id} · ${parkReasonWords[parking.reason]}`,
          url: pageOf(parking.edit, publicUrl),
        })),
        more: Math.max(0, parkings.length - mostShown),
      },
      {
        kind: "links",
        links:
          publicUrl === null
            ? []
            : [{ label: "See all of them", url: `${publicUrl}/edits?state=waiting` }],
      },
    ],
    reason: "You get this email because these edits were made in your name.",
    unsubscribe,
  };
}

const mostShown = 100;

/** A parked edit and its editor. */
export interface Parking {
  readonly edit: Edit;
  readonly reason: ParkReason;
  readonly editor: Person;
  /** The item's current version in the workspace; null if it does not exist. */
  readonly now: Item | null;
  /** True if the editor may still see the item; otherwise the mail contains only what the editor wrote. */
  readonly isOpen: boolean;
  readonly names: Names;
  /** Public URL without a trailing slash; null if there is none. */
  readonly publicUrl: string | null;
  readonly unsubscribe: UnsubscribeLink | null;
}

/** Page where an edit is decided. */
const pageOf = ({ id }: Edit, publicUrl: string | null): string | null =>
  publicUrl === null ? null : `${publicUrl}/edits/${id}`;

/** Tells an editor that an edit was not saved. */
export function noticeContent(parking: Parking): MailContent {
  const { edit, reason, now, isOpen, names, publicUrl, unsubscribe } = parking;
  const title = shownTitle(parkedItem(parking));
  const happened = happenedIn(parking);
  const url = pageOf(edit, publicUrl);
  const absence = absenceOf(parking);
  const wished = applyPatch(edit.base, edit.patch);
  const by = programInWords(edit);
  return {
    subject: `Not saved: ${excerpt(title, 100)} – ${parkReasonWords[reason]}`,
    preview: `${title}. ${happened}`,
    heading: title,
    fact: happened,
    parts: [
      {
        kind: "comparison",
        sides: ["Your edit", "In the workspace"],
        rows: rowsOf({ edit, wished, now: isOpen ? now : null, names }),
      },
      { kind: "prose", text: [absence, advices[reason]].filter((one) => one !== null).join(" ") },
      url === null
        ? { kind: "prose", text: `On Dayferry's page Edits it is edit ${edit.id}.` }
        : { kind: "links", links: [{ label: labels[reason], url }] },
    ],
    reason: `You get this email because this edit was made in your name${by === null ? "" : `, ${by}`}.`,
    unsubscribe,
  };
}

/** Why an edit was not saved, in a few words. */
const parkReasonWords: Readonly<Record<ParkReason, string>> = {
  conflict: "someone else changed it too",
  refused: "the workspace rejected it",
  failed: "it could not be sent",
  "unknown-outcome": "result unknown",
};

const advices: Readonly<Record<ParkReason, string>> = {
  conflict: "Until you decide, your calendars show the version in the workspace.",
  refused:
    "Your calendars show the version in the workspace. Try again once the cause is fixed, or discard the edit.",
  failed: "Your calendars show the version in the workspace. Try again, or discard the edit.",
  "unknown-outcome":
    "Trying again first checks whether the edit has arrived. Discarding it leaves the workspace as it is.",
};

/** Label of the button that opens the edit's page. */
const labels: Readonly<Record<ParkReason, string>> = {
  conflict: "Choose what to keep",
  refused: "View the edit",
  failed: "View the edit",
  "unknown-outcome": "View the edit",
};

const acts: Readonly<Record<EditAction, string>> = {
  create: "Your new item",
  update: "Your change",
  complete: "Marking it as done",
  reopen: "Reopening it",
  delete: "Deleting it",
};

/** The item a notice names: what the editor may see of it, otherwise what the editor wrote. */
function parkedItem({ edit, now, isOpen }: Pick<Parking, "edit" | "now" | "isOpen">): Item {
  const wished = applyPatch(edit.base, edit.patch);
  return isOpen ? (now ?? wished) : wished;
}

/** What happened, in a sentence. The journal's text names every value, also those the editor may not see. */
function happenedIn({ edit, reason, isOpen, names }: Parking): string {
  const act = `${acts[edit.action]} (${momentInWords(edit.createdAt, names.zone)})`;
  const problem = isOpen && edit.problem !== null ? withoutRequest(plainLine(edit.problem)) : "";
  const why = problem === "" ? "" : excerpt(problem, 600).replace(/\.$/, "");
  switch (reason) {
    case "conflict":
      return `${act} was not saved, because someone else changed it too${changedIn(edit)}.`;
    case "refused":
      return `${act} was not saved: ${why === "" ? "the workspace rejected it" : causeIn(why)}.`;
    case "failed":
      return `${act} could not be sent${why === "" ? "" : `: ${why}`}.`;
    case "unknown-outcome":
      return `${act} was sent, but the answer was lost: it may or may not be saved.`;
    default:
      return unreachable(reason);
  }
}

/** The fields both sides have changed: " (Title, When)". */
function changedIn({ action, conflicts }: Edit): string {
  if (action === "delete" || conflicts.length === 0) return "";
  return ` (${conflicts.map(({ field }) => fieldNameOf(field)).join(", ")})`;
}

/** Turns "The service rejected it: the title is too long" into "the workspace answered: the title is too long". */
function causeIn(why: string): string {
  const said = /^The service rejected it: (.+)$/s.exec(why)?.[1];
  return said === undefined ? why : `the workspace answered "${said}"`;
}

type Comparison = Extract<MailContent["parts"][number], { kind: "comparison" }>;

/** For a creation the new item, for a deletion what has changed, otherwise the requested changes. */
function rowsOf({
  edit,
  wished,
  now,
  names,
}: {
  readonly edit: Edit;
  readonly wished: Item;
  readonly now: Item | null;
  readonly names: Names;
}): Comparison["rows"] {
  const wish = valuesOf(wished);
  const present: Patch | null = now && valuesOf(now);
  return shownFields(edit, wish).map((field) => ({
    name: fieldNameOf(field),
    values: [
      edit.action === "delete" ? "" : withNew(field, { edit, wish, names }),
      present ? fieldInWords(field, present, names) : "",
    ],
  }));
}

function shownFields(edit: Edit, wish: Patch): readonly PatchField[] {
  if (edit.action === "delete") return edit.conflicts.map(({ field }) => field);
  if (edit.action !== "create") return fieldsOf(edit.patch);
  const telling: readonly PatchField[] = ["title", "when", "startOn", "dueOn", "place"];
  return telling.filter((field) => wish[field] !== undefined && wish[field] !== null);
}

/** Labels that are not created yet have no number. */
function withNew(
  field: PatchField,
  { edit, wish, names }: { readonly edit: Edit; readonly wish: Patch; readonly names: Names },
): string {
  const said = fieldInWords(field, wish, names);
  if (field !== "labels" || edit.newLabels.length === 0) return said;
  const known = (wish.labels ?? []).length > 0 ? [said] : [];
  return [...known, ...edit.newLabels.map(plainLine)].join(", ");
}

function absenceOf({ edit, now, isOpen }: Pick<Parking, "edit" | "now" | "isOpen">): string | null {
  if (!isOpen) return "You no longer have access to it.";
  if (now) return null;
  return edit.action === "create"
    ? "It is not in the workspace."
    : "It was deleted in the workspace.";
}
