import type { PersonDescription } from "../../people/people.ts";
import { copyField } from "./components.ts";
import type { Page } from "./layout.ts";
import { html } from "./markup-template.ts";

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
    title: "New app password",
    width: "narrow",
    body: html`<div class="card"><p>For <bdi>${person.name}</bdi>. It is shown only once. An older password has ended.</p>
${copyField({ id: "server", label: "Server", value: `${baseUrl}/dav/` })}
${copyField({ id: "user", label: "User name", value: person.login })}
${copyField({ id: "password", label: "Password", value: password })}
<p>Enter these values in the calendar program as a CalDAV account. On an iPhone, iPad or Mac the
<a href="${profile}">profile</a> fills in everything but the password. <a href="${connect}">What each program asks for</a>
is under Connect.</p>
<p class="quiet">To type it: <strong>${password}</strong>. Case, spaces and dashes are ignored. <a href="${back}">Back</a></p></div>`,
  };
}

/** Says why something was not done. `root`: relative URL of the start page. */
export function notDonePage(reason: string, root: string): Page {
  return {
    title: "Not done",
    width: "narrow",
    body: html`<div class="card"><p class="problem">${reason}</p>\n<p><a href="${root}">Back</a></p></div>`,
  };
}
