import { asSentence } from "../../domain/text.ts";
import type { Topic } from "../../store/topic-watch.ts";
import { say } from "../../texts/say.ts";
import { html, type Markup, type TemplatePart } from "./markup-template.ts";

/** The parts of pages; `web/style.css` defines their looks. All inserted text is escaped. */

/** The meaning of a colour. Colour never carries information alone. */
export type Tone = "good" | "wait" | "bad" | "info";

/** A word or two about a state. */
export const badge = (text: string, tone: Tone | null = null): Markup =>
  html`<span class="badge${tone === null ? "" : ` ${tone}`}">${text}</span>`;

/** What makes a section reload: a kind of change, or the passing of time if it shows ages. */
type Follows = Topic | "age";

/** A section with a heading. Scripts reload it when one of its `live` topics changes, which requires an id. */
export function card({
  title,
  body,
  aside = null,
  footer = null,
  id,
  live = [],
}: {
  readonly title: string | null;
  readonly body: TemplatePart;
  /** Beside the heading: a badge, or a link to everything. */
  readonly aside?: TemplatePart;
  readonly footer?: TemplatePart;
  readonly id?: string;
  readonly live?: readonly Follows[];
}): Markup {
  const follows = live.length > 0 ? html` data-live="${live.join(" ")}"` : null;
  const heading = title === null ? null : html`<header><h2>${title}</h2>${aside}</header>`;
  return html`<section class="card"${id === undefined ? null : html` id="${id}"`}${follows}>${heading}
${body}${footer === null ? null : html`\n<footer>${footer}</footer>`}</section>`;
}

/** An event or a hint. `bad` interrupts a screen reader. */
export const notice = (tone: Tone, body: TemplatePart): Markup =>
  html`<div class="notice ${tone}" role="${tone === "bad" ? "alert" : "status"}">${body}</div>`;

/** Result of an action. */
export interface Said {
  readonly isGood: boolean;
  readonly text: string;
}

/** Says how an action ended; null if no action was carried out. */
export const saidNotice = (said: Said | null): Markup | null =>
  said && notice(said.isGood ? "good" : "bad", said.text);

/** Stands in place of an empty list: says what would be there, and offers the next step. */
export const emptyState = (
  title: string,
  text: TemplatePart,
  action: TemplatePart = null,
): Markup =>
  html`<div class="empty"><p class="title">${title}</p><p>${text}</p>${action === null ? null : html`<p>${action}</p>`}</div>`;

/** A column's title; numbers are aligned to the right. */
type Column = string | { readonly title: string; readonly isNumber: boolean };

/**
 * A table that scrolls if it is wider than the screen. The first cell of a row is its heading. On a phone, cells are stacked
 * with their column's title, unless they are few and mostly numbers.
 */
export function table({
  caption,
  columns: given,
  rows,
}: {
  /** Its content, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly TemplatePart[])[];
}): Markup {
  const columns = given.map((column) =>
    typeof column === "string" ? { title: column, isNumber: false } : column,
  );
  const kind = (index: number) => (columns[index]?.isNumber ? html` class="number"` : null);
  const isStacked = columns.length > 2 && columns.slice(1).some(({ isNumber }) => !isNumber);
  const label = (index: number) =>
    isStacked ? html` data-label="${columns[index]?.title ?? ""}"` : null;
  const head = columns.map(({ title }, index) => html`<th scope="col"${kind(index)}>${title}</th>`);
  const body = rows.map((cells) => {
    const [first = "", ...rest] = cells;
    const others = rest.map(
      (cell, index) => html`<td${kind(index + 1)}${label(index + 1)}>${cell}</td>`,
    );
    return html`<tr><th scope="row"${kind(0)}${label(0)}>${first}</th>${others}</tr>\n`;
  });
  return html`<div class="wide${isStacked ? " stacked" : ""}" tabindex="0" role="region" aria-label="${caption}"><table><caption class="unseen">${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>${body}</tbody></table></div>`;
}

/** Terms with their descriptions; empty ones are omitted. */
export const facts = (entries: readonly (readonly [string, TemplatePart])[]): Markup =>
  html`<dl class="facts">${entries
    .filter(([, said]) => said !== null)
    .map(([term, said]) => html`<dt>${term}</dt><dd>${said}</dd>\n`)}</dl>`;

/** Collapsed details. */
export const folded = (
  summary: TemplatePart,
  body: TemplatePart,
  { open = false }: { readonly open?: boolean } = {},
): Markup =>
  html`<details${open ? html` open` : null}><summary>${summary}</summary>${body}</details>`;

/** Links between parts of a page, each with its own URL. */
export function tabs(
  label: string,
  entries: readonly {
    readonly label: string;
    readonly href: string;
    readonly isCurrent: boolean;
  }[],
): Markup {
  const items = entries.map(
    ({ label: text, href, isCurrent }) =>
      html`<li><a href="${href}"${isCurrent ? html` aria-current="page"` : null}>${text}</a></li>`,
  );
  return html`<nav aria-label="${label}"><ul class="tabs">${items}</ul></nav>`;
}

/** A link that looks like a button. */
export const linkButton = (
  label: string,
  href: string,
  { isMain = false }: { readonly isMain?: boolean } = {},
): Markup => html`<a class="button${isMain ? " main" : ""}" href="${href}">${label}</a>`;

/** A form's button; `to`: the URL it submits to, if not the form's own. */
export function button(
  label: string,
  {
    tone = null,
    to,
    name,
    value = "",
  }: {
    /** `main` is the default action, `bad` is destructive, `link` looks like text. */
    readonly tone?: "main" | "bad" | "link" | null;
    readonly to?: string;
    readonly name?: string;
    readonly value?: string;
  } = {},
): Markup {
  const look = tone === null ? null : html` class="${tone}"`;
  const target = to === undefined ? null : html` formaction="${to}"`;
  const said = name === undefined ? null : html` name="${name}" value="${value}"`;
  return html`<button${look}${target}${said}>${label}</button>`;
}

/** A form that changes something, with the session's form token. */
export const postForm = (
  { action, formToken, inRow = false }: FormOptions,
  body: TemplatePart,
): Markup => html`<form method="post"${action === null ? null : html` action="${action}"`}${inRow ? html` class="row"` : null}>
<input type="hidden" name="form" value="${formToken}">${body}</form>`;

interface FormOptions {
  /** Null if each button has its own URL. */
  readonly action: string | null;
  readonly formToken: string;
  /** Side by side, like buttons. */
  readonly inRow?: boolean;
}

interface FieldOptions {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly type?: "text" | "email" | "password" | "search" | "date" | "time" | "url" | "number";
  readonly hint?: TemplatePart;
  /** The error for this field. */
  readonly problem?: string | null;
  readonly isRequired?: boolean;
  readonly autocomplete?: string;
}

/** A field with its label, a hint and its error. The name is also the element's id, so only one form of a page may use it. */
export function field(options: FieldOptions): Markup {
  const { name, label, value = "", type = "text", autocomplete, isRequired = false } = options;
  return described(
    options,
    (attributes) => html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}"${
      autocomplete === undefined ? null : html` autocomplete="${autocomplete}"`
    }${isRequired ? html` required` : null}${attributes}>`,
  );
}

/** Text of several lines. */
export function textField(
  options: Pick<FieldOptions, "name" | "label" | "value" | "hint" | "problem">,
): Markup {
  const { name, label, value = "" } = options;
  return described(
    options,
    // Browsers drop the first line break of a text area.
    (attributes) => html`<label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="6"${attributes}>
${value}</textarea>`,
  );
}

/** Values of fields that the form submits unseen. */
export const hiddenInputs = (
  fields: readonly (readonly [name: string, value: string])[],
): readonly Markup[] =>
  fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Choices with their names or titles as labels. */
export const optionsOf = (
  entries: readonly ({ readonly id: number } & (
    | { readonly name: string }
    | { readonly title: string }
  ))[],
): readonly Choice[] =>
  entries.map((entry) => ({
    value: String(entry.id),
    label: "name" in entry ? entry.name : entry.title,
  }));

/** A drop-down list. */
export function selectField({
  choices,
  ...options
}: Pick<FieldOptions, "name" | "label" | "value" | "hint" | "problem"> & {
  readonly choices: readonly Choice[];
}): Markup {
  const { name, label, value = "" } = options;
  const entries = choices.map(
    (choice) =>
      html`<option value="${choice.value}"${choice.value === value ? html` selected` : null}>${choice.label}</option>`,
  );
  return described(
    options,
    (attributes) => html`<label for="${name}">${label}</label>
<select id="${name}" name="${name}"${attributes}>${entries}</select>`,
  );
}

function described(
  { name, hint = null, problem = null }: Pick<FieldOptions, "name" | "hint" | "problem">,
  control: (attributes: Markup | null) => Markup,
): Markup {
  const ids = [...(hint === null ? [] : [`${name}-hint`]), ...(problem ? [`${name}-problem`] : [])];
  const invalid = problem ? html` aria-invalid="true"` : null;
  const attributes = ids.length > 0 ? html`${invalid} aria-describedby="${ids.join(" ")}"` : null;
  return html`<div class="field">${control(attributes)}${
    hint === null ? null : html`<p class="hint" id="${name}-hint">${hint}</p>`
  }${problem ? html`<p class="problem" id="${name}-problem">${asSentence(problem)}</p>` : null}</div>`;
}

interface ChoiceOptions {
  readonly name: string;
  readonly label: TemplatePart;
  readonly value?: string;
  readonly isOn: boolean;
  readonly hint?: string;
}

/** A switch. */
export const switchField = (options: ChoiceOptions): Markup => choice("switch", options);

/** A checkbox. */
export const checkbox = (options: ChoiceOptions): Markup => choice("checkbox", options);

function choice(
  kind: "switch" | "checkbox",
  { name, label, value = "on", isOn, hint }: ChoiceOptions,
): Markup {
  const id = value === "on" ? name : `${name}-${value}`;
  const role = kind === "switch" ? html` role="switch"` : null;
  return html`<div class="choice${kind === "switch" ? " switch" : ""}"><input type="checkbox"${role} id="${id}" name="${name}" value="${value}"${
    isOn ? html` checked` : null
  }${hint === undefined ? null : html` aria-describedby="${id}-hint"`}><div><label for="${id}">${label}</label>${
    hint === undefined ? null : html`<p class="hint" id="${id}-hint">${hint}</p>`
  }</div></div>`;
}

/** Text with a copy button if scripts run. */
export const copyField = ({
  id,
  label,
  value,
  about = label,
}: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** What the button copies, if the label alone is ambiguous on the page. */
  readonly about?: string;
}): Markup =>
  html`<div class="field"><label for="${id}">${label}</label>
<div class="copy"><input id="${id}" value="${value}" readonly spellcheck="false"><button type="button" data-copy="${id}" aria-label="${say("action.copyWhat", { what: about })}" hidden>${say("action.copy")}</button></div></div>`;
