import type { PersonDescription } from "../../people/people.ts";
import { say } from "../../texts/say.ts";
import { copyField } from "./components.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

interface NewPassword extends Pick<FormFrame, "root"> {
  readonly person: PersonDescription;
  readonly password: string;
  /** True if the viewer is that person. */
  readonly isOwn: boolean;
}

/** Shows a new app password once. */
export function passwordPage(
  { person, password, isOwn, root }: NewPassword,
  baseUrl: string,
): Page {
  const profile = `${root}people/${person.id}/dayferry.mobileconfig`;
  const back = `${root}${isOwn ? "me" : "people"}`;
  const connect = `${root}connect${isOwn ? "" : `?person=${person.id}`}`;
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
