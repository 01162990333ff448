import { type MailChoice, mailKinds, mailKindWords } from "../../domain/mail-kind.ts";
import type { OutboxMail, OutboxText } from "../../mail/outbox.ts";
import type { PersonDescription } from "../../people/people.ts";
import type { WebhookDescription } from "../../people/webhook-settings.ts";
import type { MailAhead } from "../../reminders/reminders.ts";
import type { MailState, RecentMail } from "../../store/mails/ledger.ts";
import {
  badge,
  button,
  card,
  emptyState,
  folded,
  linkButton,
  notice,
  postForm,
  table,
} from "./components.ts";
import { timeTag } from "./edit-parts.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** A person with their mail settings. */
export interface PersonWithMail {
  readonly person: PersonDescription;
  readonly mails: MailSwitches;
  readonly logIns: number;
  /** Null if reminders are sent by mail only. */
  readonly webhook: WebhookDescription | null;
}

/** Which mails somebody gets: granted by the configuration, and turned off by the person. */
export interface MailSwitches {
  readonly off: readonly MailChoice[];
  readonly granted: Readonly<Record<(typeof mailKinds)[number], boolean>>;
}

export interface PeopleAndMail {
  readonly people: readonly PersonWithMail[];
  readonly state: MailState;
  readonly ahead: readonly MailAhead[];
  readonly recent: readonly (RecentMail & { readonly title: string | null })[];
  /** Null if mails go to a mail server. */
  readonly outbox: readonly OutboxMail[] | null;
  /** The person whose mail settings are expanded. */
  readonly unfolded: PersonDescription["id"] | null;
}

interface Frame {
  readonly root: string;
  readonly formToken: string;
  readonly zone: string;
}

/** People with their sign-in and mail settings; upcoming mails, and the results of sent ones. */
export function peopleAndMailPage(data: PeopleAndMail, frame: Frame): Page {
  const { people, state, ahead, recent, outbox, unfolded } = data;
  const names = new Map(people.map(({ person }) => [person.id, person.name]));
  const nameOf = (id: RecentMail["person"]) =>
    id === null ? "unknown" : (names.get(id) ?? `person ${id}`);
  const trouble = state.problem === null ? null : notice("bad", `Last problem: ${state.problem}`);
  return {
    title: "People and mail",
    current: "people",
    body: html`${trouble}
<h2>People</h2>
<p class="quiet">Calendar programs and this site accept the app password. Creating a new one, or removing it, ends the old one at once.</p>
${people.length > 0 ? html`<ul class="card people">${people.map((each) => personRow(each, { ...frame, isOpen: each.person.id === unfolded }))}</ul>` : noPeople}
${card({ title: "Upcoming mails", id: "ahead", live: ["mail"], body: aheadTable(ahead, nameOf, frame.zone) })}
${card({
  title: "Sent mails",
  id: "sent",
  live: ["mail"],
  aside: html`${state.sent} sent, ${state.deferred} waiting, ${state.rejected} rejected`,
  body: recentTable(recent, { nameOf, ...frame }),
})}
${outbox && card({ title: "Outbox", id: "outbox", live: ["mail"], body: outboxTable(outbox, frame) })}`,
  };
}

const noPeople = emptyState({
  title: "No people yet",
  text: "They appear during the first sync.",
});

type NameOf = (id: RecentMail["person"]) => string;

function personRow(
  { person, mails, logIns, webhook }: PersonWithMail,
  { root, formToken, zone, isOpen }: Frame & { readonly isOpen: boolean },
): Markup {
  const { id, name, login, email, timeZone, suspended, calendars, hasPassword, hasOwnKey } = person;
  const at = `${root}people/${id}`;
  const marks = [
    suspended ? badge("suspended", "bad") : null,
    calendars === "read" ? badge("read-only") : null,
    hasPassword ? badge("app password", "good") : badge("no app password"),
    logIns > 0 ? badge(logIns === 1 ? "logged in" : `logged in ${logIns} times`) : null,
  ];
  const buttons = html`${button(hasPassword ? "New app password" : "Set an app password", { to: `${at}/password` })}${
    hasPassword ? button("Remove app password", { to: `${at}/password/clear`, tone: "bad" }) : null
  }${linkButton("Apple profile", `${at}/dayferry.mobileconfig`)}`;
  return html`<li id="person-${id}"><details${isOpen ? html` open` : null}><summary class="person"><bdi class="title">${name}</bdi>
<bdi class="quiet">${login}</bdi> <span>${marks.map((mark) => mark && html`${mark} `)}</span></summary>
<div class="flow"><dl class="facts"><dt>Mail to</dt><dd><bdi>${email ?? "no address"}</bdi></dd>
<dt>Time zone</dt><dd>${zoneInWords(timeZone, zone)}</dd>
<dt>Edits sent with</dt><dd>${keyInWords(hasOwnKey)}</dd></dl>
${suspended ? null : postForm({ action: null, formToken, inRow: true }, buttons)}
<h3>Mails</h3>
${mailSwitches(mails, { action: `${at}/mails`, formToken })}${webhook && html`<p><a href="${at}/webhook">Reminder delivery…</a> <span class="quiet">${webhook.current === null ? "by mail alone" : webhook.current.host}</span></p>`}</div></details></li>`;
}

/** A person's own zone, or the account's `zone`, marked as such. */
export const zoneInWords = (own: string | null, zone: string): string =>
  own?.replaceAll("_", " ") ?? `${zone.replaceAll("_", " ")}, the account's`;

/** Under whose name the service records somebody's edits. */
export const keyInWords = (hasOwnKey: boolean): string =>
  hasOwnKey ? "their own API key" : "the account's API key";

/** One button per kind of mail. */
export function mailSwitches(
  { off, granted }: MailSwitches,
  { action, formToken }: { readonly action: string; readonly formToken: string },
): Markup {
  const isNone = off.includes("all");
  const rows = mailKinds.map((kind) => {
    const words = mailKindWords[kind];
    const isOn = granted[kind] && !isNone && !off.includes(kind);
    const name = html`${words.charAt(0).toUpperCase()}${words.slice(1)}`;
    const control = granted[kind]
      ? html`<button role="switch" aria-checked="${isOn ? "true" : "false"}" aria-label="${words}" name="${isOn ? "off" : "on"}" value="${kind}">${isOn ? "On" : "Off"}</button>`
      : html`<span class="quiet">turned off by the configuration</span>`;
    return html`<dt>${name}</dt><dd>${control}</dd>\n`;
  });
  const all = isNone
    ? html`<button name="on" value="all">Get mails again</button>`
    : html`<button name="off" value="all">Stop all mails</button>`;
  return html`${isNone ? notice("info", "This address gets no mails.") : null}${postForm(
    { action, formToken },
    html`<dl class="facts switches">${rows}</dl><p class="row">${all}</p>`,
  )}`;
}

/** More are collapsed. */
const mostAhead = 10;

function aheadTable(ahead: readonly MailAhead[], nameOf: NameOf, zone: string): Markup {
  if (ahead.length === 0) return html`<p class="quiet">No mails due within a week.</p>`;
  const rows = ahead.map(({ dueAt, person, kind, title }) => [
    time(dueAt, zone),
    html`<bdi>${nameOf(person)}</bdi>`,
    title === null ? mailKindWords[kind] : html`<bdi>${title}</bdi>`,
  ]);
  const tableOf = (caption: string, some: typeof rows) =>
    table({
      caption,
      columns: [{ title: "When" }, { title: "To" }, { title: "What" }],
      rows: some,
    });
  const [first, later] = [rows.slice(0, mostAhead), rows.slice(mostAhead)];
  return html`${tableOf("Mails due within a week", first)}${
    later.length === 0
      ? null
      : folded(`${later.length} more within a week`, tableOf("Mails due later", later))
  }`;
}

const states: Readonly<Record<RecentMail["state"], Markup>> = {
  sent: badge("sent", "good"),
  claimed: badge("sending", "wait"),
  deferred: badge("retrying later", "wait"),
  rejected: badge("rejected", "bad"),
};

const sorts: Readonly<Record<RecentMail["sort"], string>> = {
  reminder: "Reminder",
  lead: "Reminder",
  overdue: "Overdue",
  digest: "Digest",
  notice: "Needs a decision",
  "log-in": "Link to log in",
};

function recentTable(
  recent: PeopleAndMail["recent"],
  { nameOf, root, zone }: Omit<Frame, "formToken"> & { readonly nameOf: NameOf },
): Markup {
  if (recent.length === 0) return html`<p class="quiet">None yet.</p>`;
  return table({
    caption: "Recent mails",
    columns: [{ title: "When" }, { title: "To" }, { title: "What" }, { title: "Status" }],
    rows: recent.map(({ at, person, address, sort, title, state, problem, edit }) => [
      time(at, zone),
      html`<bdi>${nameOf(person)}</bdi>${address && html`<br><span class="quiet"><bdi>${address}</bdi></span>`}`,
      html`${sorts[sort]}${title && html`: <bdi>${title}</bdi>`}${edit && html` <a href="${root}edits/${edit}">Edit ${edit}</a>`}`,
      html`${states[state]}${problem && state !== "sent" ? html` <bdi>${problem}</bdi>` : null}`,
    ]),
  });
}

function outboxTable(outbox: readonly OutboxMail[], { root, zone }: Frame): Markup {
  if (outbox.length === 0) {
    return html`<p class="quiet">No mail server is set up: mails are written to files. None yet.</p>`;
  }
  return html`<p class="quiet">No mail server is set up: mails are written to files and not sent.</p>${table(
    {
      caption: "Mails written to files",
      columns: [{ title: "When" }, { title: "To" }, { title: "Subject" }],
      rows: outbox.map(({ file, date, to, subject }) => [
        date ? time(date, zone) : "",
        html`<bdi>${to}</bdi>`,
        html`<a href="${root}people/outbox/${file}"><bdi>${subject === "" ? "without a subject" : subject}</bdi></a>`,
      ]),
    },
  )}`;
}

/** A mail of the outbox: its text, and a link to its HTML. */
export function outboxMailPage(mail: OutboxText, { root, zone }: Omit<Frame, "formToken">): Page {
  const { subject, from, to, date, text, html: markup, file } = mail;
  return {
    title: subject === "" ? "Mail without a subject" : subject,
    current: "people",
    body: html`<dl class="facts"><dt>From</dt><dd><bdi>${from}</bdi></dd><dt>To</dt><dd><bdi>${to}</bdi></dd>
${date && html`<dt>Sent</dt><dd>${time(date, zone)}</dd>`}</dl>
<pre class="card mail">${text === "" ? "This mail has no plain text." : text}</pre>
<p class="row">${markup === null ? null : linkButton("As a mail program shows it", `${root}people/outbox/${file}/html`)}
${linkButton("Back to people and mail", `${root}people`)}</p>`,
  };
}

/** A time on one line, for tables. */
const time = (at: Temporal.Instant, zone: string): Markup =>
  html`<span class="nowrap">${timeTag(at, zone)}</span>`;
