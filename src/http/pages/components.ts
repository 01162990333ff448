import type { Topic } from "../../store/topic-watch.ts";
import { html, type Markup, type TemplatePart } from "./markup-template.ts";

/** The parts that pages are put together from; how each looks is said in `web/style.css`. Whatever is put in is escaped. */

/** What a colour says; it never says it alone. */
export type Tone = "good" | "wait" | "bad" | "info";

/** A word or two about a state. */
export const badge = (text: string, tone: Tone | null = null): Markup =>
  html`<span class="badge${tone === null ? "" : ` ${tone}`}">${text}</span>`;

/** What a section shows anew for: a change, or that time has passed, where it tells ages. */
type Follows = Topic | "age";

/** A section with a heading. The bundle shows it anew when something of its `live` topics changes; that needs an id. */
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
  /** Beside the heading: a badge, or a link to all of it. */
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

/** What happened, or what to know before going on. `bad` interrupts a screen reader. */
export const notice = (tone: Tone, body: TemplatePart): Markup =>
  html`<div class="notice ${tone}" role="${tone === "bad" ? "alert" : "status"}">${body}</div>`;

/** In the place of a list that has nothing in it: what would stand there, and the next step. */
export const emptyState = ({
  title,
  text,
  action = null,
}: {
  readonly title: string;
  readonly text: TemplatePart;
  readonly action?: TemplatePart;
}): Markup =>
  html`<div class="empty"><p class="title">${title}</p><p>${text}</p>${action === null ? null : html`<p>${action}</p>`}</div>`;

interface Column {
  readonly title: string;
  /** Numbers stand to the right. */
  readonly isNumber?: boolean;
}

/**
 * A table that scrolls by itself where it is wider than the screen. The first cell of a row is its heading. On a phone the cells
 * of a row stand below each other, each with its column's title, unless they are few and mostly numbers.
 */
export function table({
  caption,
  columns,
  rows,
}: {
  /** What it shows, for those who do not see what stands around it. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly TemplatePart[])[];
}): Markup {
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

/** Terms with what there is to say of each; those without are left out. */
export const facts = (entries: readonly (readonly [string, TemplatePart])[]): Markup =>
  html`<dl class="facts">${entries
    .filter(([, said]) => said !== null)
    .map(([term, said]) => html`<dt>${term}</dt><dd>${said}</dd>\n`)}</dl>`;

/** What only some want to read. */
export const folded = (
  summary: TemplatePart,
  body: TemplatePart,
  { open = false }: { readonly open?: boolean } = {},
): Markup =>
  html`<details${open ? html` open` : null}><summary>${summary}</summary>${body}</details>`;

/** Links between parts of a page, each with an address of its own. */
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

/** A button of a form; `to` is the address that it sends the form to, where that is not the form's own. */
export function button(
  label: string,
  {
    tone = null,
    to,
    name,
    value = "",
  }: {
    /** `main` is the one to press, `bad` takes something away, `link` looks like text. */
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

/** A form that changes something: it carries the token by which the session's own forms are known. */
export const postForm = (
  { action, formToken, inRow = false }: FormOptions,
  body: TemplatePart,
): Markup => html`<form method="post"${action === null ? null : html` action="${action}"`}${inRow ? html` class="row"` : null}>
<input type="hidden" name="form" value="${formToken}">${body}</form>`;

interface FormOptions {
  /** Null where each button says where it leads. */
  readonly action: string | null;
  readonly formToken: string;
  /** Side by side, as buttons stand. */
  readonly inRow?: boolean;
}

interface FieldOptions {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly type?: "text" | "email" | "password" | "search" | "date" | "time" | "url" | "number";
  readonly hint?: TemplatePart;
  /** What is wrong with what was entered. */
  readonly problem?: string | null;
  readonly isRequired?: boolean;
  readonly autocomplete?: string;
}

/** A field with its label, a hint, and what is wrong with it. The name serves as the id: one form of a page has it. */
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
    // The first line break of a text area is none of its text.
    (attributes) => html`<label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="6"${attributes}>
${value}</textarea>`,
  );
}

/** One of several: a list to unfold. */
export function selectField({
  choices,
  ...options
}: Pick<FieldOptions, "name" | "label" | "value" | "hint" | "problem"> & {
  readonly choices: readonly { readonly value: string; readonly label: string }[];
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
  }${problem ? html`<p class="problem" id="${name}-problem">${problem}</p>` : null}</div>`;
}

interface ChoiceOptions {
  readonly name: string;
  readonly label: TemplatePart;
  readonly value?: string;
  readonly isOn: boolean;
  readonly hint?: string;
}

/** Something that is on or off. */
export const switchField = (options: ChoiceOptions): Markup => choice("switch", options);

/** One of several that may be chosen together. */
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

/** Something to take along, with a button that copies it where there is a script. */
export const copyField = ({
  id,
  label,
  value,
  about = label,
}: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** What the button copies, where the label alone does not tell it from others of the page. */
  readonly about?: string;
}): Markup =>
  html`<div class="field"><label for="${id}">${label}</label>
<div class="copy"><input id="${id}" value="${value}" readonly spellcheck="false"><button type="button" data-copy="${id}" aria-label="Copy: ${about}" hidden>Copy</button></div></div>`;
