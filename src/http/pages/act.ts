import type { EditDescription } from "../../edits/actions/describe.ts";
import type {
  LinkFault,
  LinkOffer,
  LinkState,
  LinkSubject,
} from "../../edits/links/action-links.ts";
import { formatDay } from "../../texts/dates.ts";
import { say } from "../../texts/say.ts";
import type { Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

/** Says what a link would do, and asks. `moved`: the date has changed since the person agreed. */
export function confirmLinkPage(offer: LinkOffer, { moved }: { readonly moved: boolean }): Page {
  const { subject, action } = offer;
  const notice = html`<p class="problem" role="alert">${say("link.moved")}</p>`;
  return card({
    title: say(`link.ask.${action}`),
    body: html`${moved ? notice : null}
${described(subject)}
${dates(offer)}
<form method="post" class="whole"><input type="hidden" name="shown" value="${subject.day?.toString() ?? ""}">
<button class="main">${buttonOf(offer)}</button></form>
<p class="quiet">${say("link.untilPress")}</p>`,
  });
}

/** Says that there is nothing to do. */
export function idlePage(state: Extract<LinkState, { readonly kind: "idle" }>): Page {
  return card({
    title: say("link.nothing"),
    body: html`${described(state.subject)}\n<p>${idleReason(state)}</p>`,
  });
}

/** Says why a link does not work. */
export function voidPage(fault: LinkFault): Page {
  return card({
    title: say("link.void"),
    body: html`<p>${say(`link.fault.${fault}`)}</p>\n<p class="quiet">${say("link.unchanged")}</p>`,
  });
}

/** Shows an edit's result, and how to undo it. */
export function resultPage(edit: EditDescription): Page {
  const [outcome, progress] = endings[edit.state];
  return card({
    title: say(outcome),
    body: html`<p class="title"><bdi>${edit.item.title}</bdi></p>
<p>${changeInWords(edit)} ${say(progress)}</p>
${edit.problem === null ? null : html`<p class="problem"><bdi>${edit.problem}</bdi></p>`}
${undoForm(edit)}
<p class="quiet">${sayHtml("link.isEdit", { id: edit.id, reload: (text) => html`<a href="">${text}</a>` })}</p>`,
  });
}

/** Says why an edit could not be undone. */
export function notTakenBackPage(id: number, reason: string): Page {
  return card({
    title: say("link.notUndone"),
    body: html`<p class="problem">${reason}</p>\n<p class="quiet"><a href="../${id}">${say("link.backTo", { id })}</a></p>`,
  });
}

const card = ({ title, body }: Page): Page => ({
  title,
  width: "narrow",
  body: html`<div class="card">${body}</div>`,
});

function described({ title, kind, project }: LinkSubject): Markup {
  const named = say(`kind.${kind}`);
  const place = project === null ? named : say("link.kindOf", { kind: named, project });
  return html`<p class="title"><bdi>${title}</bdi></p>\n<p class="quiet"><bdi>${place}</bdi></p>`;
}

function dates({ subject, action, day }: LinkOffer): Markup | null {
  if (!subject.day || !day) return null;
  if (action === "done" || action === "reopen") return html`<p>${dayInWords(subject.day)}</p>`;
  return html`<dl class="facts"><dt>${say("link.now")}</dt><dd>${dayInWords(subject.day)}</dd><dt>${say("link.then")}</dt><dd><strong>${dayInWords(day)}</strong></dd></dl>`;
}

function buttonOf({ action, day }: LinkOffer): string {
  if (action === "done") return say("link.markDone");
  if (action === "reopen") return say("link.openAgain");
  return day ? say("link.moveTo", { day: dayInWords(day) }) : say("link.move");
}

function idleReason({ subject, action }: Extract<LinkState, { readonly kind: "idle" }>): string {
  if (action === "reopen") return say("link.isOpen");
  if (subject.completed) return say("link.isDone");
  return subject.day === null && action !== "done" ? say("link.noDate") : say("link.noMilestone");
}

/** What a state means for the change that a link made, and how far the change is. */
const endings = {
  pending: ["link.outcome.done", "link.progress.sending"],
  claimed: ["link.outcome.done", "link.progress.sending"],
  confirmed: ["link.outcome.done", "link.progress.saved"],
  held: ["link.outcome.held", "link.progress.held"],
  parked: ["link.outcome.parked", "link.progress.parked"],
  discarded: ["link.outcome.undone", "link.progress.undone"],
  undone: ["link.outcome.undone", "link.progress.undone"],
} as const satisfies Record<EditDescription["state"], unknown>;

function changeInWords({ action, base, patch }: EditDescription): string {
  if (action === "complete") return say("link.markedDone");
  if (action === "reopen") return say("link.openedAgain");
  const [from, to] = base ? movedIn(base, patch) : [null, null];
  if (!from || !to) return say("link.movedWord");
  return say("link.movedFromTo", { from: plainDay(from), to: plainDay(to) });
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
  return html`<form method="post" action="${id}/undo" class="whole"><button>${say("action.undo")}</button></form>`;
}

const plainDay = (text: string): string => dayInWords(Temporal.PlainDate.from(text));

/** "Thursday, 12 November 2026". */
const dayInWords = (day: Temporal.PlainDate): string => formatDay(day, "longDay");
