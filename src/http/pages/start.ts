import type { PersonId } from "../../domain/ids.ts";
import { mailKindWords } from "../../domain/mail-kind.ts";
import { longBlockInWords, quotaInWords } from "../../domain/wording.ts";
import type { EditDescription } from "../../edits/actions/describe.ts";
import type { PublishedFeed } from "../../feeds/published-feeds.ts";
import type { PersonDescription } from "../../people/people.ts";
import type { Refusal } from "../../store/mails/ledger.ts";
import type { OffChoice } from "../../store/mails/opt-outs.ts";
import type { Status } from "../status.ts";
import { editTable, waitingList } from "./edit-pages.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";
import { length, moment } from "./page-times.ts";
import { peopleList } from "./people-pages.ts";

interface StartPageData {
  readonly status: Status;
  readonly feeds: readonly PublishedFeed[];
  readonly people: readonly PersonDescription[];
  /** The last ones. */
  readonly edits: readonly EditDescription[];
  /** Parked and held ones, which wait for a person. */
  readonly waiting: readonly EditDescription[];
  readonly baseUrl: string;
  readonly formToken: string;
}

/** The start page, which stands at `/`: how fresh the mirror is, what needs a person, feeds and calendars with their addresses, the last edits. */
export function startPage(data: StartPageData): Page {
  const { status, feeds, people, edits, waiting, baseUrl, formToken } = data;
  const names = new Map(people.map(({ id, name }) => [id, name]));
  const table = { names, zone: status.timeZone };
  const body = html`<header>
<h1>Dayferry</h1>
<form method="post" action="logout"><input type="hidden" name="form" value="${formToken}"><button>Sign out</button></form>
</header>
<main>
${freshness(status)}
${attention(status)}
${waitingList(waiting, { ...table, formToken })}
${channelList(status)}
${mailList(status.mail, table)}
${feedTable(feeds, { baseUrl, zone: status.timeZone })}
${peopleList(people, { baseUrl, formToken })}
${editTable(edits, table)}
</main>`;
  return { title: "Dayferry", body };
}

function freshness({ mirror, journal, mail, fresh, quota, timeZone }: Status): Markup {
  const waiting = (journal.pending ?? 0) + (journal.claimed ?? 0);
  return html`<h2>Mirror</h2>
<dl>
<dt>State</dt><dd>${stateOf(fresh, mirror)}</dd>
<dt>Age</dt><dd>${ageOf(mirror)}</dd>
<dt>Items</dt><dd>${mirror.event} events and milestones, ${mirror.task} tasks, ${mirror.subtask} subtasks in ${mirror.projects} projects</dd>
<dt>Quota</dt><dd>${quotaInWords(quota)}</dd>
<dt>Edits</dt><dd>${waiting} on their way, ${journal.parked ?? 0} parked, ${journal.held ?? 0} held</dd>
<dt>Mails</dt><dd>${mail.sent} sent, ${mail.deferred} waiting, ${mail.rejected} rejected</dd>
<dt>Times</dt><dd>on this page are those of ${timeZone}</dd>
</dl>`;
}

/** When the lists of each kind were read: what changes often is read more often. */
function ageOf({ ages: { events, tasks, names } }: Status["mirror"]): string {
  const parts = [
    ["events", events],
    ["tasks", tasks],
    ["names of projects, lists, people and labels", names],
  ] as const;
  const told = parts.flatMap(([what, age]) => (age ? [`${what} ${agesInWords(age)}`] : []));
  return told.length > 0 ? `read: ${told.join("; ")}` : "nothing has been read yet";
}

function agesInWords(age: {
  readonly newestSeconds: number;
  readonly oldestSeconds: number;
}): string {
  const [newest, oldest] = [length(age.newestSeconds), length(age.oldestSeconds)];
  return newest === oldest ? `${oldest} ago` : `${newest} to ${oldest} ago`;
}

/** What is on disk is served at once; how old it is stands below. */
function stateOf(isFresh: boolean, { sources, projectsNeverRead }: Status["mirror"]): string {
  if (isFresh) return "every list has been read since the last start";
  return sources > 0 && projectsNeverRead === 0
    ? "everything is served as it was read before the last start; a sweep is under way"
    : "the first sweep is under way";
}

function attention({
  errors,
  brakes,
  frozen,
  twins,
  mail,
  inbox,
  subscriptions,
  eventLoop,
  polling,
}: Status): Markup | null {
  const block = longBlockInWords(eventLoop);
  const problems = [
    ...(polling.advice === null ? [] : [polling.advice]),
    ...errors
      .filter(({ severity }) => severity === "problem")
      .map(({ source, problem }) => `${source}: ${problem}`),
    ...brakes.map(
      ({ source, missing, total, needsPerson, releasedAt }) =>
        `${source}: ${missing} of ${total} items vanished at once; nothing is removed until ${
          needsPerson && !releasedAt
            ? `a person agrees (dayferry brakes release ${source})`
            : "each is confirmed"
        }`,
    ),
    ...frozen.map(({ edit, title, problem }) => `edit ${edit} of "${title}": ${problem ?? ""}`),
    ...twins.map(({ edit, title, problem }) => `edit ${edit} of "${title}": ${problem}`),
    ...(inbox?.problem ? [inbox.problem] : []),
    ...subscriptions.flatMap(({ name, problem }) =>
      problem === null ? [] : [`${name}: ${problem}`],
    ),
    ...(mail.problem ? [`mail: ${mail.problem}`] : []),
    ...(block === null ? [] : [block]),
  ];
  if (problems.length === 0) return null;
  return html`<h2>Needs attention</h2><ul>${problems.map((text) => html`<li class="problem">${text}</li>`)}</ul>`;
}

/** The watched folder and the subscribed calendars; nothing where there are none. */
function channelList({ inbox, subscriptions, timeZone }: Status): Markup | null {
  if (!inbox && subscriptions.length === 0) return null;
  const folder =
    inbox &&
    html`<dt>Folder</dt><dd>${inbox.folder}: ${inbox.waiting} waiting${
      inbox.last ? `, the last file is ${inbox.last.target}` : ""
    }</dd>`;
  const calendars = subscriptions.map(
    ({ name, state, items, succeededAt, changedAt, notes }) =>
      html`<dt>${name}</dt><dd>${
        state === "new" || !succeededAt ? "not read yet" : `${items} items`
      }${succeededAt ? `, read ${moment(succeededAt, timeZone)}` : ""}${
        changedAt ? `, last change ${moment(changedAt, timeZone)}` : ""
      }${notes.length > 0 ? html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>` : null}</dd>`,
  );
  return html`<h2>Incoming</h2><dl>${folder}${calendars}</dl>`;
}

function feedTable(
  feeds: readonly PublishedFeed[],
  { baseUrl, zone }: { readonly baseUrl: string; readonly zone: string },
): Markup {
  const open = feeds.filter(({ revokedAt }) => revokedAt === null);
  const rows = open.map(
    (
      feed,
    ) => html`<tr><td>${feed.name}</td><td class="address"><a href=".${feed.path}">${baseUrl}${feed.path}</a></td>
<td>${feed.lastFetch ? `${moment(feed.lastFetch.at, zone)} by ${feed.lastFetch.agent}` : html`<span class="quiet">not yet</span>`}</td></tr>`,
  );
  const table = html`<div class="wide"><table><thead><tr><th>Project</th><th>Address to subscribe to</th><th>Last fetched</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return html`<h2>Feeds</h2>${open.length > 0 ? table : html`<p class="quiet">No project is known yet.</p>`}`;
}

interface MailListData {
  readonly deferred: number;
  readonly problem: string | null;
  readonly refusals: readonly Refusal[];
  readonly turnedOff: readonly OffChoice[];
}

/** Which addresses refuse mails and who has turned some off; nothing where all is well. */
function mailList(
  { deferred, problem, refusals, turnedOff }: MailListData,
  { names, zone }: { readonly names: ReadonlyMap<PersonId, string>; readonly zone: string },
): Markup | null {
  if (deferred === 0 && refusals.length === 0 && turnedOff.length === 0) return null;
  const who = (person: PersonId | null) =>
    person === null ? "unknown" : (names.get(person) ?? `person ${person}`);
  const waiting =
    deferred > 0
      ? html`<p>${deferred} ${deferred === 1 ? "mail waits" : "mails wait"} for another try${problem === null ? "" : `: ${problem}`}</p>`
      : null;
  const rows = refusals.map(
    (
      refusal,
    ) => html`<tr><td><bdi>${who(refusal.person)}</bdi></td><td class="address">${refusal.address ?? ""}</td>
<td class="number">${refusal.code}</td><td><bdi>${refusal.problem}</bdi>${refusal.mails > 1 ? ` (${refusal.mails} mails)` : ""}</td><td>${moment(refusal.at, zone)}</td></tr>`,
  );
  const table =
    rows.length > 0
      ? html`<p>Not taken in the last 30 days:</p><div class="wide"><table><thead><tr><th>Person</th><th>Address</th><th>Code</th><th>Why</th><th>Last</th></tr></thead><tbody>${rows}</tbody></table></div>`
      : null;
  const off = turnedOff.map(
    ({ person, choice, offAt }) =>
      html`<li><bdi>${who(person)}</bdi>: ${choice === "all" ? "every mail" : mailKindWords[choice]}, since ${moment(offAt, zone)}</li>`,
  );
  return html`<h2 id="mail">Mail</h2>${waiting}${table}${
    off.length > 0 ? html`<p>Turned off by the people themselves:</p><ul>${off}</ul>` : null
  }`;
}
