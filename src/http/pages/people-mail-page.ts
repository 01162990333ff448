import { type MailChoice, mailKinds } from "../../domain/mail-kind.ts";
import { capital } from "../../domain/text.ts";
import type { OutboxMail, OutboxText } from "../../mail/outbox.ts";
import type { PersonDescription } from "../../people/people.ts";
import type { WebhookDescription } from "../../people/webhook-settings.ts";
import type { MailAhead } from "../../reminders/reminders.ts";
import type { MailState, RecentMail } from "../../store/mails/ledger.ts";
import { say } from "../../texts/say.ts";
import { retold } from "../../texts/stored.ts";
import {
  badge,
  button,
  card,
  emptyState,
  folded,
  linkButton,
  notice,
  postForm,
  type Tone,
  table,
} from "./components.ts";
import { timeTag } from "./edit-parts.ts";
import type { FormFrame, Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** A person with their mail settings. */
export interface PersonWithMail {
  readonly person: PersonDescription;
  readonly mails: MailSwitches;
  readonly logIns: number;
  /** Null if reminders are sent by mail only. */
  readonly webhook: WebhookDescription | null;
  /** True if the person's settings are expanded. */
  readonly isOpen: boolean;
}

/** Which mails a person gets: those granted by the configuration, less those turned off by the person. */
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
}

/** People with their sign-in and mail settings; upcoming mails, and the results of sent ones. */
export function peopleAndMailPage(data: PeopleAndMail, frame: FormFrame): Page {
  const { people, state, ahead, recent, outbox } = data;
  const names = new Map(people.map(({ person }) => [person.id, person.name]));
  const nameOf = (id: RecentMail["person"]) =>
    id === null ? say("people.unknown") : (names.get(id) ?? say("unnamed.person", { id }));
  const trouble =
    state.problem === null
      ? null
      : notice("bad", say("people.lastProblem", { problem: retold(state.problem) }));
  return {
    title: say("layout.people"),
    current: "people",
    body: html`${trouble}
<h2>${say("search.people")}</h2>
<p class="quiet">${say("people.about")}</p>
${people.length > 0 ? html`<ul class="card people">${people.map((each) => personRow(each, frame))}</ul>` : emptyState(say("people.noPeople"), say("people.noPeopleText"))}
${card({ title: say("people.upcoming"), id: "ahead", live: ["mail"], body: aheadTable(ahead, nameOf, frame.zone) })}
${card({
  title: say("people.sentMails"),
  id: "sent",
  live: ["mail"],
  aside: say("people.counts", {
    sent: state.sent,
    waiting: state.deferred,
    rejected: state.rejected,
  }),
  body: recentTable(recent, { nameOf, ...frame }),
})}
${outbox && card({ title: say("people.outbox"), id: "outbox", live: ["mail"], body: outboxTable(outbox, frame) })}`,
  };
}

type NameOf = (id: RecentMail["person"]) => string;

function personRow(
  { person, mails, logIns, webhook, isOpen }: PersonWithMail,
  { root, formToken, zone }: FormFrame,
): Markup {
  const { id, name, login, email, timeZone, suspended, calendars, hasPassword, hasOwnKey } = person;
  const at = `${root}people/${id}`;
  const marks = [
    suspended ? badge(say("people.suspended"), "bad") : null,
    calendars === "read" ? badge(say("people.readOnly")) : null,
    hasPassword ? badge(say("people.hasPassword"), "good") : badge(say("people.noPassword")),
    logIns > 0 ? badge(say("people.loggedIn", { count: logIns })) : null,
  ];
  const buttons = html`${button(hasPassword ? say("password.newTitle") : say("people.setPassword"), { to: `${at}/password` })}${
    hasPassword ? button(say("password.remove"), { to: `${at}/password/clear`, tone: "bad" }) : null
  }${linkButton(say("password.profile"), `${at}/dayferry.mobileconfig`)}`;
  return html`<li id="person-${id}"><details${isOpen ? html` open` : null}><summary class="person"><bdi class="title">${name}</bdi>
<bdi class="quiet">${login}</bdi> <span>${marks.map((mark) => mark && html`${mark} `)}</span></summary>
<div class="flow"><dl class="facts"><dt>${say("me.mailTo")}</dt><dd><bdi>${email ?? say("me.noAddress")}</bdi></dd>
<dt>${say("me.timeZone")}</dt><dd>${zoneInWords(timeZone, zone)}</dd>
<dt>${say("me.sentWith")}</dt><dd>${keyInWords(hasOwnKey)}</dd></dl>
${suspended ? null : postForm({ action: null, formToken, inRow: true }, buttons)}
<h3>${say("word.mails")}</h3>
${mailSwitches(mails, { action: `${at}/mails`, formToken })}<p><a href="${at}/reminders">${say("reminderTimes.link")}</a></p>${webhook && html`<p><a href="${at}/webhook">${say("webhook.link")}</a> <span class="quiet">${webhook.current === null ? say("people.byMailAlone") : webhook.current.host}</span></p>`}</div></details></li>`;
}

/** A person's own zone, or the account's `zone`, marked as such. */
export const zoneInWords = (own: string | null, zone: string): string =>
  own?.replaceAll("_", " ") ?? say("people.accountZone", { zone: zone.replaceAll("_", " ") });

/** Under whose name the service records a person's edits. */
export const keyInWords = (hasOwnKey: boolean): string =>
  hasOwnKey ? say("people.ownKey") : say("people.accountKey");

/** One button per kind of mail. */
export function mailSwitches(
  { off, granted }: MailSwitches,
  { action, formToken }: { readonly action: string; readonly formToken: string },
): Markup {
  const isNone = off.includes("all");
  const rows = mailKinds.map((kind) => {
    const words = say(`mails.kind.${kind}`);
    const isOn = granted[kind] && !isNone && !off.includes(kind);
    const name = html`${capital(words)}`;
    const control = granted[kind]
      ? html`<button role="switch" aria-checked="${isOn ? "true" : "false"}" aria-label="${words}" name="${isOn ? "off" : "on"}" value="${kind}">${say(isOn ? "people.switchOn" : "people.switchOff")}</button>`
      : html`<span class="quiet">${say("people.offByConfig")}</span>`;
    return html`<dt>${name}</dt><dd>${control}</dd>\n`;
  });
  const all = isNone
    ? html`<button name="on" value="all">${say("mails.getAgain")}</button>`
    : html`<button name="off" value="all">${say("mails.stopAll")}</button>`;
  return html`${isNone ? notice("info", say("people.noMails")) : null}${postForm(
    { action, formToken },
    html`<dl class="facts switches">${rows}</dl><p class="row">${all}</p>`,
  )}`;
}

/** More are collapsed. */
const mostAhead = 10;

function aheadTable(ahead: readonly MailAhead[], nameOf: NameOf, zone: string): Markup {
  if (ahead.length === 0) return html`<p class="quiet">${say("people.noneDue")}</p>`;
  const rows = ahead.map(({ dueAt, person, kind, item }) => [
    time(dueAt, zone),
    html`<bdi>${nameOf(person)}</bdi>`,
    item === null
      ? say(`mails.kind.${kind}`)
      : html`<a href="calendar/items/${item.key}"><bdi>${item.title}</bdi></a>`,
  ]);
  const tableOf = (caption: string, some: typeof rows) =>
    table({
      caption,
      columns: [say("word.when"), say("word.to"), say("people.what")],
      rows: some,
    });
  const [first, later] = [rows.slice(0, mostAhead), rows.slice(mostAhead)];
  return html`${tableOf(say("people.dueCaption"), first)}${
    later.length === 0
      ? null
      : folded(
          say("people.laterCount", { count: later.length }),
          tableOf(say("people.dueLater"), later),
        )
  }`;
}

const stateTones: Readonly<Record<RecentMail["state"], Tone>> = {
  sent: "good",
  claimed: "wait",
  deferred: "wait",
  rejected: "bad",
};

function recentTable(
  recent: PeopleAndMail["recent"],
  { nameOf, root, zone }: FormFrame & { readonly nameOf: NameOf },
): Markup {
  if (recent.length === 0) return html`<p class="quiet">${say("people.noneYet")}</p>`;
  return table({
    caption: say("people.recentCaption"),
    columns: [say("word.when"), say("word.to"), say("people.what"), say("layout.status")],
    rows: recent.map(({ at, person, address, sort, title, state, problem, edit }) => [
      time(at, zone),
      html`<bdi>${nameOf(person)}</bdi>${address && html`<br><span class="quiet"><bdi>${address}</bdi></span>`}`,
      html`${say(`people.sort.${sort}`)}${title && html`: <bdi>${title}</bdi>`}${edit && html` <a href="${root}edits/${edit}">${say("people.editLink", { id: edit })}</a>`}`,
      html`${badge(say(`people.state.${state}`), stateTones[state])}${problem && state !== "sent" ? html` <bdi>${retold(problem)}</bdi>` : null}`,
    ]),
  });
}

function outboxTable(outbox: readonly OutboxMail[], { root, zone }: FormFrame): Markup {
  if (outbox.length === 0) {
    return html`<p class="quiet">${say("people.noServerNone")}</p>`;
  }
  return html`<p class="quiet">${say("people.noServer")}</p>${table({
    caption: say("people.filesCaption"),
    columns: [say("word.when"), say("word.to"), say("people.subject")],
    rows: outbox.map(({ file, date, to, subject }) => [
      date ? time(date, zone) : "",
      html`<bdi>${to}</bdi>`,
      html`<a href="${root}people/outbox/${file}"><bdi>${subject === "" ? say("people.noSubject") : subject}</bdi></a>`,
    ]),
  })}`;
}

/** A mail of the outbox: its text, and a link to its HTML. */
export function outboxMailPage(mail: OutboxText, { root, zone }: FormFrame): Page {
  const { subject, from, to, date, text, html: markup, file } = mail;
  return {
    title: subject === "" ? say("people.mailNoSubject") : subject,
    current: "people",
    body: html`<dl class="facts"><dt>${say("word.from")}</dt><dd><bdi>${from}</bdi></dd><dt>${say("word.to")}</dt><dd><bdi>${to}</bdi></dd>
${date && html`<dt>${say("people.sent")}</dt><dd>${time(date, zone)}</dd>`}</dl>
<pre class="card mail">${text === "" ? say("people.noText") : text}</pre>
<p class="row">${markup === null ? null : linkButton(say("people.asShown"), `${root}people/outbox/${file}/html`)}
${linkButton(say("people.back"), `${root}people`)}</p>`,
  };
}

/** A time on one line, for tables. */
const time = (at: Temporal.Instant, zone: string): Markup =>
  html`<span class="nowrap">${timeTag(at, zone)}</span>`;
