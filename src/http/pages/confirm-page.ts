import { button, card, linkButton } from "./components.ts";
import type { Page } from "./layout.ts";
import { html, type Markup, type TemplatePart } from "./markup-template.ts";

/** What somebody is asked before something is taken away. */
export interface ConfirmQuestion {
  /** "End the feed …?" */
  readonly title: string;
  /** What happens, what depends on it, and whether it can be undone. */
  readonly body: TemplatePart;
  /** What the button that does it says. */
  readonly label: string;
  /** Where it leads who does not want to. */
  readonly back: string;
}

/** Asks before a press is carried out. It works without a script. `fields`: what the form brings back to the same address. */
export function confirmPage(
  { title, body, label, back }: ConfirmQuestion,
  fields: readonly (readonly [name: string, value: string])[],
): Page {
  const kept = fields.map(
    ([name, value]): Markup => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return {
    title,
    width: "narrow",
    body: card({
      title: null,
      body: html`<div class="stack">${body}</div>
<form method="post" class="row">${kept}${button(label, { tone: "bad" })}${linkButton("Cancel", back)}</form>`,
    }),
  };
}
