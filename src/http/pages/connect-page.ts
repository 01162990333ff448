import type { Viewer } from "../../domain/visibility.ts";
import type { PersonDescription } from "../../people/people.ts";
import { say } from "../../texts/say.ts";
import { type CalendarProgram, calendarPrograms } from "./calendar-programs.ts";
import { button, card, copyField, linkButton, notice, postForm } from "./components.ts";
import type { Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";
import { agoInWords } from "./page-times.ts";
import { isReachable } from "./subscribe-links.ts";

/** How many calendars phones have subscribed to by push, and seconds since the last message; null if none was sent yet. */
export interface PushState {
  readonly calendars: number;
  readonly sentAgo: number | null;
}

interface ConnectPageData {
  readonly viewer: Viewer;
  /** The calendars' owner; null if no person is known yet. */
  readonly person: PersonDescription | null;
  /** People an admin may choose from; otherwise empty. */
  readonly people: readonly PersonDescription[];
  readonly baseUrl: string;
  /** QR codes: the iPhone's profile, and the link that opens DAVx5; null without a person, or without https. */
  readonly codes: { readonly apple: Markup | null; readonly davx5: Markup | null };
  /** Null without a person, or if push is off. */
  readonly push: PushState | null;
  readonly formToken: string;
}

/** How to connect calendar programs that can edit. */
export function connectPage(data: ConnectPageData): Page {
  const { person, people, baseUrl } = data;
  const server = `${baseUrl}/dav/`;
  const jumps = calendarPrograms(server).map(
    ({ id, label }) => html`<li><a href="#${id}">${label}</a></li>`,
  );
  return {
    title: say("connect.title"),
    current: "connect",
    lead: say("connect.lead"),
    body: html`${people.length < 2 ? null : chooser(people, person)}
${person === null ? notice("info", html`<p>${say("connect.noPeople")}</p>`) : card({ title: say("connect.settings"), id: "fields", body: threeFields({ ...data, person, server }) })}
${unreachable(server)}
<nav aria-label="${say("connect.programs")}"><ul class="jumps">${jumps}</ul></nav>
<div class="cards">${calendarPrograms(server).map((program) =>
      card({
        title: program.label,
        id: program.id,
        body: programBody(program, { ...data, server }),
      }),
    )}</div>`,
  };
}

function chooser(people: readonly PersonDescription[], person: PersonDescription | null): Markup {
  const options = people.map(
    ({ id, name }) =>
      html`<option value="${id}"${id === person?.id ? html` selected` : null}>${name}</option>`,
  );
  return html`<form method="get" action="connect" class="row"><label for="person">${say("connect.for")}</label> <select id="person" name="person">${options}</select> <button>${say("action.show")}</button></form>`;
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
  const has = hasPassword ? say("connect.has") : say("connect.hasNone");
  const own = isAdmin ? null : ` ${say("connect.alsoHere")}`;
  return html`<div class="stack">${copyField({ id: "server", label: say("password.server"), value: server })}
${copyField({ id: "user", label: say("password.user"), value: person.login })}
<div class="field"><p class="title" id="password">${say("password.app")}</p><p class="hint">${has}${own}</p>
${postForm(
  {
    action: isAdmin ? `people/${person.id}/password` : "me/password",
    formToken,
  },
  button(hasPassword ? say("password.newTitle") : say("password.create"), {
    tone: hasPassword ? null : "main",
  }),
)}</div>
${person.calendars === "read" ? notice("info", html`<p>${say("connect.readOnly")}</p>`) : null}</div>`;
}

function programBody(
  { id, label, steps, asks }: CalendarProgram,
  {
    person,
    server,
    codes,
    push,
  }: Pick<ConnectPageData, "person" | "codes" | "push"> & { readonly server: string },
): Markup {
  const said = html`<ol class="numbered">${steps.map((text) => html`<li>${stepMarkup(text)}</li>`)}</ol>`;
  if (!asks) return html`${said}<p>${linkButton(say("connect.chooseFeed"), "feeds")}</p>`;
  const copied = (part: string, { name, value }: { name: string; value: string }) =>
    copyField({ id: `${id}-${part}`, label: name, value, about: `${label}: ${name}` });
  const fields =
    person &&
    html`${copied("server", {
      name: asks.server,
      value: asks.isHost ? new URL(server).host : server,
    })}${copied("user", { name: asks.user, value: person.login })}
<p class="hint">${sayHtml("connect.password", { link: (text) => html`<a href="#password">${text}</a>` })}</p>`;
  return html`<div class="stack">${id === "apple" && person ? appleProfile(person, codes.apple) : null}${id === "davx5" ? androidLink(server, codes.davx5) : null}${said}${fields}${id === "davx5" && push ? pushLine(push) : null}</div>`;
}

function appleProfile({ id }: PersonDescription, code: Markup | null): Markup {
  const path = `people/${id}/dayferry.mobileconfig`;
  return html`<div class="beside"><div class="stack"><p>${linkButton(say("connect.getProfile"), path, { isMain: true })}</p>
<p class="hint">${sayHtml("connect.profileHint", { em: (text) => html`<em>${text}</em>` })}</p></div>${picture(code, say("connect.scanIphone"))}</div>
<p>${say("connect.byHand")}</p>`;
}

const picture = (code: Markup | null, caption: string): Markup | null =>
  code && html`<figure>${code}<figcaption>${caption}</figcaption></figure>`;

/** Opens DAVx5 with the server's address. It uses https for any address. Source: DAVx5 manual, Integration. */
function androidLink(server: string, code: Markup | null): Markup | null {
  if (code === null) return null;
  return html`<div class="beside"><p>${linkButton(say("connect.openDavx5"), davx5Link(server), { isMain: true })}</p>${picture(code, say("connect.scanPhone"))}</div>`;
}

function pushLine({ calendars, sentAgo }: PushState): Markup {
  if (calendars === 0) return html`<p class="hint">${say("connect.noPush")}</p>`;
  const last =
    sentAgo === null ? null : ` ${say("connect.lastPush", { ago: agoInWords(sentAgo) })}`;
  return html`<p>${say("connect.push", { count: calendars })}${last}</p>`;
}

/** A link that opens DAVx5 on Android with a server's address. */
export const davx5Link = (server: string): string => server.replace(/^https:/, "davx5:");

function unreachable(server: string): Markup | null {
  if (isReachable(server)) return null;
  return notice(
    "wait",
    html`<p>${sayHtml("connect.unreachable", { code: (text) => html`<code>${text}</code>` })}</p>`,
  );
}

/** Text with URLs in backticks and names in asterisks. */
function stepMarkup(text: string): Markup {
  const parts = text.split(/(`[^`]+`|\*[^*]+\*)/);
  return html`${parts.map((part) => {
    if (part.startsWith("`")) return html`<code class="address">${part.slice(1, -1)}</code>`;
    return part.startsWith("*") ? html`<em>${part.slice(1, -1)}</em>` : part;
  })}`;
}
