import { type ContentLine, param } from "../lines/content-line.ts";
import type { Component } from "../lines/tokens.ts";
import { type Sentence, sentence } from "../sentences.ts";
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
    if (isSentence(lead)) {
      unstorable.push({ line: component.line, name: "VALARM", reason: lead });
    } else if (!alarm) {
      alarm = lead;
    } else if (seconds(alarm) !== seconds(lead)) {
      const reason = sentence("ical.alarmSecond");
      unstorable.push({ line: component.line, name: "VALARM", reason });
    }
    if (!isSentence(lead) && isRepeating(component)) {
      const reason = sentence("ical.alarmRepeats");
      unstorable.push({ line: component.line, name: "VALARM", reason });
    }
  }
  return { alarm, unstorable };
}

/** True if the service could store an alarm as the item's reminder. */
export function isReminder(alarm: Component, anchor: AlarmAnchor): boolean {
  return !isDummy(alarm) && !isSentence(readLead(alarm, anchor));
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

const isSentence = (lead: Temporal.Duration | Sentence): lead is Sentence => "values" in lead;

/** The time before the start, or why it cannot be stored. */
function readLead(alarm: Component, anchor: AlarmAnchor): Temporal.Duration | Sentence {
  if (isSnooze(alarm)) return sentence("ical.alarmSnoozed");
  if (isAtPlace(alarm)) return sentence("ical.alarmAtPlace");
  const action = actionOf(alarm);
  if (action !== "DISPLAY" && action !== "AUDIO") {
    return sentence("ical.alarmAction", { action });
  }
  const trigger = find(alarm, "TRIGGER");
  if (!trigger) return sentence("ical.alarmWithoutTrigger");
  const lead = leadOf(trigger, anchor);
  if (isSentence(lead)) return lead;
  if (lead.sign < 0) return sentence("ical.alarmAfterStart");
  return isLead(lead) ? lead : sentence("ical.alarmTooEarly", { days: longestLead.days });
}

function leadOf(trigger: ContentLine, anchor: AlarmAnchor): Temporal.Duration | Sentence {
  const start = anchor.start ?? anchor.end;
  if (!start) return sentence("ical.alarmWithoutStart");
  const offset = readDuration(trigger.value);
  if (offset) {
    const fromEnd = param(trigger, "RELATED")?.toUpperCase() === "END" && anchor.end;
    return fromEnd ? lengthBetween(start, fromEnd, anchor).add(offset).negated() : offset.negated();
  }
  const at = readTime(trigger, anchor.zoneOf);
  if (!at.ok || at.value.kind === "date") {
    return sentence("ical.alarmTrigger", { value: trigger.value });
  }
  if (start.kind === "date") return sentence("ical.alarmAllDay");
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
