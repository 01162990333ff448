import { type Item, untitled } from "../../domain/item.ts";
import type { IncomingItem } from "../../ics/read/read-calendar.ts";
import {
  publishedSummary,
  readDescription,
  readSummary,
  sameText,
} from "../../ics/text/decoration.ts";
import { encodeUrl, looksLikeHtml, oneLine, plainDescription } from "../../ics/text/text.ts";
import { joinParts, type Note, type Part, refuse, remark, silent, wish } from "./part.ts";

/** What a summary says against what was shown; `undefined` = as it was. */
export interface TitleReading {
  readonly title: string | undefined;
  /** Set when the mark of completed items was added or taken away. */
  readonly done: boolean | undefined;
  readonly milestone: boolean;
}

const unchanged: TitleReading = { title: undefined, done: undefined, milestone: false };

/** What a feed may show of a private item instead of its title. */
const busyTitle = "Busy";

/**
 * Reads a summary that was shown for `base`. `decorated`: the channel shows feeds, whose marks are no part of the title;
 * other channels show titles as they are. `secret`: feeds may show that somebody is busy instead of the title.
 */
export function readTitle(
  summary: string | undefined,
  about: { readonly base: Item; readonly decorated: boolean; readonly secret: boolean },
): TitleReading {
  const { base, decorated, secret } = about;
  if (summary === undefined) return unchanged;
  const said = oneLine(summary);
  const own = oneLine(base.title);
  const shown = decorated ? publishedSummary(base) : own;
  if (sameText(said, shown)) return unchanged;
  if (secret && said === busyTitle) return unchanged;
  if (!decorated) return said === "" ? unnamed(base) : { ...unchanged, title: said };
  if (readSummary(own).title !== own) return readMarkedTitle(said, { base, shown, own });

  const read = readSummary(said);
  const title = sameText(read.title, own) ? undefined : read.title;
  const done = read.done === base.completed ? undefined : read.done;
  return { title, done, milestone: read.milestone };
}

/** An empty summary is as good as none. */
const unnamed = ({ title }: Item): TitleReading =>
  title === untitled ? unchanged : { ...unchanged, title: untitled };

/** The title proper begins like a mark, so that only what the feed itself put before it is taken off. */
function readMarkedTitle(
  said: string,
  { base, shown, own }: { readonly base: Item; readonly shown: string; readonly own: string },
): TitleReading {
  const prefix = shown.endsWith(own) ? shown.slice(0, shown.length - own.length) : "";
  const kept = said.startsWith(prefix);
  const title = kept ? said.slice(prefix.length) : said;
  return {
    title: sameText(title, own) ? undefined : title,
    done: base.completed && !kept ? false : undefined,
    milestone: false,
  };
}

/** The wish for the title; an item without one is refused, as the service needs it. */
export function titlePart(incoming: IncomingItem, { title }: TitleReading): Part {
  if (title === undefined) return silent;
  if (title.trim() !== "") return wish({ title });
  const message = "the title is empty; the service needs one";
  return refuse({ line: incoming.line, code: "no-title", message });
}

/** The wish for the description. What a feed shows of formatted text is compared as it is shown: as plain text. */
export function descriptionPart(incoming: IncomingItem, base: Item): Part {
  if (incoming.description === undefined) return silent;
  const said = readDescription(incoming.description);
  if (sameText(said, readDescription(plainDescription(base.description)))) return silent;
  const change = wish({ description: said === "" ? null : said });
  if (said === "" || base.description === null || !looksLikeHtml(base.description)) return change;
  const message = "the description was formatted text; the edit replaces it by plain text";
  const note = { line: incoming.line, code: "formatting-lost", message };
  return joinParts([change, remark(note)]);
}

/** The link that a feed writes for an item; null when it writes none. */
export function linkOf(item: Item, webUrl: string | null): string | null {
  if (webUrl === null || item.id === null) return null;
  return encodeUrl(
    webUrl
      .replaceAll("{project}", String(item.projectId))
      .replaceAll("{kind}", item.kind)
      .replaceAll("{id}", String(item.id)),
  );
}

/** Remarks on what the file says and the service cannot store. `link`: what the feed itself put into URL. */
export function leftovers(
  incoming: IncomingItem,
  about: { readonly base: Item; readonly link: string | null; readonly secret: boolean },
): readonly Note[] {
  const { base, link, secret } = about;
  const own =
    link !== null &&
    incoming.raw.some((line) => line === `URL;VALUE=URI:${link}` || line === `URL:${link}`);
  const lost = incoming.unstorable
    .filter(({ name }) => !(own && name === "URL"))
    .map(({ line, name, reason }) => keptNote(name, { line, reason }));
  const { line } = incoming;
  const isTask = base.kind !== "event";
  return [
    ...lost,
    ...(isTask && incoming.component === "VEVENT" && incoming.alarm
      ? [keptNote("VALARM", { line, reason: "it has no reminders for tasks" })]
      : []),
    ...(isTask && !secret && isPrivate(incoming)
      ? [keptNote("CLASS", { line, reason: "it has no private tasks" })]
      : []),
    ...(incoming.comments.length > 0 && base.kind !== "task"
      ? [keptNote("COMMENT", { line, reason: "it has comments on tasks only" })]
      : []),
  ];
}

/** The client's own octets are kept, so that what the service cannot hold is not lost. */
const keptNote = (
  property: string,
  { line, reason }: { readonly line: number; readonly reason: string },
): Note => ({
  line,
  property,
  code: "not-stored",
  message: `${property} is kept here, the service cannot store it: ${reason}`,
});

/** Whether the file asks that others do not see the item. Source: RFC 5545 3.8.1.3. */
export const isPrivate = ({ classification }: IncomingItem): boolean =>
  classification === "PRIVATE" || classification === "CONFIDENTIAL";
