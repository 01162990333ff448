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
    title: "Set Dayferry up",
    width: "narrow",
    lead: "Four answers, which are tried against the service before anything is written.",
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
          hint: "It ends with the version, as in https://company.example.com/api/v3",
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
      ? "Of an account that sees the projects whose dates are to be shown."
      : "The one that was given stays unless you enter another.",
  problem: problemOf("apiKey"),
})}
${field({
  name: "contact",
  label: "Your e-mail address",
  value: answers.contact,
  isRequired: true,
  hint: "The service wants to know whom to write to; it is sent with each request.",
  problem: problemOf("contact"),
})}
${field({
  name: "timeZone",
  label: "Time zone of the account",
  value: answers.timeZone,
  isRequired: true,
  hint: "As in Europe/Berlin: the service writes times without a zone, and means this one.",
  problem: problemOf("timeZone"),
})}
<p class="row">${button("Try it", { tone: "main" })}</p>`,
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
${radio("all", { label: `All ${open.length}, and those of later`, isOn: chosen.isAll })}
${radio("some", { label: "These alone:", isOn: !chosen.isAll })}
${open.map(({ id, title }) => checkbox({ name: "project", value: String(id), label: html`<bdi>${title}</bdi>`, isOn: chosen.ticked.has(id) }))}</fieldset>`;
  return {
    title: "The service answers",
    width: "narrow",
    body: html`${said && notice(said.isRight ? "good" : "bad", `${said.said.charAt(0).toUpperCase()}${said.said.slice(1)}`)}
${card({
  title: "Found",
  body: html`<ul>${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`,
})}
${card({
  title: "Is the time zone right?",
  body: html`<p>The service's answers do not name a zone. Use a test event: Dayferry creates a private one for tomorrow noon, checks which time comes back, and deletes it at once.</p>
${postForm({ action: "zone", formToken }, button(`Prove ${answers.timeZone} with a test event`))}`,
})}
${card({
  title: "Finish",
  body: postForm(
    { action: "finish", formToken },
    html`${choice}${
      asksToReplace
        ? checkbox({ name: "replace", label: "Replace the files that are there", isOn: false })
        : null
    }
<p class="row">${button("Write config.json and start", { tone: "main", name: "way", value: "write" })}
${button("Only give me config.json", { name: "way", value: "show" })}</p>
<p class="hint">Written are config.json and secrets/api-key in the folder in which serve runs, for its user's eyes alone.</p>`,
  ),
})}
<p><a href="../setup">Change the answers</a></p>`,
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
<p>Dayferry starts at this address now, and reads the workspace. Log in with the admin token, which is in</p>
<p class="address">${adminToken}</p>
<p><a class="button main" href="../login">Go on to the log-in</a></p></div>`,
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
