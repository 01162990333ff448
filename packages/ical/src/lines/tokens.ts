import { type IcsProblem, quotedValue } from "../ics-problem.ts";
import { fail, ok, type Result } from "../result.ts";
import { inEnglish, type Sentence, sentence } from "../sentences.ts";
import {
  type ContentLine,
  decodeText,
  foldLines,
  isVoid,
  readContentLine,
  type Unfolded,
  unfold,
} from "./content-line.ts";
import { readText, withoutControlOctets } from "./octets.ts";

/** The content between BEGIN and END, in file order. */
export interface Component {
  /** Upper case. */
  readonly name: string;
  /** Line of its BEGIN. */
  readonly line: number;
  readonly lines: readonly ContentLine[];
  readonly components: readonly Component[];
  /** Its position in the text, from BEGIN to the end of END. */
  readonly from: number;
  readonly to: number;
}

/** The VCALENDAR of a file. */
export interface CalendarTree extends Component {
  readonly text: string;
  /** True if lines were repaired. */
  readonly isMended: boolean;
}

/** Size limits of a calendar. */
export interface TokenLimits {
  /** Including VCALENDAR. */
  readonly components: number;
  /** Content lines of all components together, without BEGIN and END. */
  readonly lines: number;
}

/** For a whole project in one file. */
const fileLimits: TokenLimits = { components: 20_000, lines: 400_000 };
/** Enough for an invitation of a thousand people; each line of an item costs time in the journal. */
export const itemLimits: TokenLimits = { components: 1000, lines: 5000 };
/** Per VCALENDAR. */
const mostZones = 64;
const deepest = 6;
const mostProblems = 20;

/** Result of parsing a file, with what could not be parsed. */
export interface TokenReading {
  /** At least one, in file order. */
  readonly calendars: readonly CalendarTree[];
  /** By the component of a VCALENDAR, such as an event, that contains them. */
  readonly faults: ReadonlyMap<Component, readonly IcsProblem[]>;
  /** Outside of such components; what they refer to was left out. */
  readonly skipped: readonly IcsProblem[];
}

/**
 * Splits a file into its calendars. A fault affects only its component: parsing continues at the next one. Fails if nothing can
 * be trusted: not text, no calendar, a truncated one, or too much of anything. Source: RFC 5545 3.1, 3.4 (a stream of
 * calendars), 3.6.
 */
export function readLenientTokens(bytes: Uint8Array): Result<TokenReading, readonly IcsProblem[]> {
  const text = readText(bytes);
  if (!text.ok) return fail([text.failure]);
  const tree = growTree(text.value, fileLimits);
  if (tree.fatal) return fail([named(tree.fatal)]);
  const faults = new Map<Component, IcsProblem[]>();
  const skipped: IcsProblem[] = [];
  for (const fault of tree.faults) {
    if (fault.code === "two-calendars") continue;
    const { inside } = fault;
    if (!inside) skipped.push(named(fault));
    else faults.set(inside, [...(faults.get(inside) ?? []), named(fault)]);
  }
  const { isMended } = tree;
  const calendars = tree.calendars.map((one) => ({ ...one, text: text.value, isMended }));
  return ok({ calendars, faults, skipped });
}

/**
 * Parses a file with exactly one VCALENDAR. Accepts LF line ends, lower-case names, a byte order mark and blank lines; anything
 * else that is not a complete and well-formed calendar is rejected, with up to 20 problems. Source: RFC 5545 3.1, 3.4, 3.6.
 */
export function readTokens(
  bytes: Uint8Array,
  limits: TokenLimits = fileLimits,
): Result<CalendarTree, readonly IcsProblem[]> {
  const text = readText(bytes);
  return text.ok ? splitText(text.value, limits) : fail([text.failure]);
}

/** The same for decoded text. */
export function splitText(
  text: string,
  limits: TokenLimits = fileLimits,
): Result<CalendarTree, readonly IcsProblem[]> {
  const { fatal, faults, calendars, isMended } = growTree(text, limits);
  const found = fatal ? [...faults, fatal] : faults;
  const [calendar] = calendars;
  return found.length > 0 || !calendar
    ? fail(found.slice(0, mostProblems).map(named))
    : ok({ ...calendar, text, isMended });
}

/** The bytes of a calendar object as they are stored: without control characters and with well-formed lines. */
export function mendOctets(octets: Buffer): Buffer {
  const text = withoutControlOctets(octets).toString("utf8");
  const mended = [...unfold(text)].map(({ raw, line, from, to }) => {
    const read = readContentLine(raw, line);
    if (!read.ok) return text.slice(from, to);
    if (isVoid(read.value)) return "";
    return read.value.raw === raw ? text.slice(from, to) : foldLines([read.value.raw]);
  });
  return Buffer.from(mended.join(""));
}

function growTree(text: string, limits: TokenLimits): Tree {
  const tree: Tree = {
    text,
    limits,
    open: [],
    faults: [],
    faultCounts: new Map(),
    fatal: null,
    isMended: false,
    calendars: [],
    componentCount: 0,
    lineCount: 0,
    itemLineCount: 0,
    zoneCount: 0,
  };
  for (const unfolded of unfold(text)) {
    takeLine(tree, unfolded);
    if (tree.fatal) return tree;
  }
  if (tree.calendars.length === 0) {
    const start = text.trimStart().split(/\r?\n/, 1)[0] ?? "";
    const message = sentence("ical.noCalendar", { text: quotedValue(start) });
    tree.faults.length = 0;
    end(tree, { line: 1, code: "no-calendar", message });
  }
  const left = tree.open.at(-1);
  if (left) {
    const message = sentence("ical.truncated", { name: left.name });
    end(tree, { line: left.line, code: "truncated", message });
  }
  return tree;
}

/** Thrown for stored bytes that are not a calendar. */
export class UnreadableObjectError extends Error {
  override readonly name = "UnreadableObjectError";
}

/** Parses a stored calendar object, for filters. Throws `UnreadableObjectError`. */
export function readTree(octets: string | Uint8Array): Component {
  const tree = typeof octets === "string" ? splitText(octets) : readTokens(octets);
  if (tree.ok) return tree.value;
  const reasons = tree.failure.map(({ message }) => inEnglish(message)).join("; ");
  throw new UnreadableObjectError(`a calendar object cannot be read: ${reasons}`);
}

/** The first line with a name; undefined if not sent. */
export function firstLine(component: Component, name: string): ContentLine | undefined {
  for (const line of component.lines) if (line.name === name) return line;
  return undefined;
}

/** The TEXT value of a property; undefined if not sent. */
export function textOf(component: Component, name: string): string | undefined {
  const line = firstLine(component, name);
  return line && decodeText(line.value);
}

/** A keyword value in upper case; undefined if not sent. */
export function wordOf(component: Component, name: string): string | undefined {
  return firstLine(component, name)?.value.trim().toUpperCase();
}

interface Open extends Component {
  readonly lines: ContentLine[];
  readonly components: Component[];
  to: number;
}

interface Fault extends Omit<IcsProblem, "uid"> {
  /** The component of the calendar that contains it. */
  readonly inside: Open | undefined;
}

interface Tree {
  readonly text: string;
  readonly limits: TokenLimits;
  readonly open: Open[];
  readonly faults: Fault[];
  readonly faultCounts: Map<Open | undefined, number>;
  /** Why parsing stopped early. */
  fatal: Fault | null;
  isMended: boolean;
  readonly calendars: Open[];
  componentCount: number;
  lineCount: number;
  /** Lines of the open event or to-do, including its subcomponents. */
  itemLineCount: number;
  zoneCount: number;
}

function takeLine(tree: Tree, at: Unfolded): void {
  if (at.raw.trim() === "") return;
  const here = tree.open.at(-1);
  // The item will be rejected because of the lines kept; more would only cost time.
  if (tree.itemLineCount > itemLimits.lines && !/^(?:BEGIN|END)\s*[:;]/i.test(at.raw)) {
    countLine(tree, at);
    return;
  }
  const read = readContentLine(at.raw, at.line);
  const name = read.ok ? read.value.name : null;
  if (!here && !(read.ok && name === "BEGIN" && isCalendar(read.value))) {
    const message = sentence("ical.outside", { text: quotedValue(at.raw) });
    report(tree, { line: at.line, code: "text-outside", message });
  } else if (!read.ok) {
    report(tree, { line: at.line, code: "bad-line", message: read.failure });
  } else if (name === "BEGIN") begin(tree, read.value, at.from);
  else if (name === "END") close(tree, read.value, at.to);
  else if (countLine(tree, at)) {
    if (isItemName(tree.open.at(1)?.name)) tree.itemLineCount += 1;
    const isSaid = !isVoid(read.value);
    if (isSaid) here?.lines.push(read.value);
    if (!isSaid || read.value.raw !== at.raw) tree.isMended = true;
  }
}

const isItemName = (name: string | undefined): boolean => name === "VEVENT" || name === "VTODO";

/** Occur only directly in a VCALENDAR: anything open when they begin has lost its END. */
const outerNames: ReadonlySet<string> = new Set([
  "VAVAILABILITY",
  "VEVENT",
  "VFREEBUSY",
  "VJOURNAL",
  "VTIMEZONE",
  "VTODO",
]);

function countLine(tree: Tree, { line }: Unfolded): boolean {
  if (++tree.lineCount <= tree.limits.lines) return true;
  const message = sentence("ical.tooManyLines", { most: tree.limits.lines });
  end(tree, { line, code: "too-many-lines", message });
  return false;
}

const isCalendar = (line: ContentLine): boolean =>
  line.value.trim().toUpperCase() === "VCALENDAR" && line.params.size === 0;

function begin(tree: Tree, line: ContentLine, from: number): void {
  const name = line.value.trim().toUpperCase();
  if (++tree.componentCount > tree.limits.components) {
    const message = sentence("ical.tooManyComponents", { most: tree.limits.components });
    end(tree, { line: line.line, code: "too-many-components", message });
    return;
  }
  if (name === "VCALENDAR") {
    if (tree.calendars.length > 0) {
      const message = sentence("ical.secondCalendar");
      report(tree, { line: line.line, code: "two-calendars", message });
    }
    leave(tree, { depth: 0, at: line, to: from });
  } else if (outerNames.has(name)) leave(tree, { depth: 1, at: line, to: from });
  const opened: Open = { name, line: line.line, lines: [], components: [], from, to: from };
  if (tree.open.length === 0) tree.calendars.push(opened);
  else if (tree.open.length < deepest) tree.open.at(-1)?.components.push(opened);
  else {
    const message = sentence("ical.tooDeep", { most: deepest });
    report(tree, { line: line.line, code: "too-deep", message });
  }
  tree.open.push(opened);
  if (name === "VCALENDAR") tree.zoneCount = 0;
  if (name === "VTIMEZONE" && ++tree.zoneCount > mostZones) {
    const message = sentence("ical.tooManyZones", { most: mostZones });
    report(tree, { line: line.line, code: "too-many-zones", message });
  }
}

function close(tree: Tree, line: ContentLine, to: number): void {
  const name = line.value.trim().toUpperCase();
  const depth = tree.open.findLastIndex((one) => one.name === name);
  if (depth < 0) {
    const inner = tree.open.at(-1);
    const open = { open: inner?.name ?? "", line: inner?.line ?? "" };
    const message = sentence("ical.unmatchedEnd", { name, ...open });
    report(tree, { line: line.line, code: "mismatched-end", message });
    return;
  }
  leave(tree, { depth: depth + 1, at: line, to });
  const closed = tree.open.pop();
  if (closed) closed.to = to;
  if (tree.open.length <= 1) tree.itemLineCount = 0;
}

/** Closes what is open below a depth, reporting each missing END. */
function leave(
  tree: Tree,
  { depth, at, to }: { readonly depth: number; readonly at: ContentLine; readonly to: number },
): void {
  const unclosed = tree.open.at(-1);
  if (!unclosed || tree.open.length <= depth) return;
  const { name, line } = unclosed;
  const message = sentence("ical.missingEnd", { text: quotedValue(at.raw), name, line });
  report(tree, { line: at.line, code: "mismatched-end", message });
  for (const open of tree.open.splice(depth)) open.to = to;
  if (tree.open.length <= 1) tree.itemLineCount = 0;
}

interface Found {
  readonly line: number;
  readonly code: string;
  readonly message: Sentence;
}

/** Further faults of one component add nothing. */
function report(tree: Tree, fault: Found): void {
  const inside = tree.open.at(1);
  const known = tree.faultCounts.get(inside) ?? 0;
  tree.faultCounts.set(inside, known + 1);
  if (known < mostProblems) tree.faults.push({ ...fault, inside });
}

function end(tree: Tree, fault: Found): void {
  tree.fatal = { ...fault, inside: tree.open.at(1) };
}

/** The UID may follow the faulty line, so it is looked up last. */
function named({ inside, ...problem }: Fault): IcsProblem {
  const uid = inside?.lines.find((line) => line.name === "UID")?.value ?? null;
  return { ...problem, uid };
}
