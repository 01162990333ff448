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
  /** QR codes: the iPhone's profile, and the link that opens DAVx5; null without a person, or without https. */
  readonly codes: { readonly apple: Markup | null; readonly davx5: Markup | null };
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
        body: programBody(program, { person, server, codes: data.codes }),
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
  formToken,
}: ConnectPageData & {
  readonly person: PersonDescription;
  readonly server: string;
}): Markup {
  const isAdmin = viewer.kind === "admin";
  const { hasPassword } = person;
  const has = hasPassword
    ? "A password is set. It was shown once; a new one signs out every connected program."
    : "No password yet. It is shown once.";
  const own = isAdmin ? null : " You also sign in here with it.";
  return html`<div class="stack">${copyField({ id: "server", label: "Server", value: server })}
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
${person.calendars === "read" ? notice("info", html`<p>These calendars are read-only.</p>`) : null}</div>`;
}

function programBody(
  { id, label, by, steps, asks }: CalendarProgram,
  {
    person,
    server,
    codes,
  }: Pick<ConnectPageData, "person" | "codes"> & { readonly server: string },
): Markup {
  const said = html`<ol class="numbered">${steps.map((text) => html`<li>${stepMarkup(text, server)}</li>`)}</ol>`;
  if (by === "feed") return html`${said}<p>${linkButton("Choose a feed", "feeds")}</p>`;
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
  return html`<div class="stack">${id === "apple" && person ? appleProfile(person, codes.apple) : null}${id === "davx5" ? androidLink(server, codes.davx5) : null}${said}${fields}</div>`;
}

function appleProfile({ id }: PersonDescription, code: Markup | null): Markup {
  const path = `people/${id}/dayferry.mobileconfig`;
  return html`<div class="beside"><div class="stack"><p>${linkButton("Get the profile", path, { isMain: true })}</p>
<p class="hint">It has all settings but the password. Open it under <em>Settings</em>, <em>Profile Downloaded</em> (Mac: <em>System Settings</em>, <em>Device Management</em>).</p></div>${picture(code, "Scan with the iPhone, and sign in")}</div>
<p>Or by hand:</p>`;
}

const picture = (code: Markup | null, caption: string): Markup | null =>
  code && html`<figure>${code}<figcaption>${caption}</figcaption></figure>`;

/** Opens DAVx5 with the server's address. It takes any address as https. Source: DAVx5 manual, Integration. */
function androidLink(server: string, code: Markup | null): Markup | null {
  if (code === null) return null;
  return html`<div class="beside"><p>${linkButton("Open DAVx5", davx5Link(server), { isMain: true })}</p>${picture(code, "Scan with the phone")}</div>`;
}

/** A link that opens DAVx5 on Android with a server's address. */
export const davx5Link = (server: string): string => server.replace(/^https:/, "davx5:");

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
