import type { CalendarPresence } from "../../calendars/calendar-presence.ts";
import { enumerated } from "../../domain/wording.ts";
import type { FeedPresence } from "../../feeds/feed-presence.ts";
import { say } from "../../texts/say.ts";
import { badge, card, folded, table } from "./components.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

/** In which feeds and two-way calendars an item is shown, as far as the viewer may know. */
export interface ItemPresences {
  readonly feeds: readonly {
    readonly feed: { readonly id: number; readonly name: string };
    readonly presence: FeedPresence;
  }[];
  /** The viewer's; for an administrator, those of everybody with an app password. */
  readonly people: readonly { readonly name: string; readonly presence: CalendarPresence }[];
}

/** More rows are folded. */
const shownAtOnce = 8;

/** Where an item is shown, and why it is not elsewhere. Its links are relative to an item's page. */
export function presenceCard({ feeds, people }: ItemPresences): Markup | null {
  const rows = [
    ...feeds.map(({ feed, presence }) => [
      html`<a href="../../feeds/${feed.id}"><bdi>${feed.name}</bdi></a> <span class="quiet small">${say("presence.feed")}</span>`,
      html`${stateOf(presence.kind)}${presence.kind === "left-out" ? html` ${presence.why}` : null}`,
    ]),
    ...people.map(({ name, presence }) => [
      html`<bdi>${name}</bdi> <span class="quiet small">${say("presence.connected")}</span>`,
      html`${stateOf(presence.kind)} ${
        presence.kind === "shown"
          ? sayHtml("presence.in", {
              calendars: html`<bdi>${enumerated(presence.calendars)}</bdi>`,
            })
          : presence.why
      }`,
    ]),
  ];
  if (rows.length === 0) return null;
  const list = (some: typeof rows) =>
    table({
      caption: say("presence.caption"),
      columns: [say("layout.calendar"), say("presence.shownColumn")],
      rows: some,
    });
  const rest = rows.slice(shownAtOnce);
  return card({
    title: say("presence.title"),
    id: "presence",
    live: ["feeds", "mirror", "edits"],
    body: html`${list(rows.slice(0, shownAtOnce))}${rest.length === 0 ? null : folded(say("presence.more", { count: rest.length }), list(rest))}`,
  });
}

const stateOf = (kind: FeedPresence["kind"]): Markup =>
  kind === "left-out" ? badge(say("presence.leftOut")) : badge(say(`presence.${kind}`), "good");
