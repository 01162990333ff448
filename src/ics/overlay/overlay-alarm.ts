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

/** The lines of the alarm in a canonical text, from BEGIN to END; none without a reminder. */
function alarmLines(canonical: string): readonly string[] {
  const lines = canonical.split("\n");
  const begin = lines.indexOf("BEGIN:VALARM");
  return begin < 0 ? [] : lines.slice(begin, lines.indexOf("END:VALARM", begin) + 1);
}

/** The reminder's trigger in a canonical text; null without one. Its text is the title's. */
export const triggerOf = (canonical: string): string | null =>
  alarmLines(canonical).find((line) => line.startsWith("TRIGGER")) ?? null;

/**
 * Sets the reminder: changes the trigger of the alarm that readers take as the reminder, or adds one. To remove it, removes all
 * such alarms, as the second would become the reminder. Alarms that the service cannot store stay.
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

/** Restores a reminder that the client omitted. */
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
  // The zone of floating times does not matter between the times of one item.
  const zoneOf = zonesOfFile(calendar, "UTC");
  const reading = { component, uid: "", problems: [], zoneOf };
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
