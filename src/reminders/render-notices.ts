import type { Edit, EditAction, ParkReason } from "../domain/edit.ts";
import { type Item, type Person, spokenKind } from "../domain/item.ts";
import { applyPatch, fieldsOf, type Patch, type PatchField, valuesOf } from "../domain/patch.ts";
import { unreachable } from "../domain/result.ts";
import { escapeHtml } from "../domain/text.ts";
import {
  excerpt,
  fieldInWords,
  fieldNames,
  momentInWords,
  type Names,
  plainLine,
} from "../domain/wording.ts";
import { footerOf, htmlFrame, type MailContent, type RenderedMail } from "./mail-content.ts";
import type { UnsubscribeLink } from "./recipients.ts";
import { shownTitle } from "./reminder-words.ts";

/** Tells an editor in one mail of many edits that did not get into the workspace. */
export function noticesContent(
  parkings: readonly Parking[],
  {
    dashboard,
    unsubscribe,
  }: { readonly dashboard: string | null; readonly unsubscribe: UnsubscribeLink | null },
): MailContent {
  const count = parkings.length === 1 ? "1 edit" : `${parkings.length} edits`;
  const titles = parkings.map((parking) => excerpt(shownTitle(parkedItem(parking)), 60));
  return {
    subject: `Not applied: ${count} – ${excerpt(titles.slice(0, 3).join(", "), 150)}`,
    preview: `Not applied: ${count}. ${excerpt(titles.join(", "), 300)}`,
    heading: `${count} not applied`,
    fact: null,
    parts: [
      {
        kind: "lines",
        lines: [
          "They are not in the workspace, and calendars show the workspace's version again.",
          "Each waits for a decision: dayferry edits show with its number tells what can be done.",
        ],
      },
      {
        kind: "section",
        heading: "Edits",
        entries: parkings.slice(0, mostShown).map((parking) => ({
          title: shownTitle(parkedItem(parking)),
          about: `edit ${parking.edit.id} · ${parkReasonWords[parking.reason]}`,
          url: null,
        })),
        more: Math.max(0, parkings.length - mostShown),
      },
      {
        kind: "links",
        links: dashboard === null ? [] : [{ label: "Open the dashboard", url: dashboard }],
      },
    ],
    reason: "You get this mail because these edits were made in your name.",
    unsubscribe,
  };
}

const mostShown = 100;

/** A parked edit and who made it. */
export interface Parking {
  readonly edit: Edit;
  readonly reason: ParkReason;
  readonly editor: Person;
  /** The item as the workspace has it; null when it is not there. */
  readonly now: Item | null;
  /** Whether the item is still for the editor's eyes; if not, nothing of it is said but what the editor has written. */
  readonly isOpen: boolean;
  readonly names: Names;
  /** Address of the start page; null when it has none that can be reached from elsewhere. */
  readonly dashboard: string | null;
  readonly unsubscribe: UnsubscribeLink | null;
}

/** Tells an editor that an edit did not get into the workspace. */
export function renderNotice(parking: Parking): RenderedMail {
  const note = noteOf(parking);
  return {
    subject: `Not applied: ${excerpt(note.title, 100)} – ${parkReasonWords[parking.reason]}`,
    text: textOf(note),
    html: htmlOf(note),
  };
}

interface Row {
  readonly name: string;
  readonly wish: string;
  readonly now: string;
}

/** What both forms of the mail say. */
interface Note {
  readonly title: string;
  readonly opening: string;
  readonly why: string;
  readonly wish: string;
  readonly rows: readonly Row[];
  /** Why there is nothing to show of the workspace's version; null where there is. */
  readonly absence: string | null;
  readonly advice: string;
  readonly ways: readonly string[];
  readonly dashboard: string | null;
  readonly reason: string;
  readonly unsubscribe: UnsubscribeLink | null;
}

/** Why an edit is parked, in a few words. */
const parkReasonWords: Readonly<Record<ParkReason, string>> = {
  conflict: "changed by somebody else as well",
  refused: "the workspace refused it",
  failed: "it could not be carried out",
  "unknown-outcome": "it is not known whether it arrived",
};

const advices: Readonly<Record<ParkReason, string>> = {
  conflict:
    "You choose field by field, and see the result before it is sent: keeping yours sends it over what somebody else has set, keeping theirs leaves that.",
  refused:
    "Trying again helps once the cause is out of the way. Discarding keeps what the workspace has.",
  failed:
    "Trying again sends it once more. Discarding keeps what the workspace has; you may then make the change anew.",
  "unknown-outcome":
    "Trying again first looks whether it has arrived. Discarding leaves the workspace as it is.",
};

const wishes: Readonly<Record<EditAction, string>> = {
  create: "You wanted to create it:",
  update: "You wanted:",
  complete: "You wanted to mark it as done.",
  reopen: "You wanted to open it again.",
  delete: "You wanted to delete it.",
};

/** The item that a notice names: what the editor may see of it, else what the editor has written. */
function parkedItem({ edit, now, isOpen }: Pick<Parking, "edit" | "now" | "isOpen">): Item {
  const wished = applyPatch(edit.base, edit.patch);
  return isOpen ? (now ?? wished) : wished;
}

function noteOf({
  edit,
  reason,
  editor,
  now,
  isOpen,
  names,
  dashboard,
  unsubscribe,
}: Parking): Note {
  const wished = applyPatch(edit.base, edit.patch);
  const shown = parkedItem({ edit, now, isOpen });
  const at = momentInWords(edit.createdAt, names.zone);
  return {
    title: shownTitle(shown),
    opening: `Your edit of ${at} is not in the workspace, and calendars show the workspace's version again. It waits for a decision.`,
    why: whyOf(edit, { reason, isOpen }),
    wish: wishes[edit.action],
    rows: rowsOf({ edit, wished, now: isOpen ? now : null, names }),
    absence: absenceOf({ edit, now, isOpen }),
    advice: advices[reason],
    ways: [
      ...(reason === "conflict"
        ? [
            `dayferry edits resolve ${edit.id} --keep mine`,
            `dayferry edits resolve ${edit.id} --keep theirs`,
          ]
        : [`dayferry edits retry ${edit.id}`]),
      `dayferry edits discard ${edit.id}`,
    ],
    dashboard,
    reason: `You get this mail because edit ${edit.id} (${spokenKind(shown)}) was made in your name, ${plainLine(editor.name)}, through ${edit.channel}.`,
    unsubscribe,
  };
}

/** The journal's own words name every value, also of what is not open to the editor, and repeat what the rows show. */
function whyOf(
  edit: Edit,
  { reason, isOpen }: { readonly reason: ParkReason; readonly isOpen: boolean },
): string {
  const problem =
    isOpen && edit.problem !== null ? `: ${excerpt(plainLine(edit.problem), 600)}` : "";
  switch (reason) {
    case "conflict":
      return "Somebody else has changed it since you saw it.";
    case "refused":
      return `The workspace refused it${problem}.`;
    case "failed":
      return `It could not be carried out${problem}.`;
    case "unknown-outcome":
      return `Its answer was lost on the way, so it is not known whether the workspace has it${problem}.`;
    default:
      return unreachable(reason);
  }
}

/** For a creation what it was to be; for a deletion what has changed; else what was to be changed. */
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
}): readonly Row[] {
  const wish = valuesOf(wished);
  const present: Patch | null = now && valuesOf(now);
  return shownFields(edit, wish).map((field) => ({
    name: fieldNames[field],
    wish: edit.action === "delete" ? "" : withNew(field, { edit, wish, names }),
    now: present ? fieldInWords(field, present, names) : "",
  }));
}

function shownFields(edit: Edit, wish: Patch): readonly PatchField[] {
  if (edit.action === "delete") return edit.conflicts.map(({ field }) => field);
  if (edit.action !== "create") return fieldsOf(edit.patch);
  const telling: readonly PatchField[] = ["title", "when", "startOn", "dueOn", "place"];
  return telling.filter((field) => wish[field] !== undefined && wish[field] !== null);
}

/** Labels that are yet to be made have no number. */
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
  if (!isOpen) return "It is not open to you any more.";
  if (now) return null;
  return edit.action === "create"
    ? "As far as is known, the workspace does not have it."
    : "The workspace does not have it any more.";
}

function textOf(note: Note): string {
  const wished = note.rows.filter(({ wish }) => wish !== "");
  const present = note.rows.filter(({ now }) => now !== "");
  const line = (name: string, value: string) => `  ${name}: ${value}`;
  const blocks = [
    [`Not applied: ${note.title}`],
    [note.opening],
    [`Why: ${note.why}`],
    [note.wish, ...wished.map(({ name, wish }) => line(name, wish))],
    [
      note.absence ??
        (present.length > 0 ? "The workspace has:" : "The workspace has it as it was."),
      ...present.map(({ name, now }) => line(name, now)),
    ],
    [note.advice],
    [
      ...(note.dashboard === null ? [] : [`On the dashboard: ${note.dashboard}`]),
      "On the command line:",
      ...note.ways.map((way) => `  ${way}`),
    ],
    // The usual mark before what is no part of the message.
    [
      "-- ",
      note.reason,
      ...(note.unsubscribe ? [`${note.unsubscribe.label}: ${note.unsubscribe.url}`] : []),
    ],
  ];
  return `${blocks.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function htmlOf(note: Note): string {
  const { title, dashboard } = note;
  return htmlFrame({
    title,
    preview: `Not applied: ${title}. ${note.why}`,
    body: [
      `<h2 dir="auto" style="margin:0 0 .3em;font-size:1.25em;line-height:1.25">${escapeHtml(title)}</h2>`,
      `<p>${escapeHtml(note.opening)}</p>`,
      `<p><strong>${escapeHtml(note.why)}</strong></p>`,
      `<p>${escapeHtml(note.wish)}</p>`,
      ...tableOf(note),
      ...(note.absence === null ? [] : [`<p>${escapeHtml(note.absence)}</p>`]),
      `<p>${escapeHtml(note.advice)}</p>`,
      ...(dashboard === null
        ? []
        : [`<p><a href="${escapeHtml(dashboard)}">Open the dashboard</a></p>`]),
      `<p>On the command line: ${note.ways.map((way) => `<code>${escapeHtml(way)}</code>`).join(" or ")}</p>`,
    ],
    footer: footerOf(note.reason, note.unsubscribe),
  });
}

function tableOf({ rows }: Note): readonly string[] {
  if (rows.length === 0) return [];
  const cell = (text: string) =>
    `<td style="padding-right:1em"><bdi>${escapeHtml(text)}</bdi></td>`;
  const head = ["", "You wanted", "The workspace has"].map(cell).join("");
  const body = rows.map(
    ({ name, wish, now }) => `<tr>${[name, wish, now].map(cell).join("")}</tr>`,
  );
  return [`<table><tr>${head}</tr>${body.join("")}</table>`];
}
