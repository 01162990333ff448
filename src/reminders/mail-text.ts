import type { Person } from "../domain/item.ts";
import { isZone } from "../domain/when.ts";

/** The reader's own zone, or the account's. */
export const zoneFor = ({ timeZone }: Person, account: string): string =>
  timeZone !== null && isZone(timeZone) ? timeZone : account;

export const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
