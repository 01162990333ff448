import type { Viewer } from "../../domain/visibility.ts";
import { dayInWords, enumerated, spanInWords } from "../../domain/wording.ts";
import type { FeedContent } from "../../feeds/feed-presence.ts";
import type { Fetch } from "../../feeds/fetch-ledger.ts";
import type { PublishedFeed } from "../../feeds/published-feeds.ts";
import type { ViewItem } from "../../store/view/view.ts";
import {
  badge,
  button,
  card,
  copyField,
  emptyState,
  facts,
  field,
  folded,
  linkButton,
  notice,
  postForm,
  table,
} from "./components.ts";
import { timeTag } from "./edit-parts.ts";
import {
  colourField,
  type EnteredFeed,
  enteredOf,
  type FeedChoices,
  filterFields,
  nameField,
  newFeedForm,
  presetForms,
} from "./feed-form.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";
import { isReachable, subscribeLinks } from "./subscribe-links.ts";

/** A feed with a description. */
export interface ShownFeed extends PublishedFeed {
  readonly shows: string;
}

/** Search text and cursor of a feed listing. */
export interface FeedQuery {
  readonly find: string;
  readonly from: number;
}

interface FeedsPageData {
  readonly feeds: readonly ShownFeed[];
  readonly query: FeedQuery;
  readonly choices: FeedChoices;
  readonly viewer: Viewer;
  /** Public URL of this server, without a trailing slash. */
  readonly baseUrl: string;
  readonly formToken: string;
  readonly entered: EnteredFeed;
  /** Errors of the input. */
  readonly problems: readonly string[];
  /** The feed that was just revoked. */
  readonly ended: Pick<PublishedFeed, "id" | "name"> | null;
}

/** All feeds of the viewer, and the form for a new one. */
export function feedsPage(data: FeedsPageData): Page {
  const { feeds, viewer, problems, ended, formToken } = data;
  const open = feeds.filter(({ revokedAt }) => revokedAt === null);
  const list =
    open.length > 0
      ? feedList(open, data)
      : emptyState({
          title: "No feeds yet",
          text:
            viewer.kind === "admin"
              ? "Each project gets one as soon as it has been read."
              : "Make one below, and subscribe to it in your calendar program.",
        });
  const trouble =
    problems.length === 0
      ? null
      : notice(
          "bad",
          html`<p>The feed was not created:</p><ul>${problems.map((text) => html`<li>${text}</li>`)}</ul>`,
        );
  const undo =
    ended &&
    notice(
      "good",
      html`<p>Feed <bdi>${ended.name}</bdi> ended.</p>${postForm(
        { action: `feeds/${ended.id}`, formToken, inRow: true },
        button("Undo", { name: "do", value: "reopen" }),
      )}`,
    );
  const body = html`${trouble}${undo}
${card({
  title: viewer.kind === "admin" ? "All feeds" : "Your feeds",
  body: list,
  footer: open.some(({ items }) => items === null)
    ? "Items are counted when a program fetches the feed."
    : null,
  id: "feeds",
  live: ["feeds", "age"],
})}
${card({
  title: "New feed",
  body: html`${presetForms(data)}
${folded("Choose what it shows", newFeedForm(data), { open: data.entered.size > 0 || open.length === 0 })}`,
  id: "new",
})}`;
  return {
    title: "Feeds",
    current: "feeds",
    lead: html`A feed is a calendar that programs subscribe to. They show it and cannot change it; calendars that can be changed are under <a href="connect">Connect</a>.`,
    actions: open.length === 0 ? null : linkButton("New feed…", "#new"),
    scripts: ["feeds"],
    body,
  };
}

const pageSize = 25;

/** One page of them; with a search field if there are more. */
function feedList(
  open: readonly ShownFeed[],
  data: Pick<FeedsPageData, "query" | "viewer" | "baseUrl">,
): Markup {
  const { find, from } = data.query;
  const wanted = find.trim().toLowerCase();
  const found = open.filter(({ name, shows }) =>
    `${name}\n${shows}`.toLowerCase().includes(wanted),
  );
  const lastPage = Math.floor(Math.max(0, found.length - 1) / pageSize) * pageSize;
  const first = Math.min(from, lastPage);
  const rows = found.slice(first, first + pageSize);
  const to = (start: number) =>
    `feeds?${new URLSearchParams({ ...(wanted !== "" && { find }), from: String(start) }).toString()}`;
  const finding =
    open.length <= pageSize
      ? null
      : html`<form method="get" action="feeds" class="row narrowing">${field({ name: "find", label: "Name, person or project", type: "search", value: find })}
<button>Find</button>${wanted === "" ? null : html` <a href="feeds">Show all</a>`}</form>`;
  const list =
    rows.length > 0
      ? feedTable(rows, data)
      : emptyState({
          title: "No matching feeds",
          text: `None of the ${open.length} feeds match.`,
          action: linkButton("Show all feeds", "feeds"),
        });
  const last = first + rows.length;
  const paging =
    rows.length === found.length
      ? null
      : html`<div class="row"><span class="quiet small">${first + 1} to ${last} of ${found.length}</span>${
          first > 0 ? linkButton("Earlier ones", to(Math.max(0, first - pageSize))) : null
        }${found.length > last ? linkButton("More feeds", to(last)) : null}</div>`;
  return html`<div class="stack">${finding}${list}${rows.length === 0 ? null : paging}</div>`;
}

function feedTable(
  feeds: readonly ShownFeed[],
  { viewer: { zone }, baseUrl }: Pick<FeedsPageData, "viewer" | "baseUrl">,
): Markup {
  return table({
    caption: "Feeds",
    columns: [
      { title: "Feed" },
      { title: "Shows" },
      { title: "Items", isNumber: true },
      { title: "Last fetched" },
      { title: "Address" },
    ],
    rows: feeds.map((feed) => [
      html`<a href="feeds/${feed.id}"><bdi>${feed.name}</bdi></a>`,
      html`<bdi>${feed.shows}</bdi>${feed.problem === null ? null : html` ${badge("empty", "bad")}`}`,
      feed.items ?? "–",
      lastFetched(feed, zone),
      html`<span class="row"><button type="button" data-copy-text="${baseUrl}${feed.path}" aria-label="Copy the address of ${feed.name}" hidden>Copy</button><a href="feeds/${feed.id}#subscribe" aria-label="Subscribe to ${feed.name}">Subscribe</a></span>`,
    ]),
  });
}

function lastFetched({ lastFetch, fetches }: PublishedFeed, zone: string): Markup {
  if (!lastFetch) return html`<span class="quiet">not yet</span>`;
  const program = fetches[0]?.program ?? lastFetch.agent;
  return html`${timeTag(lastFetch.at, zone)} by <bdi>${program}</bdi>`;
}

interface FeedPageData {
  readonly feed: ShownFeed;
  /** The feed's whole URL. */
  readonly url: string;
  /** The QR code of the URL. */
  readonly qr: Markup;
  readonly viewer: Viewer;
  readonly choices: FeedChoices;
  readonly formToken: string;
  /** The rejected input of the filter. */
  readonly entered: EnteredFeed | null;
  readonly problems: readonly string[];
}

/** One feed: how to subscribe, who fetches it, its name, colour, filter, a new URL, and revoking it. */
export function feedPage(data: FeedPageData): Page {
  const { feed, url, qr, viewer, formToken, problems } = data;
  const trouble =
    feed.problem === null
      ? null
      : notice("bad", html`<p>It shows nothing now: ${feed.problem}.</p>`);
  const wrong =
    problems.length === 0
      ? null
      : notice(
          "bad",
          html`<p>Nothing was changed:</p><ul>${problems.map((text) => html`<li>${text}</li>`)}</ul>`,
        );
  const form = (body: Markup) => postForm({ action: `${feed.id}`, formToken, inRow: true }, body);
  return {
    title: feed.name,
    current: "feeds",
    lead: feed.shows,
    actions: linkButton("All feeds", "../feeds"),
    body: html`${trouble}${wrong}
${card({ title: "Subscribe", id: "subscribe", body: subscribing({ feed, url, qr }) })}
${card({ title: "Subscribers", id: "fetches", live: ["feeds", "age"], body: fetchList(feed, viewer.zone) })}
${card({ title: "Name and colour", id: "change", body: changeForm(feed, formToken) })}
${card({
  title: "Content",
  id: "choose",
  body: html`<p>${linkButton("Preview", `${feed.id}?show=content`)} <span class="quiet">What the feed contains, and what it leaves out and why.</span></p>${chooseForm(data)}`,
})}
${card({
  title: "New address",
  id: "rotate",
  body: html`<p>If the address has leaked, create a new one. The old one stops working at once. ${breaks(feed)} ${feed.fetches.length === 0 ? null : "They show it again after you have entered the new address in each of them."}</p>
${form(button("Make a new address…", { name: "do", value: "rotate" }))}`,
})}
${card({
  title: "End this feed",
  id: "revoke",
  body: html`<p>Its address stops working. ${breaks(feed)}${feed.automatic ? " The project gets no new feed automatically." : ""} Nothing in the workspace changes.</p>
${form(button("End this feed…", { name: "do", value: "revoke", tone: "bad" }))}`,
})}`,
  };
}

/** The programs that would lose access. */
function breaks({ fetches }: PublishedFeed): string {
  const names = fetches.map(({ program }) => program);
  if (names.length === 0) return "No program has fetched it, so nothing breaks.";
  return `${enumerated(names)} ${names.length === 1 ? "fetches" : "fetch"} it: they get nothing new from then on, and keep showing what they have or drop it.`;
}

function subscribing({ feed, url, qr }: Pick<FeedPageData, "feed" | "url" | "qr">): Markup {
  const links = subscribeLinks(url, feed.name).map(
    ({ label, href }) => html`<li>${linkButton(label, href)}</li>\n`,
  );
  const reach = isReachable(url)
    ? null
    : notice(
        "wait",
        html`<p>Google and Outlook fetch from their own servers, which cannot reach this address. Set <code>http.publicUrl</code> to a public HTTPS address.</p>`,
      );
  return html`<div class="beside"><div class="stack">${copyField({ id: "address", label: "Address: whoever has it can read the calendar", value: url })}
<p id="add-to">Add to:</p>
<ul class="row" aria-labelledby="add-to">${links}</ul>
${reach}</div>
<figure>${qr}<figcaption>A code for the phone's camera</figcaption></figure></div>`;
}

function fetchList({ fetches, createdAt }: PublishedFeed, zone: string): Markup {
  if (fetches.length === 0) {
    return html`<p class="quiet">Not fetched yet. Created ${timeTag(createdAt, zone)}.</p>`;
  }
  return html`<ul class="plain-list">${fetches.map((fetch) => fetchLine(fetch, zone))}</ul>`;
}

function fetchLine({ says, agent, at, holds, firstAt }: Fetch, zone: string): Markup {
  const more = facts([
    ["Last fetched", timeTag(at, zone)],
    ["First fetched", timeTag(firstAt, zone)],
    ["Version of", timeTag(holds.modifiedAt, zone)],
    ["User agent", html`<bdi>${agent === "" ? "nothing" : agent}</bdi>`],
  ]);
  return html`<li><p>${says}</p>${folded("Details", more)}</li>`;
}

function changeForm(feed: PublishedFeed, formToken: string): Markup {
  const { id, name, kind, colour } = feed;
  const fields = html`${nameField(name)}
${colourField(colour ?? "none", kind === "project" ? [ofProject] : [])}
${button("Save", { name: "do", value: "change", tone: "main" })}`;
  return postForm({ action: `${id}`, formToken }, fields);
}

const ofProject = { value: "project", label: "Project color" };

/** The filter's form; a project's automatic feed always shows everything. */
function chooseForm({ feed, choices, viewer, formToken, entered }: FeedPageData): Markup {
  if (feed.automatic) {
    return html`<p>The whole project. For a part of it, <a href="../feeds#new">create another feed</a>.</p>`;
  }
  const fields = filterFields({
    ...{ choices, viewer },
    entered: entered ?? enteredOf(feed),
    isOverAll: feed.kind !== "project",
  });
  const form = postForm(
    { action: `${feed.id}`, formToken },
    html`${fields}${button("Save", { name: "do", value: "choose", tone: "main" })}`,
  );
  return folded(
    "Change the content",
    html`<p class="quiet">The address stays the same. Programs show the change after their next fetch.</p>${form}`,
    { open: entered !== null },
  );
}

/** What a feed contains and leaves out; its URL is one level below the start page. */
export function feedContentPage(
  feed: ShownFeed,
  { shown, next, leftOut, isCut }: FeedContent,
  zone: string,
): Page {
  const link = (view: ViewItem) =>
    html`<a href="../calendar/items/${view.key}"><bdi>${view.item.title}</bdi></a>`;
  const coming =
    next.length === 0
      ? html`<p class="quiet">Nothing from today on.</p>`
      : table({
          caption: "The next items of the feed",
          columns: [{ title: "Title" }, { title: "When" }],
          rows: next.map((view) => [link(view), whenInWords(view.item, zone)]),
        });
  const omitted =
    leftOut.length === 0
      ? html`<p class="quiet">Nothing is left out.</p>`
      : table({
          caption: "Items that the feed leaves out, by reason",
          columns: [{ title: "Reason" }, { title: "Items", isNumber: true }, { title: "Example" }],
          rows: leftOut.map(({ why, count, example }) => [why, count, link(example)]),
        });
  return {
    title: `Content of ${feed.name}`,
    current: "feeds",
    lead: feed.shows,
    actions: linkButton("Back to the feed", `${feed.id}`),
    body: html`${isCut ? notice("wait", "There are too many items: only a part of them was looked at.") : null}
${card({ title: `Shown: ${shown} ${shown === 1 ? "item" : "items"}`, body: coming, footer: next.length < shown ? "The next ones are listed." : null })}
${card({ title: "Left out", body: omitted })}`,
  };
}

function whenInWords(item: ViewItem["item"], zone: string): string {
  if (item.kind === "event") return spanInWords(item.when, zone);
  const day = item.dueOn ?? item.startOn;
  return day ? dayInWords(day) : "no date";
}
