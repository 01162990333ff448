import { type Item, untitled } from "../../domain/item.ts";
import type { IncomingItem } from "../../ics/read/read.ts";
import {
  publishedSummary,
  readDescription,
  readSummary,
  sameText,
} from "../../ics/text/decoration.ts";
import { looksLikeHtml, oneLine, plainDescription } from "../../ics/text/text.ts";
import { joinParts, type Part, refuse, remark, silent, wish } from "./part.ts";

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
