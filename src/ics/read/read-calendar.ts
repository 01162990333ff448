import { fail, ok, type Result } from "../../domain/result.ts";
import { excerpt, type IcsProblem } from "../ics-problem.ts";
import {
  type CalendarTree,
  type Component,
  readTokens,
  type TokenLimits,
} from "../lines/tokens.ts";
import type { ZoneOf } from "../time-values.ts";
import { zonesOfFile } from "../zones/file-zones.ts";
import type { IncomingCalendar, IncomingItem } from "./incoming.ts";
import { readItem } from "./read-item.ts";
import { type FileContext, firstLine, wordOf } from "./reading.ts";
import { createRuleDescriber } from "./second-opinion.ts";
import { readAgain } from "./second-reader.ts";

const methods: ReadonlySet<string> = new Set(["CANCEL", "PUBLISH", "REQUEST"]);

/**
 * Reads a calendar file of edits. `zone` is the account's IANA zone, in which floating times stand.
 * Fails with every reason found when the file as a whole cannot be trusted; a fault of one item is told in that item
 * and leaves the others usable.
 */
export function readCalendar(
  bytes: Uint8Array,
  options: { readonly zone: string },
): Result<IncomingCalendar, readonly IcsProblem[]> {
  const tokens = readTokens(bytes);
  return tokens.ok ? readComponents(tokens.value, options) : tokens;
}

/** The same for a file that was split into its tree. */
export function readComponents(
  calendar: CalendarTree,
  options: { readonly zone: string },
): Result<IncomingCalendar, readonly IcsProblem[]> {
  const faults = headerFaults(calendar);
  if (faults.length > 0) return fail(faults);

  const context: FileContext = {
    zoneOf: zonesOfFile(calendar, options.zone),
    describeRule: createRuleDescriber(),
  };
  const overrides = new Set<IncomingItem>();
  const items = calendar.components.filter(isItem).map((component) => {
    const item = withinLimits(readItem(component, context), component);
    if (firstLine(component, "RECURRENCE-ID")) overrides.add(item);
    return item;
  });
  const doubles = duplicateFaults(items.filter((item) => !overrides.has(item)));
  if (doubles.length > 0) return fail(doubles);
  return ok({
    method: wordOf(calendar, "METHOD") || null,
    items: withSecondReading(calendar, {
      items: overrides.size === 0 ? items : markOverridden(items, overrides),
      zoneOf: context.zoneOf,
    }),
    ignored: calendar.components.filter(isStrange).map(ignoredProblem),
  });
}

/** An item that another reader shows at another time is refused, whoever of the two is right. */
function withSecondReading(
  calendar: CalendarTree,
  { items, zoneOf }: { readonly items: readonly IncomingItem[]; readonly zoneOf: ZoneOf },
): readonly IncomingItem[] {
  const disputed = readAgain(calendar, {
    components: calendar.components.filter(isItem),
    items,
    zoneOf,
  });
  if (disputed.size === 0) return items;
  return items.map((item) => {
    const problems = disputed.get(item);
    return problems ? { ...item, problems } : item;
  });
}

function headerFaults(calendar: Component): readonly IcsProblem[] {
  const faults: IcsProblem[] = [];
  const check = (name: string, at: { readonly code: string; readonly why: string | null }) => {
    const line = firstLine(calendar, name);
    if (!line || at.why === null) return;
    const message = `${name} ${excerpt(line.value)}: ${at.why}`;
    faults.push({ line: line.line, uid: null, code: at.code, message });
  };
  const version = wordOf(calendar, "VERSION");
  const isOld = version !== undefined && version !== "2.0" && !version.endsWith(";2.0");
  check("VERSION", { code: "version", why: isOld ? "only version 2.0 is read" : null });

  const isOther = (wordOf(calendar, "CALSCALE") || "GREGORIAN") !== "GREGORIAN";
  const scaleFault = isOther ? "only the Gregorian calendar is known" : null;
  check("CALSCALE", { code: "calendar-scale", why: scaleFault });

  const isReply = !methods.has(wordOf(calendar, "METHOD") || "PUBLISH");
  const methodFault = isReply ? "such a message is no edit; PUBLISH, REQUEST and CANCEL are" : null;
  check("METHOD", { code: "method", why: methodFault });
  return faults;
}

/** An invitation of a thousand people fits; each line of an item is work for the journal. */
export const itemLimits: TokenLimits = { components: 1000, lines: 5000 };

function withinLimits(item: IncomingItem, component: Component): IncomingItem {
  const { components, lines } = sizeOf(component);
  if (components <= itemLimits.components && lines <= itemLimits.lines) return item;
  const message = `the item has ${lines} lines in ${components} components; at most ${itemLimits.lines} in ${itemLimits.components} are taken`;
  const problem = { line: item.line, uid: item.uid, code: "too-many-lines", message };
  return { ...item, problems: [problem, ...item.problems] };
}

function sizeOf({ lines, components }: Component): TokenLimits {
  return components.map(sizeOf).reduce(
    (all, one) => ({
      components: all.components + one.components,
      lines: all.lines + one.lines,
    }),
    { components: 1, lines: lines.length },
  );
}

const isItem = (component: Component): boolean =>
  component.name === "VEVENT" || component.name === "VTODO";

const isStrange = (component: Component): boolean =>
  !isItem(component) && component.name !== "VTIMEZONE";

function ignoredProblem(component: Component): IcsProblem {
  const uid = firstLine(component, "UID")?.value ?? null;
  const message = `${component.name} is left aside: the service has nothing for it`;
  return { line: component.line, uid, code: "component", message };
}

/** Two items of one UID leave open which of them is meant, and a reader that takes the last one loses the other. */
function duplicateFaults(items: readonly IncomingItem[]): readonly IcsProblem[] {
  const lines = new Map<string, number>();
  const faults: IcsProblem[] = [];
  for (const { uid, line } of items) {
    if (uid === "") continue;
    const earlier = lines.get(uid);
    if (earlier !== undefined) {
      const message = `the UID ${excerpt(uid)} was used in line ${earlier} already`;
      faults.push({ line, uid, code: "duplicate-uid", message });
    }
    lines.set(uid, earlier ?? line);
  }
  return faults;
}

/** An item that another one overrides repeats, also where its own rule is missing. */
function markOverridden(
  items: readonly IncomingItem[],
  overrides: ReadonlySet<IncomingItem>,
): readonly IncomingItem[] {
  const uids = new Set([...overrides].map((item) => item.uid));
  return items.map((item) => {
    const isKnown = item.problems.some((problem) => problem.code === "recurrence");
    if (isKnown || item.uid === "" || !uids.has(item.uid)) return item;
    const message =
      "RECURRENCE-ID of another item with this UID: the service has no repeating items";
    const problem = { line: item.line, uid: item.uid, code: "recurrence", message };
    return { ...item, problems: [...item.problems, problem] };
  });
}

export type { IncomingTime } from "../time-values.ts";
export type { IncomingCalendar, IncomingItem, Unstorable } from "./incoming.ts";
