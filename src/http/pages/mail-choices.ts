import {
  type MailChoice,
  type MailKind,
  type MailWishes,
  mailKinds,
} from "../../domain/mail-kind.ts";
import { capital } from "../../domain/text.ts";
import { say } from "../../texts/say.ts";
import type { Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

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
    title: say("mails.title"),
    width: "narrow",
    body: html`<div class="card"><p class="quiet">${sayHtml("mails.for", { name: html`<bdi>${name}</bdi>` })}</p>
${done && html`<p role="status"><strong>${doneInWords(done)}</strong></p>`}
${
  isNone
    ? html`<p>${say("mails.none")}</p>${button({ to: "on", choice: "all" }, say("mails.getAgain"))}`
    : html`<ul class="plain-list">${rows}</ul>
${button({ to: "off", choice: "all" }, say("mails.stopAll"))}`
}
<p class="quiet">${say("mails.only")}</p></div>`,
  };
}

/** Says that a link is invalid. */
export function unknownLinkPage(): Page {
  return {
    title: say("link.notValid"),
    width: "narrow",
    body: html`<div class="card"><p>${say("link.incomplete")}</p><p class="quiet">${say("link.unchanged")}</p></div>`,
  };
}

function kindRow(
  kind: MailKind,
  { granted, off }: { readonly granted: boolean; readonly off: readonly MailChoice[] },
): Markup {
  const words = say(`mails.kind.${kind}`);
  if (!granted) {
    return html`<li><p class="title">${capital(words)}</p><p class="quiet">${say("mails.offByAdmin")}</p></li>`;
  }
  const isOff = off.includes(kind);
  const change: ChoiceChange = { to: isOff ? "on" : "off", choice: kind };
  return html`<li><p class="title">${capital(words)}</p><p class="quiet">${isOff ? say("mails.off") : say("mails.on")}</p>
${button(change, say(isOff ? "mails.again" : "mails.stop", { kind: words }))}</li>`;
}

const button = ({ to, choice }: ChoiceChange, words: string): Markup =>
  html`<form method="post"><input type="hidden" name="${to}" value="${choice}"><button>${words}</button></form>`;

function doneInWords({ to, choice }: ChoiceChange): string {
  const kind = bare(say(`mails.kind.${choice}`));
  return say(to === "off" ? "mails.stopped" : "mails.resumed", { kind });
}

/** "no more digest", not "no more the digest". */
const bare = (words: string): string => words.replace(/^the /, "");
