import { asSentence } from "../../domain/text.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { dayInWords, enumerated, spanInWords } from "../../domain/wording.ts";
import type { FeedContent } from "../../feeds/feed-presence.ts";
import type { Fetch } from "../../feeds/fetch-ledger.ts";
import type { PublishedFeed } from "../../feeds/published-feeds.ts";
import type { ViewItem } from "../../store/view/view.ts";
import { say } from "../../texts/say.ts";
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
import { html, type Markup, sayHtml } from "./markup-template.ts";
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
      : emptyState(
          say("feeds.noFeeds"),
          viewer.kind === "admin" ? say("feeds.noFeedsAdmin") : say("feeds.noFeedsPerson"),
        );
  const undo =
    ended &&
    notice(
      "good",
      html`<p>${sayHtml("feeds.ended", { name: html`<bdi>${ended.name}</bdi>` })}</p>${postForm(
        { action: `feeds/${ended.id}`, formToken, inRow: true },
        button(say("action.undo"), { name: "do", value: "reopen" }),
      )}`,
    );
  const body = html`${problemList(say("feeds.notCreated"), problems)}${undo}
${card({
  title: viewer.kind === "admin" ? say("feeds.allFeeds") : say("feeds.yourFeeds"),
  body: list,
  footer: open.some(({ items }) => items === null) ? say("feeds.countedLater") : null,
  id: "feeds",
  live: ["feeds", "age"],
})}
${card({
  title: say("feeds.newFeed"),
  body: html`${presetForms(data)}
${folded(say("feeds.chooseContent"), newFeedForm(data), { open: data.entered.size > 0 || open.length === 0 })}`,
  id: "new",
})}`;
  return {
    title: say("layout.feeds"),
    current: "feeds",
    lead: sayHtml("feeds.lead", { link: (text) => html`<a href="connect">${text}</a>` }),
    actions: open.length === 0 ? null : linkButton(say("feeds.newFeedLink"), "#new"),
    scripts: ["feeds"],
    body,
  };
}

function problemList(title: string, problems: readonly string[]): Markup | null {
  if (problems.length === 0) return null;
  return notice(
    "bad",
    html`<p>${title}</p><ul>${problems.map((text) => html`<li>${asSentence(text)}</li>`)}</ul>`,
  );
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
      : html`<form method="get" action="feeds" class="row narrowing">${field({ name: "find", label: say("feeds.findLabel"), type: "search", value: find })}
<button>${say("feeds.find")}</button>${wanted === "" ? null : html` <a href="feeds">${say("edits.showAllLink")}</a>`}</form>`;
  const list =
    rows.length > 0
      ? feedTable(rows, data)
      : emptyState(
          say("feeds.noMatch"),
          say("feeds.noMatchText", { count: open.length }),
          linkButton(say("feeds.showAll"), "feeds"),
        );
  const last = first + rows.length;
  const paging =
    rows.length === found.length
      ? null
      : html`<div class="row"><span class="quiet small">${say("feeds.range", { first: first + 1, last, count: found.length })}</span>${
          first > 0 ? linkButton(say("feeds.earlier"), to(Math.max(0, first - pageSize))) : null
        }${found.length > last ? linkButton(say("feeds.more"), to(last)) : null}</div>`;
  return html`<div class="stack">${finding}${list}${rows.length === 0 ? null : paging}</div>`;
}

function feedTable(
  feeds: readonly ShownFeed[],
  { viewer: { zone }, baseUrl }: Pick<FeedsPageData, "viewer" | "baseUrl">,
): Markup {
  return table({
    caption: say("layout.feeds"),
    columns: [
      say("feeds.feed"),
      say("feeds.shows"),
      { title: say("word.items"), isNumber: true },
      say("feeds.lastFetched"),
      say("webhook.address"),
    ],
    rows: feeds.map((feed) => [
      html`<a href="feeds/${feed.id}"><bdi>${feed.name}</bdi></a>`,
      html`<bdi>${feed.shows}</bdi>${feed.problem === null ? null : html` ${badge(say("feeds.empty"), "bad")}`}`,
      feed.items ?? "–",
      lastFetched(feed, zone),
      html`<span class="row"><button type="button" data-copy-text="${baseUrl}${feed.path}" aria-label="${say("feeds.copyAddress", { name: feed.name })}" hidden>${say("action.copy")}</button><a href="feeds/${feed.id}#subscribe" aria-label="${say("feeds.subscribeTo", { name: feed.name })}">${say("feeds.subscribeTitle")}</a></span>`,
    ]),
  });
}

function lastFetched({ lastFetch, fetches }: PublishedFeed, zone: string): Markup {
  if (!lastFetch) return html`<span class="quiet">${say("feeds.notYet")}</span>`;
  const program = fetches[0]?.program ?? lastFetch.agent;
  return sayHtml("feeds.fetchedBy", {
    at: timeTag(lastFetch.at, zone),
    program: html`<bdi>${program}</bdi>`,
  });
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
      : notice("bad", html`<p>${say("feeds.showsNothing", { problem: feed.problem })}</p>`);
  const form = (body: Markup) => postForm({ action: `${feed.id}`, formToken, inRow: true }, body);
  return {
    title: feed.name,
    current: "feeds",
    lead: feed.shows,
    actions: linkButton(say("feeds.allFeeds"), "../feeds"),
    body: html`${trouble}${problemList(say("feeds.notChanged"), problems)}
${card({ title: say("feeds.subscribeTitle"), id: "subscribe", body: subscribing({ feed, url, qr }) })}
${card({ title: say("feeds.subscribers"), id: "fetches", live: ["feeds", "age"], body: fetchList(feed, viewer.zone) })}
${card({ title: say("feeds.nameColour"), id: "change", body: changeForm(feed, formToken) })}
${card({
  title: say("feeds.content"),
  id: "choose",
  body: html`<p>${linkButton(say("action.preview"), `${feed.id}?show=content`)} <span class="quiet">${say("feeds.previewHint")}</span></p>${chooseForm(data)}`,
})}
${card({
  title: say("feeds.newAddress"),
  id: "rotate",
  body: html`<p>${say("feeds.leaked")} ${breaks(feed)} ${feed.fetches.length === 0 ? null : say("feeds.showAgain")}</p>
${form(button(say("feeds.makeAddress"), { name: "do", value: "rotate" }))}`,
})}
${card({
  title: say("feed.end"),
  id: "revoke",
  body: html`<p>${say("feeds.stops")} ${breaks(feed)}${feed.automatic ? ` ${say("feeds.noNew")}` : ""} ${say("feeds.nothingChanges")}</p>
${form(button(say("feeds.endEllipsis"), { name: "do", value: "revoke", tone: "bad" }))}`,
})}`,
  };
}

/** The programs that would lose access. */
function breaks({ fetches }: PublishedFeed): string {
  const names = fetches.map(({ program }) => program);
  if (names.length === 0) return say("feeds.breaksNothing");
  return say("feeds.breaks", { count: names.length, programs: enumerated(names) });
}

function subscribing({ feed, url, qr }: Pick<FeedPageData, "feed" | "url" | "qr">): Markup {
  const links = subscribeLinks(url, feed.name).map(
    ({ label, href }) => html`<li>${linkButton(label, href)}</li>\n`,
  );
  const reach = isReachable(url)
    ? null
    : notice(
        "wait",
        html`<p>${sayHtml("feeds.reach", { code: (text) => html`<code>${text}</code>` })}</p>`,
      );
  return html`<div class="beside"><div class="stack">${copyField({ id: "address", label: say("feeds.addressLabel"), value: url })}
<p id="add-to">${say("feeds.addTo")}</p>
<ul class="row" aria-labelledby="add-to">${links}</ul>
${reach}</div>
<figure>${qr}<figcaption>${say("feeds.code")}</figcaption></figure></div>`;
}

function fetchList({ fetches, createdAt }: PublishedFeed, zone: string): Markup {
  if (fetches.length === 0) {
    return html`<p class="quiet">${sayHtml("feeds.notFetched", { at: timeTag(createdAt, zone) })}</p>`;
  }
  return html`<ul class="plain-list">${fetches.map((fetch) => fetchLine(fetch, zone))}</ul>`;
}

function fetchLine({ says, agent, at, holds, firstAt }: Fetch, zone: string): Markup {
  const more = facts([
    [say("feeds.lastFetched"), timeTag(at, zone)],
    [say("feeds.firstFetched"), timeTag(firstAt, zone)],
    [say("feeds.versionOf"), timeTag(holds.modifiedAt, zone)],
    [say("feeds.userAgent"), html`<bdi>${agent === "" ? say("feeds.nothing") : agent}</bdi>`],
  ]);
  return html`<li><p>${says}</p>${folded(say("action.details"), more)}</li>`;
}

function changeForm(feed: PublishedFeed, formToken: string): Markup {
  const { id, name, kind, colour } = feed;
  const fields = html`${nameField(name)}
${colourField(colour ?? "none", kind === "project" ? [ofProject()] : [])}
${button(say("preview.agree.change"), { name: "do", value: "change", tone: "main" })}`;
  return postForm({ action: `${id}`, formToken }, fields);
}

const ofProject = () => ({ value: "project", label: say("feeds.projectColor") });

/** The filter's form; a project's automatic feed always shows everything. */
function chooseForm({ feed, choices, viewer, formToken, entered }: FeedPageData): Markup {
  if (feed.automatic) {
    return html`<p>${sayHtml("feeds.whole", { link: (text) => html`<a href="../feeds#new">${text}</a>` })}</p>`;
  }
  const fields = filterFields({
    ...{ choices, viewer },
    entered: entered ?? enteredOf(feed),
    isOverAll: feed.kind !== "project",
  });
  const form = postForm(
    { action: `${feed.id}`, formToken },
    html`${fields}${button(say("preview.agree.change"), { name: "do", value: "choose", tone: "main" })}`,
  );
  return folded(
    say("feeds.changeContent"),
    html`<p class="quiet">${say("feeds.addressStays")}</p>${form}`,
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
      ? html`<p class="quiet">${say("feeds.nothingAhead")}</p>`
      : table({
          caption: say("feeds.nextCaption"),
          columns: [say("word.title"), say("word.when")],
          rows: next.map((view) => [link(view), whenInWords(view.item, zone)]),
        });
  const omitted =
    leftOut.length === 0
      ? html`<p class="quiet">${say("feeds.nothingOut")}</p>`
      : table({
          caption: say("feeds.outCaption"),
          columns: [
            say("feeds.reason"),
            { title: say("word.items"), isNumber: true },
            say("feeds.example"),
          ],
          rows: leftOut.map(({ why, count, example }) => [why, count, link(example)]),
        });
  return {
    title: say("feeds.contentOf", { name: feed.name }),
    current: "feeds",
    lead: feed.shows,
    actions: linkButton(say("feeds.back"), `${feed.id}`),
    body: html`${isCut ? notice("wait", say("feeds.cut")) : null}
${card({ title: say("feeds.shownCount", { count: shown }), body: coming, footer: next.length < shown ? say("feeds.nextListed") : null })}
${card({ title: say("feeds.leftOut"), body: omitted })}`,
  };
}

function whenInWords(item: ViewItem["item"], zone: string): string {
  if (item.kind === "event") return spanInWords(item.when, zone);
  const day = item.dueOn ?? item.startOn;
  return day ? dayInWords(day) : say("word.noDate");
}
