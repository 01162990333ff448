import { say } from "../../texts/say.ts";
import { button, card, hiddenInputs, linkButton } from "./components.ts";
import type { Page } from "./layout.ts";
import { html, type TemplatePart } from "./markup-template.ts";

/** A question before a destructive action. */
export interface ConfirmQuestion {
  /** "End the feed …?" */
  readonly title: string;
  /** What happens, what depends on it, and whether it can be undone. */
  readonly body: TemplatePart;
  /** Label of the button. */
  readonly label: string;
  /** The target of Cancel. */
  readonly back: string;
}

/** Asks before an action is carried out. Works without scripts. `fields`: submitted again to the same URL. */
export function confirmPage(
  { title, body, label, back }: ConfirmQuestion,
  fields: readonly (readonly [name: string, value: string])[],
): Page {
  return {
    title,
    width: "narrow",
    body: card({
      title: null,
      body: html`<div class="stack">${body}</div>
<form method="post" class="row">${hiddenInputs(fields)}${button(label, { tone: "bad" })}${linkButton(say("action.cancel"), back)}</form>`,
    }),
  };
}
