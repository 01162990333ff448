import { say } from "../../texts/say.ts";
import type { KeptForm } from "../kept-form.ts";
import { button, card, facts, hiddenInputs, linkButton, notice } from "./components.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** An earlier form; `formToken`: of the present session. */
interface KeptPlace extends Pick<FormFrame, "root" | "formToken"> {
  readonly kept: KeptForm;
}

/** Asks whether to submit an earlier form after all. */
export function keptFormPage(place: KeptPlace): Page {
  const { kept, root } = place;
  const typed = kept.fields.filter(([name, value]) => isTyped(name, value));
  const body = html`${notice("info", say("keptForm.ended"))}
${card({
  title: null,
  body: html`${facts(typed.map(([name, value]) => [inWords(name), html`<bdi>${value}</bdi>`]))}
${keptFormAgain(place, say("keptForm.sendNow"))}
<p class="row">${linkButton(say("action.discard"), root)}</p>`,
})}`;
  return { title: say("keptForm.title"), width: "narrow", body };
}

/** The form as received; without a session's token it is asked about again. */
export const keptFormAgain = ({ kept, formToken, root }: KeptPlace, label: string): Markup =>
  html`<form method="post" action="${root}${kept.to}"><input type="hidden" name="form" value="${formToken}">${hiddenInputs(kept.fields)}${button(label, { tone: "main" })}</form>`;

/** Ids and internal fields mean nothing to people. */
const isTyped = (name: string, value: string): boolean =>
  value !== "" && !/^\d+$/.test(value) && !ofTheForm.has(name);

const ofTheForm: ReadonlySet<string> = new Set(["has", "step", "once", "of", "do", "off", "on"]);

/** \`startOn\` is "Start on". */
const inWords = (name: string): string => {
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
