import type { Viewer } from "../../domain/visibility.ts";
import type { PersonDescription } from "../../people/people.ts";
import { type CalendarProgram, calendarPrograms } from "./calendar-programs.ts";
import { button, card, copyField, linkButton, notice, postForm } from "./components.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";
import { isReachable } from "./subscribe-links.ts";

interface ConnectPageData {
  readonly viewer: Viewer;
  /** The calendars' owner; null if nobody is known yet. */
  readonly person: PersonDescription | null;
  /** People an admin may choose from; otherwise empty. */
  readonly people: readonly PersonDescription[];
  readonly baseUrl: string;
  /** The QR code of the server's URL. */
  readonly qr: Markup;
  readonly formToken: string;
}

/** How to connect calendar programs that can edit. */
export function connectPage(data: ConnectPageData): Page {
  const { person, people, baseUrl } = data;
  const server = `${baseUrl}/dav/`;
  const jumps = calendarPrograms.map(
    ({ id, label }) => html`<li><a href="#${id}">${label}</a></li>`,
  );
  return {
    title: "Connect a program",
    current: "connect",
    lead: "View and edit your calendars in your own program. Changes reach the workspace within seconds.",
    body: html`${people.length < 2 ? null : chooser(people, person)}
${person === null ? notice("info", html`<p>No people yet. They appear during the first sync.</p>`) : card({ title: "Account settings", id: "fields", body: threeFields({ ...data, person, server }) })}
${unreachable(server)}
<nav aria-label="Programs"><ul class="jumps">${jumps}</ul></nav>
<div class="cards">${calendarPrograms.map((program) =>
      card({
        title: program.label,
        id: program.id,
        body: programBody(program, person, server),
      }),
    )}</div>`,
  };
}

function chooser(people: readonly PersonDescription[], person: PersonDescription | null): Markup {
  const options = people.map(
    ({ id, name }) =>
      html`<option value="${id}"${id === person?.id ? html` selected` : null}>${name}</option>`,
  );
  return html`<form method="get" action="connect" class="row"><label for="person">For</label> <select id="person" name="person">${options}</select> <button>Show</button></form>`;
}

function threeFields({
  viewer,
  person,
  server,
  qr,
  formToken,
}: ConnectPageData & {
  readonly person: PersonDescription;
  readonly server: string;
}): Markup {
  const isAdmin = viewer.kind === "admin";
  const { hasPassword } = person;
  const has = hasPassword
    ? "One has been set; it was shown once, and cannot be shown again. A new one ends it in every program that uses it."
    : "None has been set yet. It is shown once, with the other two.";
  const own = isAdmin ? null : " It is the one with which you log in here.";
  return html`<div class="beside"><div class="stack">${copyField({ id: "server", label: "Server", value: server })}
${copyField({ id: "user", label: "User name", value: person.login })}
<div class="field"><p class="title" id="password">App password</p><p class="hint">${has}${own}</p>
${postForm(
  {
    action: isAdmin ? `people/${person.id}/password` : "me/password",
    formToken,
  },
  button(hasPassword ? "New app password" : "Create app password", {
    tone: hasPassword ? null : "main",
  }),
)}</div>
${person.calendars === "read" ? notice("info", html`<p>These calendars are read-only.</p>`) : null}</div>
<figure>${qr}<figcaption>A code of the server's address for the phone's camera</figcaption></figure></div>`;
}

function programBody(
  { id, label, by, steps, asks }: CalendarProgram,
  person: PersonDescription | null,
  server: string,
): Markup {
  const said = steps.map((text) => html`<p>${stepMarkup(text, server)}</p>`);
  if (by === "feed") return html`${said}<p>${linkButton("Feeds", "feeds")}</p>`;
  const copied = (part: string, { name, value }: { name: string; value: string }) =>
    copyField({ id: `${id}-${part}`, label: name, value, about: `${label}: ${name}` });
  const fields =
    asks && person
      ? html`${copied("server", {
          name: asks.server,
          value: asks.isHost ? new URL(server).host : server,
        })}${copied("user", { name: asks.user, value: person.login })}
<p class="hint">Password: the <a href="#password">app password</a>.</p>`
      : null;
  return html`<div class="stack">${id === "apple" && person ? appleProfile(person) : null}${said}${fields}</div>`;
}

function appleProfile({ id }: PersonDescription): Markup {
  const path = `people/${id}/dayferry.mobileconfig`;
  return html`<p>${linkButton("Get the profile", path, { isMain: true })}</p>
<p>It contains everything except the password. Open it on the device: on an iPhone or iPad under Settings → Profile Downloaded, on a Mac under System Settings → Device Management. By hand:</p>`;
}

function unreachable(server: string): Markup | null {
  if (isReachable(server)) return null;
  return notice(
    "wait",
    html`<p>Programs on other machines need an HTTPS address of this server (<code>http.publicUrl</code>). Apple programs send no password without HTTPS.</p>`,
  );
}

/** Text with URLs in backticks and names in asterisks. */
function stepMarkup(text: string, server: string): Markup {
  const parts = text.replaceAll("{server}", server).split(/(`[^`]+`|\*[^*]+\*)/);
  return html`${parts.map((part) => {
    if (part.startsWith("`")) return html`<code class="address">${part.slice(1, -1)}</code>`;
    return part.startsWith("*") ? html`<em>${part.slice(1, -1)}</em>` : part;
  })}`;
}
