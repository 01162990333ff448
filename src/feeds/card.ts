import { cleanText, type EventCard, oneLine, type When } from "@dayferry/ical";
import { fingerprint } from "../domain/fingerprint.ts";
import type { LabelId, ListId, PersonId } from "../domain/ids.ts";
import { isHtml } from "../domain/is-html.ts";
import { type Item, milestoneCategory, privateTitle } from "../domain/item.ts";
import {
  type LinkClaim,
  type LinkMaker,
  makeLinks,
  type NamedLink,
  offeredActions,
} from "../domain/signed-links.ts";
import { isAmongPrivate } from "../domain/visibility.ts";
import { webLink } from "../domain/web-link.ts";
import { type Decoration, publishedDescription, publishedSummary } from "../ics/text/decoration.ts";
import { textsOfItem } from "../ics/text/line-fields.ts";
import { safeHtml } from "../ics/text/safe-html.ts";
import type { ViewItem } from "../store/view/view.ts";
import { say } from "../texts/say.ts";
import type { FeedOptions } from "./window.ts";

/** Names that items refer to by id. */
export interface CardNames {
  readonly labels: ReadonlyMap<LabelId, string>;
  readonly people: ReadonlyMap<PersonId, string>;
  /** Private todolists, whose tasks are private items. */
  readonly privateLists: ReadonlySet<ListId>;
}

/** What the action links of a feed have in common. */
export type FeedLinks = LinkMaker & Omit<LinkClaim, "item" | "action">;

export interface CardContext {
  readonly names: CardNames;
  readonly options: FeedOptions;
  /** Null for a feed without action links. */
  readonly links: FeedLinks | null;
}

/**
 * What a feed shows of one item at its place. A private item is just "Busy" if so configured. STATUS is omitted: the service
 * has neither tentative nor cancelled events, and deleted ones leave the feed. People are named in the text, never as ATTENDEE,
 * as calendar programs would send them invitations.
 */
export function cardOf(
  view: ViewItem,
  { place, names, options, links }: CardContext & { readonly place: When },
): EventCard {
  const { uid, sequence, modifiedAt, knownAt, item } = view;
  const secret = isAmongPrivate(item, names.privateLists);
  const envelope = {
    uid,
    sequence,
    stampAt: modifiedAt,
    when: place,
    zone: options.zone,
    transparent: place.kind === "dates",
    classification: secret ? ("PRIVATE" as const) : null,
    status: null,
  };
  if (secret && options.private !== "show") return { ...envelope, ...busy };
  const url = webLink(options.webUrl, item);
  const decoration = {
    assignees: assigneesOf(item, { names, options }),
    links: [
      ...(url === null ? [] : [{ label: say("action.open"), url }]),
      ...actionsOf(view, links),
    ],
  };
  return {
    ...envelope,
    createdAt: item.createdAt ?? knownAt,
    summary: publishedSummary(item),
    description: publishedDescription(item, decoration),
    html: htmlOf(item, decoration),
    categories: categoriesOf(item, names),
    reminder: item.kind === "event" && options.reminders !== false ? item.reminder : null,
    url,
    texts: textsOfItem(item, "VEVENT"),
  };
}

/**
 * A hash of a card's inputs: equal inputs give equal cards. `format` stands for the options and this build's writer. SEQUENCE
 * covers the item's content; the rest is what SEQUENCE does not follow.
 */
export function cardInputs(
  view: ViewItem,
  { format, ...context }: CardContext & { readonly format: string },
): string {
  const { uid, sequence, modifiedAt, knownAt, item } = view;
  const follows = [uid, sequence, modifiedAt, knownAt, item.id, item.createdAt];
  const named = [
    categoriesOf(item, context.names),
    assigneesOf(item, context),
    isAmongPrivate(item, context.names.privateLists),
    context.links && offeredActions(item).length > 0 ? linksText(context.links) : "",
  ];
  return fingerprint(JSON.stringify([format, follows, named]));
}

/** Identifies what a feed's links have in common. */
export const linksText = ({ feed, feedVersion, until }: FeedLinks): string =>
  `${feed} ${feedVersion} ${until.toString()}`;

const busy = {
  createdAt: null,
  summary: privateTitle,
  description: "",
  html: null,
  categories: [],
  reminder: null,
  url: null,
} as const;

function actionsOf({ key, item }: ViewItem, links: FeedLinks | null): readonly NamedLink[] {
  if (!links) return [];
  const { feed, feedVersion, until } = links;
  return makeLinks(links, { item, claim: { item: key, feed, feedVersion, until } });
}

function assigneesOf(
  item: Item,
  { names, options }: Pick<CardContext, "names" | "options">,
): readonly string[] {
  return options.assignees ? known(item.assigned, names.people) : [];
}

function categoriesOf(item: Item, { labels }: CardNames): readonly string[] {
  if (item.kind === "event") return item.milestone ? [milestoneCategory] : [];
  return known(item.labels, labels);
}

function known<Id>(ids: readonly Id[], names: ReadonlyMap<Id, string>): readonly string[] {
  const found = ids.map((id) => oneLine(names.get(id) ?? "")).filter((name) => name !== "");
  return [...new Set(found)];
}

/** Programs that display HTML show it instead of the text, so the added lines are in both. */
function htmlOf(item: Item, decoration: Decoration): string | null {
  const { description } = item;
  if (description === null || !isHtml(description)) return null;
  const safe = safeHtml(cleanText(description));
  if (safe === null) return null;
  const block = publishedDescription({ ...item, description: null }, decoration);
  const added = block === "" ? "" : `<p>${block.split("\n").map(htmlLine).join("<br>")}</p>`;
  return `<html><body>${safe}${added}</body></html>`;
}

/** Programs that display HTML do not detect URLs in its text. */
const htmlLine = (line: string): string =>
  escapeHtml(line).replace(/^(— )(.+): (https?:\/\/[^\s"]+)$/, '$1<a href="$3">$2</a>');

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
