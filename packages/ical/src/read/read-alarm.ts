import { type ContentLine, param } from "../lines/content-line.ts";
import type { Component } from "../lines/tokens.ts";
import {
  type IncomingTime,
  momentOf,
  readDuration,
  readTime,
  type ZoneOf,
} from "../time-values.ts";
import { isLead, longestLead } from "../when.ts";
import type { Unstorable } from "./incoming.ts";

/** Apple's marker for an item without an alarm, whatever the action. */
const noAlarm = "19760401T005545Z";

/** What the alarms of an item are relative to. */
export interface AlarmAnchor {
  readonly start: IncomingTime | undefined;
  readonly end: IncomingTime | undefined;
  readonly zoneOf: ZoneOf;
}

export interface ReadAlarms {
  /** Time before the start, zero or more; null for no alarm; undefined for none that can be stored. */
  readonly alarm: Temporal.Duration | null | undefined;
  readonly unstorable: readonly Unstorable[];
}

/**
 * Finds the one reminder the service can store: the first display or audio alarm before the start. Dummy alarms (ACTION:NONE,
 * or Apple's time in 1976) are ignored. The others are reported as unstorable. Source: RFC 5545 3.6.6, 3.8.6.3 (TRIGGER); RFC
 * 9074 7 (RELTYPE=SNOOZE).
 */
export function readAlarms(alarms: readonly Component[], anchor: AlarmAnchor): ReadAlarms {
  const spoken = alarms.filter((alarm) => !isDummy(alarm));
  const isAsked = spoken.some((alarm) => !isSnooze(alarm));
  let alarm: Temporal.Duration | null | undefined = isAsked ? undefined : null;
  const unstorable: Unstorable[] = [];
  for (const component of spoken) {
    const lead = readLead(component, anchor);
    if (typeof lead === "string") {
      unstorable.push({ line: component.line, name: "VALARM", reason: lead });
    } else if (!alarm) {
      alarm = lead;
    } else if (seconds(alarm) !== seconds(lead)) {
      const reason = "the service keeps one reminder for an event; this is a second one";
      unstorable.push({ line: component.line, name: "VALARM", reason });
    }
    if (typeof lead !== "string" && isRepeating(component)) {
      const reason = "the service reminds once; this alarm repeats";
      unstorable.push({ line: component.line, name: "VALARM", reason });
    }
  }
  return { alarm, unstorable };
}

/** True if the service could store an alarm as the item's reminder. */
export function isReminder(alarm: Component, anchor: AlarmAnchor): boolean {
  return !isDummy(alarm) && typeof readLead(alarm, anchor) !== "string";
}

/** Source: RFC 5545 3.8.6.2 (REPEAT). */
export const isRepeating = (alarm: Component): boolean =>
  Number(find(alarm, "REPEAT")?.value.trim() ?? 0) > 0;

const isDummy = (alarm: Component): boolean =>
  !isAtPlace(alarm) &&
  (actionOf(alarm) === "NONE" || find(alarm, "TRIGGER")?.value.trim() === noAlarm);

/** Source: RFC 9074 8 (PROXIMITY). */
const isAtPlace = (alarm: Component): boolean =>
  find(alarm, "PROXIMITY") !== undefined || find(alarm, "X-APPLE-PROXIMITY") !== undefined;

const isSnooze = (alarm: Component): boolean => {
  const related = find(alarm, "RELATED-TO");
  return related !== undefined && param(related, "RELTYPE")?.toUpperCase() === "SNOOZE";
};

/** The time before the start, or a sentence about why it cannot be stored. */
function readLead(alarm: Component, anchor: AlarmAnchor): Temporal.Duration | string {
  if (isSnooze(alarm)) return "the service does not keep that a reminder was snoozed";
  if (isAtPlace(alarm)) return "the service cannot remind at a place";
  const action = actionOf(alarm);
  if (action !== "DISPLAY" && action !== "AUDIO") {
    return `the service keeps reminders only; ACTION:${action} is none`;
  }
  const trigger = find(alarm, "TRIGGER");
  if (!trigger) return "the alarm has no TRIGGER";
  const lead = leadOf(trigger, anchor);
  if (typeof lead === "string") return lead;
  if (lead.sign < 0) return "the service cannot remind after the start";
  return isLead(lead) ? lead : `nobody is reminded more than ${longestLead.days} days ahead`;
}

function leadOf(trigger: ContentLine, anchor: AlarmAnchor): Temporal.Duration | string {
  const start = anchor.start ?? anchor.end;
  if (!start) return "the alarm counts from a start that the item does not name";
  const offset = readDuration(trigger.value);
  if (offset) {
    const fromEnd = param(trigger, "RELATED")?.toUpperCase() === "END" && anchor.end;
    return fromEnd ? lengthBetween(start, fromEnd, anchor).add(offset).negated() : offset.negated();
  }
  const at = readTime(trigger, anchor.zoneOf);
  if (!at.ok || at.value.kind === "date") return `TRIGGER:${trigger.value} cannot be read`;
  if (start.kind === "date") return "an alarm at a fixed time has no place on an all-day item";
  return at.value.at.toInstant().until(start.at.toInstant(), { largestUnit: "hours" });
}

function lengthBetween(
  start: IncomingTime,
  end: IncomingTime,
  anchor: AlarmAnchor,
): Temporal.Duration {
  if (start.kind === "date" && end.kind === "date") return start.on.until(end.on);
  const floating = anchor.zoneOf(null);
  const zone = typeof floating === "string" ? floating : "UTC";
  return momentOf(start, zone).until(momentOf(end, zone), { largestUnit: "hours" });
}

const actionOf = (alarm: Component): string =>
  find(alarm, "ACTION")?.value.trim().toUpperCase() ?? "DISPLAY";

const find = (component: Component, name: string): ContentLine | undefined =>
  component.lines.find((line) => line.name === name);

const seconds = (duration: Temporal.Duration): number => duration.total("seconds");
