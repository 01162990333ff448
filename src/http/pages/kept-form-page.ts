import { say } from "../../texts/say.ts";
import type { KeptForm } from "../kept-form.ts";
import { button, card, facts, linkButton, notice } from "./components.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** Asks whether to submit an earlier form after all; `formToken`: of the present session. */
export function keptFormPage({
  kept,
  formToken,
  root,
}: {
  readonly kept: KeptForm;
  readonly formToken: string;
  readonly root: string;
}): Page {
  const typed = kept.fields.filter(([name, value]) => isTyped(name, value));
  const body = html`${notice("info", say("keptForm.ended"))}
${card({
  title: null,
  body: html`${facts(typed.map(([name, value]) => [inWords(name), html`<bdi>${value}</bdi>`]))}
${keptFormAgain({ kept, formToken, root, label: say("keptForm.sendNow") })}
<p class="row">${linkButton(say("action.discard"), root)}</p>`,
})}`;
  return { title: say("keptForm.title"), width: "narrow", body };
}

/** The form as received; without a session's token it is asked about again. */
export const keptFormAgain = ({
  kept,
  formToken,
  root,
  label,
}: {
  readonly kept: KeptForm;
  readonly formToken: string;
  readonly root: string;
  readonly label: string;
}): Markup =>
  html`<form method="post" action="${root}${kept.to}"><input type="hidden" name="form" value="${formToken}">${kept.fields.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${button(label, { tone: "main" })}</form>`;

/** Ids and internal fields mean nothing to people. */
const isTyped = (name: string, value: string): boolean =>
  value !== "" && !/^\d+$/.test(value) && !ofTheForm.has(name);

const ofTheForm: ReadonlySet<string> = new Set(["has", "step", "once", "of", "do", "off", "on"]);

/** \`startOn\` is "Start on". */
const inWords = (name: string): string => {
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
