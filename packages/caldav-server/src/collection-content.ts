import { hash } from "node:crypto";
import { AnswerTooLargeError } from "./answer-size.ts";
import { calendarText } from "./calendar-file.ts";
import { matchesWeakly } from "./conditions.ts";
import type { CollectionResource, DavAnswer, DavContext, ResourceRequest } from "./dav-request.ts";

/** The answer to GET on a collection: a calendar as one file, otherwise a text for people who opened the URL in a browser. */
export interface CollectionContent {
  readonly type: string;
  readonly etag: string;
  /** After `enough` characters the rest may be omitted; everything by default. */
  readonly pieces: (enough?: number) => Iterable<string>;
}

/** GET gives the length only up to this many characters, as more would have to be generated for it. */
const longestKnown = 2 ** 16;

/** Answers GET and HEAD. Source: RFC 4918 9.4. */
export function contentAnswer(
  context: DavContext,
  resource: CollectionResource,
  { headers }: Pick<ResourceRequest, "headers">,
): DavAnswer {
  const { type, etag, pieces } = contentOf(context, resource);
  if (matchesWeakly(headers["if-none-match"], etag)) {
    return { status: 304, headers: { ETag: etag, Vary: "Accept-Encoding" } };
  }
  return {
    status: 200,
    headers: { "Content-Type": type, ETag: etag },
    pieces: pieces(),
    longestWhole: longestKnown,
  };
}

export function contentOf(context: DavContext, resource: CollectionResource): CollectionContent {
  if (resource.kind === "calendar") {
    const { calendar } = resource;
    return {
      type: "text/calendar; charset=utf-8",
      etag: `W/"${context.backend.ctag(calendar).replaceAll('"', "")}"`,
      pieces: (enough) => calendarText(context, calendar, { enough }),
    };
  }
  const text = welcome(context);
  return {
    type: "text/plain; charset=utf-8",
    etag: `W/"${hash("sha256", text).slice(0, 32)}"`,
    pieces: () => [text],
  };
}

/** In octets; null if GET does not give it. Source: RFC 4918 15.4. */
export function lengthOf({ pieces }: CollectionContent): number | null {
  let octets = 0;
  let characters = 0;
  try {
    for (const piece of pieces(longestKnown)) {
      octets += Buffer.byteLength(piece);
      characters += piece.length;
      if (characters >= longestKnown) return null;
    }
    return octets;
  } catch (error) {
    if (error instanceof AnswerTooLargeError) return null;
    throw error;
  }
}

function welcome({ person, login, paths, origin, backend, file, name }: DavContext): string {
  const names = backend.calendars(person).map((calendar) => `- ${calendar.name}`);
  const lines = [
    `This is the CalDAV server of ${name}. A calendar program reads and changes your calendars here.`,
    "",
    `Server address: ${origin}${paths.root}`,
    `User name: ${login}`,
    "Password: your app password, as you have just entered it",
    ...(file ? [`iPhone, iPad, Mac: open ${origin}${paths.file(person.id)}`] : []),
    "",
    names.length === 0 ? "You have no calendars yet." : "Your calendars:",
    ...names,
  ];
  return `${lines.join("\n")}\n`;
}
