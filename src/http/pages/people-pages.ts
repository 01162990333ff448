import type { PersonDescription } from "../../people/people.ts";
import { say } from "../../texts/say.ts";
import { copyField } from "./components.ts";
import type { Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

/** Shows a new app password once, by default at `/people/<id>/password`. */
export function passwordPage({
  person,
  password,
  baseUrl,
  profile = "dayferry.mobileconfig",
  back = "../../people",
  connect = `../../connect?person=${person.id}`,
}: {
  readonly person: PersonDescription;
  readonly password: string;
  readonly baseUrl: string;
  /** URL of the profile for Apple's programs, and where to continue. */
  readonly profile?: string;
  readonly back?: string;
  /** URL of the instructions for each program. */
  readonly connect?: string;
}): Page {
  return {
    title: say("password.newTitle"),
    width: "narrow",
    body: html`<div class="card"><p>${sayHtml("password.once", { person: html`<bdi>${person.name}</bdi>` })}</p>
${copyField({ id: "server", label: say("password.server"), value: `${baseUrl}/dav/` })}
${copyField({ id: "user", label: say("password.user"), value: person.login })}
${copyField({ id: "password", label: say("password.password"), value: password })}
<p>${sayHtml("password.enter", { profile: link(profile), connect: link(connect) })}</p>
<p class="quiet">${sayHtml("password.type", { password: html`<strong>${password}</strong>` })} <a href="${back}">${say("action.back")}</a></p></div>`,
  };
}

const link =
  (href: string) =>
  (text: string): Markup =>
    html`<a href="${href}">${text}</a>`;

/** Says why something was not done. `root`: relative URL of the start page. */
export function notDonePage(reason: string, root: string): Page {
  return {
    title: say("error.409"),
    width: "narrow",
    body: html`<div class="card"><p class="problem">${reason}</p>\n<p><a href="${root}">${say("action.back")}</a></p></div>`,
  };
}
