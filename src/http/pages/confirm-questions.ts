import { asSentence } from "../../domain/text.ts";
import type { EditStory } from "../../edits/actions/describe.ts";
import type { PublishedFeed } from "../../feeds/published-feeds.ts";
import type { PasswordUse } from "../../people/password-use.ts";
import type { PersonDescription } from "../../people/people.ts";
import { listParts } from "../../texts/dates.ts";
import { say } from "../../texts/say.ts";
import type { ConfirmQuestion } from "./confirm-page.ts";
import { spoken, timeTag } from "./edit-parts.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

// Questions before destructive actions. `zone`: zone of the times; `back`: the target of Cancel.

interface Asking {
  readonly zone: string;
  readonly back: string;
}

export const endFeedQuestion = (
  feed: Pick<PublishedFeed, "name" | "fetches" | "automatic">,
  { zone, back }: Asking,
): ConfirmQuestion => ({
  title: say("ask.endFeed", { name: feed.name }),
  body: html`${dependents(fetchedBy(feed.fetches, zone), say("ask.notFetched"))}
<p>${say("ask.endFeedText")} ${feed.automatic ? `${say("ask.noNewFeed")} ` : ""}${say("ask.canUndo")}</p>`,
  label: say("feed.end"),
  back,
});

export const rotateFeedQuestion = (
  feed: Pick<PublishedFeed, "name" | "fetches">,
  { zone, back }: Asking,
): ConfirmQuestion => ({
  title: say("ask.rotate", { name: feed.name }),
  body: html`${dependents(fetchedBy(feed.fetches, zone), say("ask.notFetched"))}
<p>${say("ask.rotateText")}</p>`,
  label: say("feed.rotate"),
  back,
});

/** `isNew`: another password replaces it. */
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
  const used = programs.map(({ name, at }) =>
    sayHtml("ask.lastEdit", {
      program: html`<bdi>${name}</bdi>`,
      at: timeTag(at, asking.zone),
    }),
  );
  const { name } = person;
  const loggedOut =
    others > 0 ? ` ${say(isOwn ? "ask.othersLoggedOut" : "ask.loggedOut", { count: others })}` : "";
  return {
    title: say(isNew ? "ask.replacePassword" : "ask.removePassword", { name }),
    body: html`${dependents(
      used.length === 0 ? null : sayHtml("ask.usedBy", { programs: listed(used) }),
      say("ask.notUsed"),
    )}
<p>${say(isNew ? "ask.passwordStopsUntil" : "ask.passwordStops")}${loggedOut}</p>`,
    label: isNew ? say("ask.newPassword") : say("action.removeIt"),
    back: asking.back,
  };
};

export const discardQuestion = ({ words, ways }: EditStory, back: string): ConfirmQuestion => ({
  title: say("ask.discardEdit"),
  body: html`<p>${spoken(words.sentence)}.</p>
<p>${asSentence(ways.find(({ act }) => act === "discard")?.does ?? say("way.doesSendNothing"))} ${say("ask.notUndoable")}</p>`,
  label: say("action.discard"),
  back,
});

/** For an edit that deletes an item. */
export const approveDeletionQuestion = (
  { words, item }: EditStory,
  back: string,
): ConfirmQuestion => ({
  title: say("ask.deleteForAll", { title: item.title }),
  body: html`<p>${spoken(words.sentence)}.</p>
<p>${say("ask.deleteForAllText")}</p>`,
  label: say("ask.deleteForAllButton"),
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
  title: say("ask.removeItems", { missing, where }),
  body: html`<ul>${titles.map((title) => html`<li><bdi>${title}</bdi></li>`)}</ul>
${titles.length < missing ? html`<p>${say("ask.andMore", { count: missing - titles.length })}</p>` : null}
<p>${say("ask.removalsText")}</p>`,
  label: say("action.removeThem"),
  back,
});

export const logOutOthersQuestion = (others: number, back: string): ConfirmQuestion => ({
  title: say("ask.logOutElsewhere"),
  body: html`<p>${say("ask.browsersOut", { count: others })}</p>`,
  label: say("ask.logOutOthers"),
  back,
});

export const removeWebhookQuestion = (host: string, back: string): ConfirmQuestion => ({
  title: say("ask.mailOnly"),
  body: html`<p>${sayHtml("ask.mailOnlyText", { host: html`<bdi>${host}</bdi>` })}</p>`,
  label: say("webhook.mailOnly"),
  back,
});

/** Before a webhook for events is deleted. */
export const deleteHookQuestion = (name: string): ConfirmQuestion => ({
  title: say("ask.deleteHook"),
  body: html`<p>${sayHtml("ask.deleteHookText", { name: html`<bdi>${name}</bdi>` })}</p>`,
  label: say("hooks.delete"),
  back: "webhooks",
});

const dependents = (used: Markup | null, unused: string): Markup => html`<p>${used ?? unused}</p>`;

function fetchedBy(fetches: PublishedFeed["fetches"], zone: string): Markup | null {
  if (fetches.length === 0) return null;
  const programs = fetches.map(({ program, at }) =>
    sayHtml("ask.lastOn", { program: html`<bdi>${program}</bdi>`, at: timeTag(at, zone) }),
  );
  return sayHtml("ask.fetchedBy", { programs: listed(programs) });
}

/** "a, b and c". */
const listed = (parts: readonly Markup[]): Markup =>
  html`${listParts(parts.map((_, index) => String(index))).map(({ type, value }) =>
    type === "element" ? (parts[Number(value)] ?? null) : value,
  )}`;
