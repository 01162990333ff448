import { createRequire } from "node:module";
import type nodeIcal from "node-ical";
import type * as RRuleTemporal from "rrule-temporal";
import type * as WindowsIana from "windows-iana";

/**
 * Packages that only some files need, for example edited ones: loaded synchronously on first use, because parsing does not
 * wait. Node caches them.
 */

const load = createRequire(import.meta.url);

/** The second parser. */
export const loadNodeIcal = (): typeof nodeIcal => load("node-ical");

/** Yearly time zone rules. */
export const loadRruleTemporal = (): typeof RRuleTemporal => load("rrule-temporal");

/** Windows time zone names. */
export const loadWindowsZones = (): typeof WindowsIana => load("windows-iana");
