import { escapeHtml } from "../../domain/text.ts";
import { type MessageId, sayParts, type ValuesOf } from "../../texts/say.ts";

/** Safe markup, made by `html` and `sayHtml` only. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Values allowed in a template. */
export type TemplatePart = string | number | null | Markup | readonly TemplatePart[];

/** Template tag: escapes values unless made by this tag; null is empty, lists are joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly TemplatePart[]): Markup {
  const rest = parts.map((part, index) => render(part) + (strings[index + 1] ?? ""));
  return new Markup((strings[0] ?? "") + rest.join(""));
}

/**
 * A message with markup as values. The value for a tag is a function that makes markup from the text inside the tag, as in
 * `sayHtml("feeds.lead", { link: (text) => html`<a href="connect">${text}</a>` })`.
 */
export function sayHtml<Id extends MessageId>(
  id: Id,
  ...[values]: ValuesOf<Id, string | number | Markup | ((text: string) => Markup)>
): Markup {
  return html`${sayParts<Markup>(id, values ?? {})}`;
}

function render(part: TemplatePart): string {
  if (part === null) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return part.map(render).join("");
}
