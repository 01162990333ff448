import { foldLines } from "../lines/content-line.ts";
import { calendarEnd, productId } from "./write-calendar.ts";

/**
 * A CalDAV calendar object around one component: `component` is text of whole folded lines, `zones` the VTIMEZONE components it
 * needs ("" for none; `createZoneWriter` makes them). Source: RFC 4791 4.1 (one component, no METHOD); RFC 5545 3.4, 3.6.
 */
export function writeObject(component: string, zones: string): string {
  return `${head}${zones}${component}${calendarEnd}`;
}

/** The same around a component stored as unfolded lines from BEGIN to END. */
export function wrapComponent(raw: readonly string[], zones: string): string {
  return writeObject(foldLines(raw), zones);
}

const head = foldLines(["BEGIN:VCALENDAR", "VERSION:2.0", productId, "CALSCALE:GREGORIAN"]);
