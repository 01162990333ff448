import type { Project } from "../../domain/item.ts";
import { button, card, checkbox, field, notice, postForm } from "./components.ts";
import type { Page } from "./layout.ts";
import { html } from "./markup-template.ts";

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
    title: "Set up Dayferry",
    width: "narrow",
    scripts: ["setup"],
    lead: "Four settings. Dayferry tests them before it saves anything.",
    body: html`${common.map(({ problem }) => notice("bad", problem))}${card({
      title: null,
      body: postForm(
        { action: "setup", formToken },
        html`${field({
          name: "baseUrl",
          label: "Address of the service",
          value: answers.baseUrl,
          type: "url",
          isRequired: true,
          hint: "Including the version, for example https://company.example.com/api/v3",
          problem: problemOf("baseUrl"),
        })}
${field({
  name: "apiKey",
  label: "API key",
  type: "password",
  isRequired: answers.apiKey === "",
  autocomplete: "off",
  hint:
    answers.apiKey === ""
      ? "From an account that sees the projects you want in calendars."
      : "Leave it empty to keep the key that you entered.",
  problem: problemOf("apiKey"),
})}
${field({
  name: "contact",
  label: "Your e-mail address",
  value: answers.contact,
  isRequired: true,
  hint: "The service requires a contact address. It is sent with each request.",
  problem: problemOf("contact"),
})}
${field({
  name: "timeZone",
  label: "Time zone of the account",
  value: answers.timeZone,
  isRequired: true,
  hint: "As in the account's settings, for example Europe/Berlin. The service sends times without a zone.",
  problem: problemOf("timeZone"),
})}
<p id="check" role="status"></p>
<p class="row">${button("Test", { tone: "main" })}</p>`,
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
      : html`<fieldset><legend>Projects</legend>
${radio("all", { label: `All ${open.length}, and new ones`, isOn: chosen.isAll })}
${radio("some", { label: "Only these:", isOn: !chosen.isAll })}
${open.map(({ id, title }) => checkbox({ name: "project", value: String(id), label: html`<bdi>${title}</bdi>`, isOn: chosen.ticked.has(id) }))}</fieldset>`;
  return {
    title: "Connection works",
    width: "narrow",
    body: html`${said && notice(said.isRight ? "good" : "bad", `${said.said.charAt(0).toUpperCase()}${said.said.slice(1)}`)}
${card({
  title: "Found",
  body: html`<ul>${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`,
})}
${card({
  title: "Check the time zone",
  body: html`<p>The service does not name its time zone. Dayferry can check it: it creates a private event for tomorrow noon, reads its time and deletes it.</p>
${postForm({ action: "zone", formToken }, button(`Check ${answers.timeZone} with a test event`))}`,
})}
${card({
  title: "Finish",
  body: postForm(
    { action: "finish", formToken },
    html`${choice}${
      asksToReplace
        ? checkbox({ name: "replace", label: "Replace existing files", isOn: false })
        : null
    }
<p class="row">${button("Save and start", { tone: "main", name: "way", value: "write" })}
${button("Download config.json", { name: "way", value: "show" })}</p>
<p class="hint">Writes config.json and secrets/api-key to the working directory, readable only by the current user.</p>`,
  ),
})}
<p><a href="../setup">Change settings</a></p>`,
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
export function doneSetupPage({
  files,
  adminToken,
}: {
  readonly files: readonly string[];
  /** Its URL. */
  readonly adminToken: string;
}): Page {
  return {
    title: "Dayferry is set up",
    width: "narrow",
    body: html`<div class="card"><p>These files were written:</p>
<ul>${files.map((file) => html`<li class="address">${file}</li>`)}</ul>
<p>Dayferry starts now at this address. The admin token is in this file:</p>
<p class="address">${adminToken}</p>
<p><a class="button main" href="../login?next=connect">Log in and connect a calendar</a></p></div>`,
  };
}

/** Says how to get in. */
export const refusedSetupPage = (why: "missing" | "used"): Page => ({
  title: "Open the set-up link",
  width: "narrow",
  body: html`<div class="card"><p>Dayferry is not set up yet. ${
    why === "used"
      ? html`The link that <code>serve</code> printed was used already. Start <code>serve</code> again to get a new one.`
      : html`Open the link that <code>serve</code> has printed: it holds a token.`
  }</p></div>`,
});
