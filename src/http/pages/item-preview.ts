import type { AgendaItem } from "../../calendars/agenda.ts";
import type { FormOutcome, FormWish } from "../../edits/forms/accept-form.ts";
import type { NewItemFields } from "../../edits/forms/new-item.ts";
import { say } from "../../texts/say.ts";
import { hiddenFields } from "../item-body.ts";
import { button, card, hiddenInputs, linkButton, notice, postForm, table } from "./components.ts";
import type { Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

interface PreviewData {
  readonly wish: FormWish;
  /** Null for a new item. */
  readonly shown: AgendaItem | null;
  readonly sequence: number;
  /** Identifies a new item, so that confirming twice creates it once; null for an existing one. */
  readonly once: string | null;
  /** The input, submitted again on confirmation. */
  readonly fields: NewItemFields;
  readonly outcome: Extract<FormOutcome, { readonly kind: "planned" }>;
  readonly formToken: string;
}

/** The effect of a form before it is carried out. */
export function itemPreviewPage({
  wish,
  shown,
  sequence,
  once,
  fields,
  outcome,
  formToken,
}: PreviewData): Page {
  const { changes, notes, state, occurrences } = outcome;

  const isNew = wish.kind === "create";
  const { title } = outcome.subject;
  const back = isNew ? "calendar" : `calendar/items/${shown?.key ?? ""}`;
  const rows = changes.map(({ name, from, to }) => [
    name,
    ...(isNew ? [] : [html`<bdi>${from}</bdi>`]),
    html`<bdi>${to}</bdi>`,
  ]);
  const columns = [
    say("word.field"),
    ...(isNew ? [] : [say("word.now")]),
    say(isNew ? "preview.willBe" : "preview.then"),
  ];
  const body = html`${notes.map((note) => notice("wait", note))}
${state === "held" ? notice("wait", say("preview.waiting")) : null}
${card({
  title: null,
  body: html`${wish.kind === "delete" ? gone(title) : table({ caption: say("preview.caption"), columns, rows })}${occurrences.length > 0 ? occurrenceList(occurrences) : null}`,
  footer: postForm(
    { action: null, formToken, inRow: true },
    html`<input type="hidden" name="step" value="apply"><input type="hidden" name="sequence" value="${sequence}">${once && html`<input type="hidden" name="once" value="${once}">`}${hiddenInputs(hiddenFields(fields))}
${button(say(`preview.agree.${wish.kind}`), { tone: wish.kind === "delete" ? "bad" : "main" })} ${linkButton(say("action.discard"), rootTo(wish, back))}`,
  ),
})}`;
  return {
    title: say(`preview.ask.${wish.kind}`, { title }),
    current: "calendar",
    width: "narrow",
    body,
  };
}

const occurrenceList = (occurrences: readonly string[]): Markup =>
  html`<p>${say("preview.series", { count: occurrences.length })}</p><ol>${occurrences.map((when) => html`<li>${when}</li>`)}</ol>`;

const gone = (title: string): Markup =>
  html`<p>${sayHtml("preview.gone", { title: html`<bdi>${title}</bdi>` })}</p>`;

/** From the form's URL to the start page's. */
function rootTo(wish: FormWish, place: string): string {
  const depth = { change: "../../", create: "../", delete: "../../../" }[wish.kind];
  return `${depth}${place}`;
}
