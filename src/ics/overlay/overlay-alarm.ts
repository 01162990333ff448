import {
  isReminder,
  type ObjectLines,
  type ObjectPart,
  readDuration,
  readSpan,
  readTree,
  zonesOfFile,
} from "@dayferry/ical";
import { type ObjectPatch, removePart } from "./object-patch.ts";

/** The lines of the one alarm of a canonical text, from BEGIN to END; none where it has no reminder. */
function alarmLines(canonical: string): readonly string[] {
  const lines = canonical.split("\n");
  const begin = lines.indexOf("BEGIN:VALARM");
  return begin < 0 ? [] : lines.slice(begin, lines.indexOf("END:VALARM", begin) + 1);
}

/** When the reminder of a canonical text comes; null where it has none. Its words are the title's. */
export const triggerOf = (canonical: string): string | null =>
  alarmLines(canonical).find((line) => line.startsWith("TRIGGER")) ?? null;

/**
 * Sets the reminder: in the first alarm that a reader takes for it, of which all but the trigger stays, else in a new
 * one. Where there is none any more, all such alarms go, as the second would be read as the reminder otherwise. Alarms
 * that the service cannot hold stay.
 */
export function layAlarm(patch: ObjectPatch, now: string): void {
  const { object, instead } = patch;
  const trigger = triggerOf(now);
  const reminders = remindersOf(object);
  const [first] = reminders;
  if (trigger === null) {
    for (const part of reminders) removePart(patch, part);
  } else if (first) {
    const at = triggerAt(object, first);
    if (!sameTrigger(object.lines[at]?.raw ?? "", trigger)) instead.set(at, [trigger]);
  } else {
    patch.parts.push(...alarmLines(now));
  }
}

/** Brings a reminder back that the client left out. */
export function fillAlarm(patch: ObjectPatch, now: string): void {
  const isMissing = triggerOf(now) !== null && remindersOf(patch.object).length === 0;
  if (isMissing) patch.parts.push(...alarmLines(now));
}

function triggerAt({ lines }: ObjectLines, { begin, end }: ObjectPart): number {
  const at = lines.findIndex(({ raw }, each) => {
    return each > begin && each < end && /^TRIGGER[;:]/i.test(raw);
  });
  if (at < 0) throw new Error("an alarm without a trigger was read as a reminder");
  return at;
}

function remindersOf({ text, lines, begin, parts }: ObjectLines): readonly ObjectPart[] {
  const alarms = parts.filter(({ name }) => name === "VALARM");
  if (alarms.length === 0) return [];
  const calendar = readTree(text);
  const component = calendar.components.find(({ line }) => line === lines[begin]?.line);
  if (!component) throw new Error("one text was split in two ways");
  // Which zone floating times have does not matter between the times of one item.
  const zoneOf = zonesOfFile(calendar, "UTC");
  const reading = { component, uid: "", problems: [], zoneOf, describeRule: () => null };
  const anchor = { ...readSpan(reading), zoneOf };
  const found = component.components.filter(({ name }) => name === "VALARM");
  return alarms.filter((_part, at) => {
    const alarm = found[at];
    return alarm !== undefined && isReminder(alarm, anchor);
  });
}

function sameTrigger(theirs: string, ours: string): boolean {
  const a = /^TRIGGER(?:;VALUE=DURATION)?:(.*)$/i.exec(theirs)?.[1];
  const b = /^TRIGGER:(.*)$/.exec(ours)?.[1];
  const [leadA, leadB] = [readDuration(a ?? ""), readDuration(b ?? "")];
  return leadA !== null && leadB !== null && leadA.total("seconds") === leadB.total("seconds");
}
