import type { Project } from "../../domain/item.ts";
import { asSentence } from "../../domain/text.ts";
import { say } from "../../texts/say.ts";
import { button, card, checkbox, field, notice, postForm } from "./components.ts";
import type { Page } from "./layout.ts";
import { html, sayHtml } from "./markup-template.ts";

/** The answers of the set-up form. */
export interface SetupAnswers {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly contact: string;
  readonly timeZone: string;
}

interface Faults {
  readonly faults: readonly {
    readonly field: keyof SetupAnswers | null;
    readonly problem: string;
  }[];
}

/** Asks for what Dayferry cannot know, and shows each answer's error. */
export function setupPage({
  answers,
  faults,
  formToken,
}: Faults & { readonly answers: SetupAnswers; readonly formToken: string }): Page {
  const problemOf = (name: keyof SetupAnswers) =>
    faults.find((fault) => fault.field === name)?.problem ?? null;
  const common = faults.filter((fault) => fault.field === null);
  return {
    title: say("setup.title"),
    width: "narrow",
    scripts: ["setup"],
    lead: say("setup.lead"),
    body: html`${common.map(({ problem }) => notice("bad", asSentence(problem)))}${card({
      title: null,
      body: postForm(
        { action: "setup", formToken },
        html`${field({
          name: "baseUrl",
          label: say("setup.address"),
          value: answers.baseUrl,
          type: "url",
          isRequired: true,
          hint: say("setup.addressHint"),
          problem: problemOf("baseUrl"),
        })}
${field({
  name: "apiKey",
  label: say("setup.apiKey"),
  type: "password",
  isRequired: answers.apiKey === "",
  autocomplete: "off",
  hint: answers.apiKey === "" ? say("setup.keyHint") : say("setup.keyKept"),
  problem: problemOf("apiKey"),
})}
${field({
  name: "contact",
  label: say("setup.contact"),
  value: answers.contact,
  isRequired: true,
  hint: say("setup.contactHint"),
  problem: problemOf("contact"),
})}
${field({
  name: "timeZone",
  label: say("setup.zone"),
  value: answers.timeZone,
  isRequired: true,
  hint: say("setup.zoneHint"),
  problem: problemOf("timeZone"),
})}
<p id="check" role="status"></p>
<p class="row">${button(say("setup.test"), { tone: "main" })}</p>`,
      ),
    })}`,
  };
}

/** The chosen projects: all of them, or the ticked ones. */
export interface ChosenProjects {
  readonly isAll: boolean;
  readonly ticked: ReadonlySet<number>;
}

/** What was found, with a choice of projects, and the resulting configuration. */
export function setupResultPage({
  answers,
  trial: { projects, facts },
  said,
  formToken,
  chosen = { isAll: true, ticked: new Set() },
  asksToReplace = false,
}: {
  readonly answers: SetupAnswers;
  readonly trial: {
    readonly projects: readonly Project[] | null;
    readonly facts: readonly string[];
  };
  readonly said: { readonly isRight: boolean; readonly said: string } | null;
  readonly formToken: string;
  readonly chosen?: ChosenProjects;
  readonly asksToReplace?: boolean;
}): Page {
  const open = (projects ?? []).filter(({ archived }) => !archived);
  const choice =
    projects === null
      ? null
      : html`<fieldset><legend>${say("word.projects")}</legend>
${radio("all", { label: say("setup.all", { count: open.length }), isOn: chosen.isAll })}
${radio("some", { label: say("setup.onlyThese"), isOn: !chosen.isAll })}
${open.map(({ id, title }) => checkbox({ name: "project", value: String(id), label: html`<bdi>${title}</bdi>`, isOn: chosen.ticked.has(id) }))}</fieldset>`;
  return {
    title: say("setup.works"),
    width: "narrow",
    body: html`${said && notice(said.isRight ? "good" : "bad", asSentence(said.said))}
${card({
  title: say("setup.found"),
  body: html`<ul>${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`,
})}
${card({
  title: say("setup.checkZone"),
  body: html`<p>${say("setup.checkZoneText")}</p>
${postForm({ action: "zone", formToken }, button(say("setup.checkWith", { zone: answers.timeZone })))}`,
})}
${card({
  title: say("setup.finish"),
  body: postForm(
    { action: "finish", formToken },
    html`${choice}${
      asksToReplace ? checkbox({ name: "replace", label: say("setup.replace"), isOn: false }) : null
    }
<p class="row">${button(say("setup.save"), { tone: "main", name: "way", value: "write" })}
${button(say("setup.download"), { name: "way", value: "show" })}</p>
<p class="hint">${say("setup.writes")}</p>`,
  ),
})}
<p><a href="../setup">${say("setup.change")}</a></p>`,
  };
}

const radio = (
  value: string,
  { label, isOn }: { readonly label: string; readonly isOn: boolean },
) =>
  html`<div class="choice"><input type="radio" id="projects-${value}" name="projects" value="${value}"${
    isOn ? html` checked` : null
  }><div><label for="projects-${value}">${label}</label></div></div>`;

/** Says that everything is written, and where to continue. */
export function doneSetupPage(files: readonly string[], adminToken: string): Page {
  return {
    title: say("setup.done"),
    width: "narrow",
    body: html`<div class="card"><p>${say("setup.written")}</p>
<ul>${files.map((file) => html`<li class="address">${file}</li>`)}</ul>
<p>${say("setup.starts")}</p>
<p class="address">${adminToken}</p>
<p><a class="button main" href="../login?next=connect">${say("setup.logIn")}</a></p></div>`,
  };
}

/** Says how to open the set-up. */
export const refusedSetupPage = (why: "missing" | "used"): Page => ({
  title: say("setup.openLink"),
  width: "narrow",
  body: html`<div class="card"><p>${sayHtml(why === "used" ? "setup.notYetUsed" : "setup.notYet", { code: (text) => html`<code>${text}</code>` })}</p></div>`,
});
