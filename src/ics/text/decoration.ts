import { cleanText, encodeUrl, oneLine } from "@dayferry/ical";
import type { Item } from "../../domain/item.ts";
import { plainDescription } from "../../domain/text.ts";
import { say } from "../../texts/say.ts";

/** What a feed adds to a description. CalDAV calendars never do. */
export interface Decoration {
  /** Names of the assignees. */
  readonly assignees: readonly string[];
  readonly links: readonly { readonly label: string; readonly url: string }[];
}

/** A summary without a feed's prefixes. */
export interface ShownSummary {
  readonly title: string;
  readonly done: boolean;
  readonly milestone: boolean;
}

const doneMark = "✓";
const milestoneMark = "◆";
const untitled = "(untitled)";
const delimiter = "— Dayferry —";
const entryStart = "— ";

/** The title in a feed: with "✓ " if completed, else "◆ " for a milestone; never empty. */
export function publishedSummary(item: Item): string {
  const title = oneLine(item.title) || untitled;
  if (item.completed) return `${doneMark} ${title}`;
  return item.kind === "event" && item.milestone ? `${milestoneMark} ${title}` : title;
}

/** The description in a feed: plain text, then a delimited block with assignees and links, if any. */
export function publishedDescription(item: Item, decoration: Decoration): string {
  const text = readDescription(plainDescription(item.description));
  const entries = decorationLines(decoration);
  if (entries.length === 0) return text;
  const block = [delimiter, ...entries].join("\n");
  return text === "" ? block : `${text}\n\n${block}`;
}

/** Removes a feed's prefixes from a summary. Other texts stay unchanged. */
export function readSummary(shown: string): ShownSummary {
  let title = cleanText(shown).trim();
  let done = false;
  let milestone = false;
  for (;;) {
    const mark = /^([✓◆])[ \u00a0]+/.exec(title);
    if (!mark) return { title: title === untitled ? "" : title, done, milestone };
    if (mark[1] === doneMark) done = true;
    else milestone = true;
    title = title.slice(mark[0].length);
  }
}

/**
 * Removes a feed's block from a description, also if somebody has written below it: nothing of it may become part of the item,
 * least of all a signed link. Text below it follows after a blank line. Line ends become LF.
 */
export function readDescription(text: string): string {
  const kept: string[] = [];
  let inBlock = false;
  for (const line of cleanText(text).trimEnd().split("\n")) {
    if (isDelimiter(line)) {
      inBlock = true;
      while (kept.at(-1)?.trim() === "") kept.pop();
    } else if (!(inBlock && isEntry(line))) {
      if (inBlock && kept.length > 0) kept.push("");
      inBlock = false;
      kept.push(line);
    }
  }
  return kept.join("\n").trimEnd();
}

function decorationLines({ assignees, links }: Decoration): readonly string[] {
  const names = assignees.map(oneLine).filter((name) => name !== "");
  const people =
    names.length > 0
      ? [`${entryStart}${say("decoration.assigned", { names: names.join(", ") })}`]
      : [];
  const addresses = links.map(({ label, url }) => {
    return `${entryStart}${oneLine(label) || say("decoration.link")}: ${encodeUrl(url)}`;
  });
  return [...people, ...addresses];
}

const plainSpaces = (line: string | undefined): string => (line ?? "").replaceAll("\u00a0", " ");

const isDelimiter = (line: string | undefined): boolean => plainSpaces(line).trim() === delimiter;

/** Programs may insert blank lines between the entries. */
function isEntry(line: string | undefined): boolean {
  const shown = plainSpaces(line);
  return shown.trim() === "" || shown.startsWith(entryStart);
}
