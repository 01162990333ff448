import { createRequire } from "node:module";
import type nodeIcal from "node-ical";
import type * as RRuleTemporal from "rrule-temporal";
import type * as WindowsIana from "windows-iana";

/*
 * Packages that only some files need, such as one that somebody edits: loaded when they are first asked for, at once, as what
 * reads a file does not wait. Node keeps them from then on.
 */

const load = createRequire(import.meta.url);

/** The second reader. */
export const loadNodeIcal = (): typeof nodeIcal => load("node-ical");

/** Yearly rules of zones. */
export const loadRruleTemporal = (): typeof RRuleTemporal => load("rrule-temporal");

/** Windows' names of zones. */
export const loadWindowsZones = (): typeof WindowsIana => load("windows-iana");
