import type { EditState } from "../../domain/edit.ts";
import { asSentence } from "../../domain/text.ts";
import { dayInWords } from "../../domain/wording.ts";
import type { EditDescription } from "../../edits/actions/describe.ts";
import { editStateLabel } from "../../edits/actions/state-labels.ts";
import { formatClock } from "../../texts/dates.ts";
import { say } from "../../texts/say.ts";
import { badge, button, type Tone } from "./components.ts";
import { html, type Markup } from "./markup-template.ts";

/** A moment in a zone: "Tue 24 Nov 2026, 09:45". Scripts convert it to the browser's zone. */
export function timeTag(at: Temporal.Instant, zone: string): Markup {
  const local = at.toZonedDateTimeISO(zone);
  const clock = formatClock(local.toPlainTime());
  return html`<time datetime="${at.toString()}" data-form="day">${dayInWords(local)}, ${clock}</time>`;
}

/** A sentence about an edit, with times in the page's zone. A script adds a hint if the browser's zone differs. */
export const spoken = (text: string): Markup => html`<bdi data-spoken>${text}</bdi>`;

type Way = EditDescription["ways"][number];

/** A button for an edit's action beside its effect. Destructive actions are marked by colour. */
export function wayButton(
  { act, label, does }: Way,
  { edit, to }: { readonly edit: EditDescription; readonly to?: string },
): Markup {
  const isDeletion = edit.action === "delete";
  const isLoss = isDeletion ? act === "approve" : act === "discard";
  const isFirst = edit.ways[0]?.act === act;
  const tone = isLoss ? "bad" : isFirst ? "main" : null;
  const pressed = button(label, { tone, ...(to !== undefined && { to }) });
  return html`<div class="way">${pressed}<p class="hint">${asSentence(does)}</p></div>`;
}

/** Badge colours of edit states. */
export const stateTones: Readonly<Record<EditState, Tone | null>> = {
  pending: "info",
  claimed: "info",
  confirmed: "good",
  parked: "wait",
  held: "wait",
  discarded: null,
  undone: null,
};

/** An edit's state in two or three words; for an applied one, how fast it was. */
export function stateBadge({ state, words, choice }: EditDescription): Markup {
  const tone = stateTones[state];
  if (state === "confirmed") return badge(words.standing, tone);
  return badge(choice ? say("edit.conflict") : editStateLabel(state), tone);
}
