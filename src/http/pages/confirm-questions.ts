import type { EditStory } from "../../edits/actions/describe.ts";
import type { PublishedFeed } from "../../feeds/published-feeds.ts";
import type { PasswordUse } from "../../people/password-use.ts";
import type { PersonDescription } from "../../people/people.ts";
import type { ConfirmQuestion } from "./confirm-page.ts";
import { asSentence, spoken, timeTag } from "./edit-parts.ts";
import { html, type Markup } from "./markup-template.ts";

// Questions before destructive actions. `zone`: zone of the times; `back`: where Cancel leads.

interface Asking {
  readonly zone: string;
  readonly back: string;
}

export const endFeedQuestion = (
  feed: Pick<PublishedFeed, "name" | "fetches" | "automatic">,
  { zone, back }: Asking,
): ConfirmQuestion => ({
  title: `End the feed ${feed.name}?`,
  body: html`${dependents(fetchedBy(feed.fetches, zone), "No program has fetched it yet.")}
<p>Its address stops working. Programs keep the last version or show an error.${
    feed.automatic ? " The project gets no new feed by itself." : ""
  } Nothing changes in the workspace. You can undo this.</p>`,
  label: "End this feed",
  back,
});

export const rotateFeedQuestion = (
  feed: Pick<PublishedFeed, "name" | "fetches">,
  { zone, back }: Asking,
): ConfirmQuestion => ({
  title: `Make a new address for ${feed.name}?`,
  body: html`${dependents(fetchedBy(feed.fetches, zone), "No program has fetched it yet.")}
<p>The old address stops working at once. This cannot be undone. Enter the new address in each program.</p>`,
  label: "Make a new address",
  back,
});

/** `isNew`: it is replaced by another one. */
export const endPasswordQuestion = (
  person: Pick<PersonDescription, "name">,
  {
    use,
    isNew,
    isOwn,
    ...asking
  }: Asking & { readonly use: PasswordUse; readonly isNew: boolean; readonly isOwn: boolean },
): ConfirmQuestion => {
  const { programs, logIns } = use;
  const others = isOwn ? logIns - 1 : logIns;
  const used = programs.map(
    ({ name, at }) => html`<bdi>${name}</bdi> (last edit ${timeTag(at, asking.zone)})`,
  );
  return {
    title: isNew
      ? `Replace the app password of ${person.name}?`
      : `Remove the app password of ${person.name}?`,
    body: html`${dependents(
      used.length === 0 ? null : html`Used by ${listed(used)}.`,
      "No program has used it for an edit yet.",
    )}
<p>The old password stops working at once. This cannot be undone. Calendar programs stop syncing${
      isNew ? " until you enter the new one in each" : ""
    }.${
      others > 0
        ? ` ${others} ${isOwn ? "other " : ""}${others === 1 ? "browser is" : "browsers are"} logged out.`
        : ""
    }</p>`,
    label: isNew ? "Make a new password" : "Remove it",
    back: asking.back,
  };
};

export const discardQuestion = ({ words, ways }: EditStory, back: string): ConfirmQuestion => ({
  title: "Discard this edit?",
  body: html`<p>${spoken(words.sentence)}.</p>
<p>${asSentence(ways.find(({ act }) => act === "discard")?.does ?? "nothing is sent")} This cannot be undone. The edit stays in the list.</p>`,
  label: "Discard",
  back,
});

/** For an edit that deletes an item. */
export const approveDeletionQuestion = (
  { words, item }: EditStory,
  back: string,
): ConfirmQuestion => ({
  title: `Delete ${item.title} for everyone?`,
  body: html`<p>${spoken(words.sentence)}.</p>
<p>Deletes the item in the workspace and in every calendar. Undo creates it again, without comments and files.</p>`,
  label: "Delete for everyone",
  back,
});

export const removalsQuestion = (
  {
    where,
    missing,
    titles,
  }: { readonly where: string; readonly missing: number; readonly titles: readonly string[] },
  back: string,
): ConfirmQuestion => ({
  title: `Remove ${missing} items of ${where}?`,
  body: html`<ul>${titles.map((title) => html`<li><bdi>${title}</bdi></li>`)}</ul>
${titles.length < missing ? html`<p>and ${missing - titles.length} more</p>` : null}
<p>The service no longer lists them. Each is removed from calendars once the service confirms that it is gone.</p>`,
  label: "Remove them",
  back,
});

export const logOutOthersQuestion = (others: number, back: string): ConfirmQuestion => ({
  title: "Log out everywhere else?",
  body: html`<p>${others === 1 ? "One other browser is" : `${others} other browsers are`} logged out at once. Calendar programs stay connected.</p>`,
  label: "Log out all others",
  back,
});

export const removeWebhookQuestion = (host: string, back: string): ConfirmQuestion => ({
  title: "Send reminders by mail only?",
  body: html`<p>Nothing is sent to <bdi>${host}</bdi> any more. Its address and token are deleted.</p>`,
  label: "Send by mail only",
  back,
});

const dependents = (used: Markup | null, unused: string): Markup => html`<p>${used ?? unused}</p>`;

function fetchedBy(fetches: PublishedFeed["fetches"], zone: string): Markup | null {
  if (fetches.length === 0) return null;
  const programs = fetches.map(
    ({ program, at }) => html`<bdi>${program}</bdi> (last on ${timeTag(at, zone)})`,
  );
  return html`Fetched by ${listed(programs)}.`;
}

/** "a, b and c". */
function listed(parts: readonly Markup[]): Markup {
  const [first, ...rest] = parts;
  const last = rest.pop();
  return html`${first ?? null}${rest.map((part) => html`, ${part}`)}${last ? html` and ${last}` : null}`;
}
