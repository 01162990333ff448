import { unreachable } from "../../domain/result.ts";
import type { LinkAction } from "../../domain/signed-links.ts";
import type { EditDescription } from "../../edits/actions/describe.ts";
import type {
  LinkFault,
  LinkOffer,
  LinkState,
  LinkSubject,
} from "../../edits/links/action-links.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** Says what a link would do, and asks. `moved`: the date has changed since the person agreed. */
export function confirmLinkPage(offer: LinkOffer, { moved }: { readonly moved: boolean }): Page {
  const { subject, action } = offer;
  const notice = html`<p class="problem" role="alert">Someone changed the date, so nothing was done. Please confirm again:</p>`;
  return card({
    title: questions[action],
    body: html`${moved ? notice : null}
${described(subject)}
${dates(offer)}
<form method="post" class="whole"><input type="hidden" name="shown" value="${subject.day?.toString() ?? ""}">
<button class="main">${buttonOf(offer)}</button></form>
<p class="quiet">Nothing changes until you press the button.</p>`,
  });
}

/** Says that there is nothing to do. */
export function idlePage(state: Extract<LinkState, { readonly kind: "idle" }>): Page {
  return card({
    title: "Nothing to do",
    body: html`${described(state.subject)}\n<p>${idleReason(state)}</p>`,
  });
}

/** Says why a link does not work. */
export function voidPage(fault: LinkFault): Page {
  return card({
    title: "This link does nothing",
    body: html`<p>${faults[fault]}</p>\n<p class="quiet">Nothing was changed.</p>`,
  });
}

/** Shows an edit's result, and how to undo it. */
export function resultPage(edit: EditDescription): Page {
  return card({
    title: outcomeOf(edit),
    body: html`<p class="title"><bdi>${edit.item.title}</bdi></p>
<p>${progressOf(edit)}</p>
${edit.problem === null ? null : html`<p class="problem"><bdi>${edit.problem}</bdi></p>`}
${undoForm(edit)}
<p class="quiet">This is edit ${edit.id}; <a href="">load again</a> to see its status.</p>`,
  });
}

/** Says why an edit could not be undone. */
export function notTakenBackPage(id: number, reason: string): Page {
  return card({
    title: "Not undone",
    body: html`<p class="problem">${reason}</p>\n<p class="quiet"><a href="../${id}">Back to edit ${id}</a></p>`,
  });
}

const card = ({ title, body }: Page): Page => ({
  title,
  width: "narrow",
  body: html`<div class="card">${body}</div>`,
});

const questions: Readonly<Record<LinkAction, string>> = {
  done: "Mark as done?",
  reopen: "Open again?",
  day: "Move by one day?",
  week: "Move by one week?",
};

const faults: Readonly<Record<LinkFault, string>> = {
  unknown: "This link is not valid. It may be incomplete. Copy the whole link.",
  expired:
    "The link has expired. The calendar has newer ones, which your calendar program shows when it has updated; so have newer mails.",
  revoked:
    "The calendar that it belongs to has another address now, or none; subscribe to the present one, whose texts have new links. A link of a mail ends when its reader may not change anything any more.",
  gone: "The item no longer exists, or the person who got the link has lost access.",
};

function described({ title, kind, project }: LinkSubject): Markup {
  const place = project === null ? kind : `${kind} of ${project}`;
  return html`<p class="title"><bdi>${title}</bdi></p>\n<p class="quiet"><bdi>${place}</bdi></p>`;
}

function dates({ subject, action, day }: LinkOffer): Markup | null {
  if (!subject.day || !day) return null;
  if (action === "done" || action === "reopen") return html`<p>${dayInWords(subject.day)}</p>`;
  return html`<dl class="facts"><dt>Now</dt><dd>${dayInWords(subject.day)}</dd><dt>Then</dt><dd><strong>${dayInWords(day)}</strong></dd></dl>`;
}

function buttonOf({ action, day }: LinkOffer): string {
  switch (action) {
    case "done":
      return "Mark as done";
    case "reopen":
      return "Open again";
    case "day":
    case "week":
      return day ? `Move to ${dayInWords(day)}` : "Move";
    default:
      return unreachable(action);
  }
}

function idleReason({ subject, action }: Extract<LinkState, { readonly kind: "idle" }>): string {
  if (action === "reopen") return "It is open.";
  if (subject.completed) return "It is completed already.";
  return subject.day === null && action !== "done"
    ? "It has no date that could be moved."
    : "It cannot be completed any more: it is no milestone.";
}

function outcomeOf({ state }: EditDescription): string {
  switch (state) {
    case "pending":
    case "claimed":
    case "confirmed":
      return "Done";
    case "held":
      return "Waiting for approval";
    case "parked":
      return "Not saved yet";
    case "discarded":
    case "undone":
      return "Undone";
    default:
      return unreachable(state);
  }
}

function progressOf(edit: EditDescription): string {
  const what = changeInWords(edit);
  switch (edit.state) {
    case "pending":
    case "claimed":
      return `${what} Sending to the service; the calendar shows it already.`;
    case "confirmed":
      return `${what} Saved.`;
    case "held":
      return `${what} An admin must approve it first.`;
    case "parked":
      return `${what} Not saved: waiting for a decision.`;
    case "discarded":
    case "undone":
      return `${what} Undone.`;
    default:
      return unreachable(edit.state);
  }
}

function changeInWords({ action, base, patch }: EditDescription): string {
  if (action === "complete") return "Marked as done.";
  if (action === "reopen") return "Opened again.";
  const [from, to] = base ? movedIn(base, patch) : [null, null];
  if (!from || !to) return "Moved.";
  return `Moved from ${plainDay(from)} to ${plainDay(to)}.`;
}

function movedIn(
  base: NonNullable<EditDescription["base"]>,
  patch: EditDescription["patch"],
): readonly [string | null, string | null] {
  if (base.kind !== "event") {
    return patch.dueOn ? [base.dueOn, patch.dueOn] : [base.startOn, patch.startOn ?? null];
  }
  const [from, to] = [base.when, patch.when];
  return to && "startOn" in from && "startOn" in to ? [from.startOn, to.startOn] : [null, null];
}

/** Null for a finished edit; the next page says if it is too late. */
function undoForm({ id, state }: EditDescription): Markup | null {
  if (state === "discarded" || state === "undone") return null;
  return html`<form method="post" action="${id}/undo" class="whole"><button>Undo</button></form>`;
}

const plainDay = (text: string): string => dayInWords(Temporal.PlainDate.from(text));

/** "Thursday, 12 November 2026". */
function dayInWords(day: Temporal.PlainDate): string {
  const options = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
  return day.toLocaleString("en-GB", options);
}
