import type { CalendarPresence } from "../../calendars/calendar-presence.ts";
import type { Comment, HistoryEntry } from "../../domain/comment.ts";
import type { PersonId } from "../../domain/ids.ts";
import { plainDescription } from "../../domain/text.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { dayInWords, enumerated, momentInWords } from "../../domain/wording.ts";
import type { FeedPresence } from "../../feeds/feed-presence.ts";
import type { ViewItem } from "../../store/view/view.ts";
import { say } from "../../texts/say.ts";
import { badge, card, folded, table } from "./components.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

/** In which feeds and two-way calendars an item is shown, as far as the viewer may know. */
export interface ItemPresences {
  readonly feeds: readonly {
    readonly feed: { readonly id: number; readonly name: string };
    readonly presence: FeedPresence;
  }[];
  /** The viewer's calendars; for an administrator, those of everybody with an app password. */
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

/** An item's subtasks. */
export function subtaskCard(subtasks: readonly ViewItem[]): Markup | null {
  if (subtasks.length === 0) return null;
  const entries = subtasks.map(
    ({ key, item }) =>
      html`<li><a href="${key}"><bdi>${item.title}</bdi></a>${item.completed ? html` ${badge(say("badge.done"), "good")}` : null}${
        item.kind !== "event" && item.dueOn
          ? html` <span class="quiet">${say("item.due", { day: dayInWords(item.dueOn) })}</span>`
          : null
      }</li>`,
  );
  return card({ title: say("field.subtaskCount"), body: html`<ul class="plain">${entries}</ul>` });
}

/** What people did with an item. `names`: of all people. */
export interface ItemActivity {
  readonly comments: readonly Comment[];
  /** Its history in the service, oldest first. */
  readonly history: readonly HistoryEntry[];
  readonly names: ReadonlyMap<PersonId, string>;
  readonly viewer: Viewer;
}

/** The comments on an item. */
export function commentCard({ comments, names, viewer }: ItemActivity): Markup | null {
  if (comments.length === 0) return null;
  const entries = comments.map(
    ({ creatorId, createdAt, description }) =>
      html`<li><p class="quiet"><bdi>${nameOf(creatorId, names)}</bdi>${
        createdAt ? html`, ${momentInWords(createdAt, viewer.zone)}` : null
      }</p><p class="prose">${plainDescription(description)}</p></li>`,
  );
  return card({ title: say("field.commentCount"), body: html`<ul class="plain">${entries}</ul>` });
}

/** The history of an item, newest first. */
export function historyCard({ history, names, viewer }: ItemActivity): Markup | null {
  if (history.length === 0) return null;
  const entries = history.toReversed().map(({ personId, action, activityAt, on }) => {
    const day = on ? html`, ${dayInWords(on)}` : null;
    return html`<li><bdi>${nameOf(personId, names)}</bdi>: <bdi>${action}</bdi><span class="quiet">${
      activityAt ? html`, ${momentInWords(activityAt, viewer.zone)}` : day
    }</span></li>`;
  });
  const title = say("item.history", { count: history.length });
  return card({ title: null, body: folded(title, html`<ul class="plain">${entries}</ul>`) });
}

const nameOf = (id: PersonId | null, names: ItemActivity["names"]): string =>
  id === null ? say("item.someone") : (names.get(id) ?? say("unnamed.Person", { id }));
