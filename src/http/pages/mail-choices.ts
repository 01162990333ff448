import {
  type MailChoice,
  type MailKind,
  type MailWishes,
  mailKinds,
  mailKindWords,
} from "../../domain/mail-kind.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** A reader's mail settings through the link of one mail. */
export interface MailChoiceView {
  readonly name: string;
  /** The kind of the mail; "all" for a mail of several kinds. */
  readonly choice: MailChoice;
  readonly off: readonly MailChoice[];
  readonly granted: MailWishes;
}

/** What a reader has just changed. */
export interface ChoiceChange {
  readonly to: "off" | "on";
  readonly choice: MailChoice;
}

/** A reader's mail settings, with a button for each, the mail's own kind first. */
export function choicePage(
  { name, choice, off, granted }: MailChoiceView,
  { done }: { readonly done: ChoiceChange | null },
): Page {
  const isNone = off.includes("all");
  const kinds = mailKinds.toSorted((a, b) => Number(b === choice) - Number(a === choice));
  const rows = kinds.map((kind) => kindRow(kind, { granted: granted[kind], off }));
  return {
    title: "Your mails",
    width: "narrow",
    body: html`<div class="card"><p class="quiet">For <bdi>${name}</bdi>.</p>
${done && html`<p role="status"><strong>${doneInWords(done)}</strong></p>`}
${
  isNone
    ? html`<p>You get no mails.</p>${button({ to: "on", choice: "all" }, "Get mails again")}`
    : html`<ul class="plain-list">${rows}</ul>
${button({ to: "off", choice: "all" }, "Stop all mails")}`
}
<p class="quiet">These settings apply to mails from Dayferry only.</p></div>`,
  };
}

/** Says that a link is invalid. */
export function unknownLinkPage(): Page {
  return {
    title: "Link not valid",
    width: "narrow",
    body: html`<div class="card"><p>It may be incomplete. Copy the whole link.</p><p class="quiet">Nothing was changed.</p></div>`,
  };
}

function kindRow(
  kind: MailKind,
  { granted, off }: { readonly granted: boolean; readonly off: readonly MailChoice[] },
): Markup {
  const words = mailKindWords[kind];
  if (!granted) {
    return html`<li><p class="title">${capital(words)}</p><p class="quiet">Turned off by the admin.</p></li>`;
  }
  const isOff = off.includes(kind);
  const change: ChoiceChange = { to: isOff ? "on" : "off", choice: kind };
  return html`<li><p class="title">${capital(words)}</p><p class="quiet">${isOff ? "Off." : "On."}</p>
${button(change, `${isOff ? "Get" : "Stop"} ${words}${isOff ? " again" : ""}`)}</li>`;
}

const button = ({ to, choice }: ChoiceChange, words: string): Markup =>
  html`<form method="post"><input type="hidden" name="${to}" value="${choice}"><button>${words}</button></form>`;

function doneInWords({ to, choice }: ChoiceChange): string {
  const what = choice === "all" ? "mails" : mailKindWords[choice];
  return to === "off" ? `You get no more ${bare(what)}.` : `You get ${bare(what)} again.`;
}

/** "no more digest", not "no more the digest". */
const bare = (words: string): string => words.replace(/^the /, "");

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
