import type { Item } from "../../domain/item.ts";
import type { IncomingItem } from "../../ics/read/read.ts";
import { encodeUrl } from "../../ics/text/text.ts";
import type { Note } from "./part.ts";

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
