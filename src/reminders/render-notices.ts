import type { Edit, ParkReason } from "../domain/edit.ts";
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
import { say } from "../texts/say.ts";
import { retold } from "../texts/stored.ts";
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
  const count = say("notice.count", { count: parkings.length });
  const titles = parkings.map((parking) => excerpt(shownTitle(parkedItem(parking)), 60));
  return {
    subject: say("notice.subjects", {
      count,
      titles: excerpt(titles.slice(0, 3).join(", "), 150),
    }),
    preview: `${say("notice.notSaved", { count })}. ${excerpt(titles.join(", "), 300)}`,
    heading: say("notice.notSaved", { count }),
    fact: null,
    parts: [
      {
        kind: "lines",
        lines: [say("notice.showWorkspace"), say("notice.decideEach")],
      },
      {
        kind: "section",
        heading: say("layout.edits"),
        entries: parkings.slice(0, mostShown).map((parking) => ({
          title: shownTitle(parkedItem(parking)),
          about: say("notice.about", {
            id: parking.edit.id,
            reason: say(`notice.reason.${parking.reason}`),
          }),
          url: pageOf(parking.edit, publicUrl),
        })),
        more: Math.max(0, parkings.length - mostShown),
      },
      {
        kind: "links",
        links:
          publicUrl === null
            ? []
            : [{ label: say("notice.seeAll"), url: `${publicUrl}/edits?state=waiting` }],
      },
    ],
    reason: say("notice.whyMany"),
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
    subject: say("notice.subject", {
      title: excerpt(title, 100),
      reason: say(`notice.reason.${reason}`),
    }),
    preview: `${title}. ${happened}`,
    heading: title,
    fact: happened,
    parts: [
      {
        kind: "comparison",
        sides: [say("notice.yourEdit"), say("notice.inWorkspace")],
        rows: rowsOf({ edit, wished, now: isOpen ? now : null, names }),
      },
      {
        kind: "prose",
        text: [absence, say(`notice.advice.${reason}`)].filter((one) => one !== null).join(" "),
      },
      url === null
        ? { kind: "prose", text: say("notice.onPage", { id: edit.id }) }
        : { kind: "links", links: [{ label: say(`notice.button.${reason}`), url }] },
    ],
    reason: by === null ? say("notice.why") : say("notice.whyBy", { by }),
    unsubscribe,
  };
}

/** The item a notice names: what the editor may see of it, otherwise what the editor wrote. */
function parkedItem({ edit, now, isOpen }: Pick<Parking, "edit" | "now" | "isOpen">): Item {
  const wished = applyPatch(edit.base, edit.patch);
  return isOpen ? (now ?? wished) : wished;
}

/** What happened, in a sentence. The journal's text names every value, also those the editor may not see. */
function happenedIn({ edit, reason, isOpen, names }: Parking): string {
  const act = `${say(`notice.act.${edit.action}`)} (${momentInWords(edit.createdAt, names.zone)})`;
  const problem =
    isOpen && edit.problem !== null ? retold(withoutRequest(plainLine(edit.problem))) : "";
  const why = problem === "" ? "" : excerpt(problem, 600).replace(/\.$/, "");
  switch (reason) {
    case "conflict":
      return conflictIn(act, edit);
    case "refused":
      return say("notice.happened.refused", {
        act,
        why: why === "" ? say("notice.reason.refused") : causeIn(why),
      });
    case "failed":
      return why === ""
        ? say("notice.happened.failed", { act })
        : say("notice.happened.failedWhy", { act, why });
    case "unknown-outcome":
      return say("notice.happened.unknown", { act });
    default:
      return unreachable(reason);
  }
}

/** With the fields that both sides have changed. */
function conflictIn(act: string, { action, conflicts }: Edit): string {
  if (action === "delete" || conflicts.length === 0)
    return say("notice.happened.conflict", { act });
  const fields = conflicts.map(({ field }) => fieldNameOf(field)).join(", ");
  return say("notice.happened.conflictIn", { act, fields });
}

/** Turns "The service rejected it: the title is too long" into "the workspace answered: the title is too long". */
function causeIn(why: string): string {
  const said = /^The service rejected it: (.+)$/s.exec(why)?.[1];
  return said === undefined ? why : say("notice.answered", { said });
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
  if (!isOpen) return say("notice.noAccess");
  if (now) return null;
  return say(edit.action === "create" ? "notice.notThere" : "notice.wasDeleted");
}
