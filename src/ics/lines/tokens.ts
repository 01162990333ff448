import { fail, ok, type Result } from "../../domain/result.ts";
import { excerpt, type IcsProblem } from "../ics-problem.ts";
import {
  type ContentLine,
  decodeText,
  readContentLine,
  type Unfolded,
  unfold,
} from "./content-line.ts";
import { readText } from "./octets.ts";

/** What stands between BEGIN and END; both groups in file order. */
export interface Component {
  /** Upper case. */
  readonly name: string;
  /** Line of its BEGIN. */
  readonly line: number;
  readonly lines: readonly ContentLine[];
  readonly components: readonly Component[];
  /** Where it stands in the text, from BEGIN to the end of END. */
  readonly from: number;
  readonly to: number;
}

/** The VCALENDAR of a text. */
export interface CalendarTree extends Component {
  readonly text: string;
}

/** The most that a calendar may hold. */
export interface TokenLimits {
  /** VCALENDAR included. */
  readonly components: number;
  /** Content lines besides BEGIN and END, in all components together. */
  readonly lines: number;
}

/** Of a whole project, as a file brings it. */
const fileLimits: TokenLimits = { components: 20_000, lines: 400_000 };
/** An invitation of a thousand people fits; each line of an item is work for the journal. */
export const itemLimits: TokenLimits = { components: 1000, lines: 5000 };
const mostZones = 64;
const deepest = 6;
const mostProblems = 20;

/**
 * Splits a file into the tree of its one VCALENDAR. LF line ends, lower-case names, a byte order mark and blank lines
 * are tolerated; everything else that is not a whole and well-formed calendar is refused, bad lines up to 20 together.
 * Source: RFC 5545 3.1, 3.4, 3.6.
 */
export function readTokens(
  bytes: Uint8Array,
  limits: TokenLimits = fileLimits,
): Result<CalendarTree, readonly IcsProblem[]> {
  const text = readText(bytes);
  return text.ok ? splitText(text.value, limits) : fail([text.failure]);
}

/** The same for text that was decoded. */
export function splitText(
  text: string,
  limits: TokenLimits = fileLimits,
): Result<CalendarTree, readonly IcsProblem[]> {
  const tree: Tree = {
    text,
    limits,
    open: [],
    faults: [],
    root: null,
    componentCount: 0,
    lineCount: 0,
    itemLineCount: 0,
    zoneCount: 0,
  };
  for (const unfolded of unfold(text)) {
    if (!takeLine(tree, unfolded)) return failWith(tree);
    if (tree.faults.length >= mostProblems) return failWith(tree);
  }
  const left = tree.open.at(-1);
  if (left) {
    const message = `the file ends inside ${left.name}: END:${left.name} is missing`;
    report(tree, { line: left.line, code: "truncated", message });
  }
  if (tree.faults.length > 0 || !tree.root) return failWith(tree);
  return ok({ ...tree.root, text });
}

/** Thrown for octets that are no calendar: whoever kept them promised that they are one. */
export class UnreadableObjectError extends Error {
  override readonly name = "UnreadableObjectError";
}

/**
 * The VCALENDAR of a calendar object that was accepted or written here, for filters. Throws `UnreadableObjectError`.
 */
export function readTree(octets: string | Uint8Array): Component {
  const tree = typeof octets === "string" ? splitText(octets) : readTokens(octets);
  if (tree.ok) return tree.value;
  const reasons = tree.failure.map(({ message }) => message).join("; ");
  throw new UnreadableObjectError(`a calendar object cannot be read: ${reasons}`);
}

/** The first line of a name; undefined when it was not sent. */
export function firstLine(component: Component, name: string): ContentLine | undefined {
  for (const line of component.lines) if (line.name === name) return line;
  return undefined;
}

/** The TEXT value of a property; undefined when it was not sent. */
export function textOf(component: Component, name: string): string | undefined {
  const line = firstLine(component, name);
  return line && decodeText(line.value);
}

/** A keyword value in upper case; undefined when it was not sent. */
export function wordOf(component: Component, name: string): string | undefined {
  return firstLine(component, name)?.value.trim().toUpperCase();
}

interface Open extends Component {
  readonly lines: ContentLine[];
  readonly components: Component[];
  to: number;
}

interface Fault extends IcsProblem {
  readonly inside: Open | undefined;
}

interface Tree {
  readonly text: string;
  readonly limits: TokenLimits;
  readonly open: Open[];
  readonly faults: Fault[];
  root: Component | null;
  componentCount: number;
  lineCount: number;
  /** Of the event or to-do that is open, with what is inside it. */
  itemLineCount: number;
  zoneCount: number;
}

/** False when reading cannot go on. */
function takeLine(tree: Tree, at: Unfolded): boolean {
  if (at.raw.trim() === "") return true;
  const here = tree.open.at(-1);
  // Whoever reads the item refuses it by what is kept of it; the rest would only cost.
  if (tree.itemLineCount > itemLimits.lines && !/^(?:BEGIN|END):/i.test(at.raw)) {
    return countLine(tree, at);
  }
  const read = readContentLine(at.raw, at.line);
  const name = read.ok ? read.value.name : null;
  if (!here && !(read.ok && name === "BEGIN" && isCalendar(read.value) && !tree.root)) {
    return refuseOutside(tree, at);
  }
  if (!read.ok) {
    report(tree, { line: at.line, code: "bad-line", message: read.failure });
    return true;
  }
  if (name === "BEGIN") return begin(tree, { line: read.value, from: at.from });
  if (name === "END") return end(tree, { line: read.value, to: at.to });
  if (!countLine(tree, at)) return false;
  if (isItemName(tree.open.at(1)?.name)) tree.itemLineCount += 1;
  here?.lines.push(read.value);
  return true;
}

const isItemName = (name: string | undefined): boolean => name === "VEVENT" || name === "VTODO";

function countLine(tree: Tree, { line }: Unfolded): boolean {
  if (++tree.lineCount <= tree.limits.lines) return true;
  const message = `it has more than ${tree.limits.lines} lines`;
  return report(tree, { line, code: "too-many-lines", message });
}

const isCalendar = (line: ContentLine): boolean =>
  line.value.trim().toUpperCase() === "VCALENDAR" && line.params.size === 0;

function refuseOutside(tree: Tree, at: Unfolded): false {
  const begins = /^BEGIN:VCALENDAR/i.test(at.raw);
  if (tree.root && begins) {
    const message = "a second VCALENDAR begins; one file holds one calendar";
    return report(tree, { line: at.line, code: "two-calendars", message });
  }
  if (!tree.root && !/^BEGIN:VCALENDAR/im.test(tree.text)) {
    const message = `there is no BEGIN:VCALENDAR; the file starts with ${excerpt(at.raw)}`;
    return report(tree, { line: at.line, code: "no-calendar", message });
  }
  const message = `${excerpt(at.raw)} stands outside the calendar`;
  return report(tree, { line: at.line, code: "text-outside", message });
}

interface Edge {
  readonly line: ContentLine;
}

function begin(tree: Tree, { line, from }: Edge & { readonly from: number }): boolean {
  const name = line.value.trim().toUpperCase();
  const fault = limitFault(tree, name);
  if (fault) return report(tree, { line: line.line, ...fault });
  const opened: Open = { name, line: line.line, lines: [], components: [], from, to: from };
  tree.open.at(-1)?.components.push(opened);
  tree.open.push(opened);
  return true;
}

function limitFault(tree: Tree, name: string): { code: string; message: string } | null {
  if (name === "VCALENDAR" && tree.open.length > 0) {
    return { code: "two-calendars", message: "a VCALENDAR begins inside another one" };
  }
  if (tree.open.length >= deepest) {
    return { code: "too-deep", message: `components are nested more than ${deepest} deep` };
  }
  if (++tree.componentCount > tree.limits.components) {
    const message = `it has more than ${tree.limits.components} components`;
    return { code: "too-many-components", message };
  }
  if (name === "VTIMEZONE" && ++tree.zoneCount > mostZones) {
    const message = `the file has more than ${mostZones} VTIMEZONE components`;
    return { code: "too-many-zones", message };
  }
  return null;
}

function end(tree: Tree, { line, to }: Edge & { readonly to: number }): boolean {
  const name = line.value.trim().toUpperCase();
  const closed = tree.open.at(-1);
  if (closed?.name !== name) {
    const message = `END:${name} does not match BEGIN:${closed?.name} of line ${closed?.line}`;
    return report(tree, { line: line.line, code: "mismatched-end", message });
  }
  tree.open.pop();
  if (tree.open.length === 1) tree.itemLineCount = 0;
  closed.to = to;
  if (tree.open.length === 0) tree.root = closed;
  return true;
}

function report(
  tree: Tree,
  fault: { readonly line: number; readonly code: string; readonly message: string },
): false {
  tree.faults.push({ ...fault, uid: null, inside: tree.open.at(1) });
  return false;
}

/** The UID may follow the faulty line, so it is looked up last. */
function failWith(tree: Tree): Result<never, readonly IcsProblem[]> {
  return fail(
    tree.faults.map(({ inside, ...problem }) => {
      const uid = inside?.lines.find((line) => line.name === "UID")?.value ?? null;
      return { ...problem, uid };
    }),
  );
}
