import type { PersonDescription } from "../../people/people.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** Where calendar programs find the two-way calendars, and each person's way to them. */
export function peopleList(
  people: readonly PersonDescription[],
  { baseUrl, formToken }: { readonly baseUrl: string; readonly formToken: string },
): Markup {
  const active = people.filter(({ suspended }) => !suspended);
  const rows = active.map((person) => personCard(person, formToken));
  return html`<h2 id="people">Calendars you can edit</h2>
<p>Calendar programs that speak CalDAV show and change the calendars of one person at this address:</p>
<p class="address">${baseUrl}/dav/</p>
${rows.length > 0 ? html`<ul class="cards">${rows}</ul>` : html`<p class="quiet">No person is known yet.</p>`}`;
}

/** Shows a new app password, this once, where it was asked for: at `/people/<id>/password`. */
export function passwordPage({
  person,
  password,
  baseUrl,
}: {
  readonly person: PersonDescription;
  readonly password: string;
  readonly baseUrl: string;
}): Page {
  return {
    title: "Dayferry: new app password",
    body: html`<main class="card"><h1>New app password</h1>
<p>For <bdi>${person.name}</bdi>. It is shown this once; an older one has ended.</p>
<dl><dt>Server</dt><dd class="address">${baseUrl}/dav/</dd>
<dt>User name</dt><dd class="address">${person.login}</dd>
<dt>Password</dt><dd class="address"><strong>${password}</strong></dd></dl>
<p>Enter these three in the calendar program as a CalDAV account. On an iPhone, iPad or Mac the
<a href="dayferry.mobileconfig">profile</a> fills in everything but the password.</p>
<p class="quiet">Capitals, spaces and dashes do not matter. <a href="../../">Back</a></p></main>`,
  };
}

/** Says why something was not done. `root` leads to the start page. */
export function notDonePage(reason: string, root: string): Page {
  return {
    title: "Dayferry: not done",
    body: html`<main class="card"><h1>Not done</h1>\n<p class="problem">${reason}</p>\n<p><a href="${root}">Back</a></p></main>`,
  };
}

function personCard(person: PersonDescription, formToken: string): Markup {
  const { id, name, login, hasPassword, calendars } = person;
  const state = hasPassword ? "has an app password" : "has no app password yet";
  const access = calendars === "read" ? ", may only read" : "";
  const clear = html`<button formaction="people/${id}/password/clear">Clear the password</button>`;
  return html`<li><p class="title"><bdi>${name}</bdi></p>
<p class="quiet">User name <bdi>${login}</bdi>; ${state}${access}</p>
<form method="post" class="row"><input type="hidden" name="form" value="${formToken}"><button formaction="people/${id}/password">Set a new app password</button>${
    hasPassword ? clear : null
  }<a href="people/${id}/dayferry.mobileconfig">Apple profile</a></form></li>`;
}
