import { timesOfRule, type Written } from "@dayferry/ical";
import type { Item } from "../../domain/item.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { sentenceInWords } from "../../ics/text/problem-in-words.ts";
import { say } from "../../texts/say.ts";
import { mostOccurrences } from "../intake/accept.ts";

/** How a form repeats an item, each as the start of an RRULE. Source: RFC 5545 3.3.10. */
const rules = {
  daily: "FREQ=DAILY",
  workdays: "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR",
  weekly: "FREQ=WEEKLY",
  fortnightly: "FREQ=WEEKLY;INTERVAL=2",
  monthly: "FREQ=MONTHLY",
  yearly: "FREQ=YEARLY",
} as const;
export const repetitions = [
  "daily",
  "workdays",
  "weekly",
  "fortnightly",
  "monthly",
  "yearly",
] as const satisfies readonly (keyof typeof rules)[];

/** The fields of a form for a new item that repeats. */
export interface RepetitionFields {
  /** One of `repetitions`; anything else = once. */
  readonly repeats?: string | undefined;
  /** Number of occurrences, including the first. */
  readonly times?: string | undefined;
}

interface RepetitionFault {
  readonly field: keyof RepetitionFields;
  readonly message: string;
}

/** The item, and a copy for each later occurrence, at the same local time of `zone`. Fails with the invalid fields. */
export function repeated(
  item: Item,
  { repeats, times }: RepetitionFields,
  zone: string,
): Result<readonly Item[], readonly RepetitionFault[]> {
  const repetition = repetitions.find((one) => one === repeats);
  if (!repetition) return ok([item]);
  const count = Number(times);
  if (!Number.isInteger(count) || count < 2 || count > mostOccurrences) {
    const message = say("newItem.repeatTimes", { most: mostOccurrences });
    return fail([{ field: "times", message }]);
  }
  const start = startOf(item, zone);
  if (!start) return fail([{ field: "repeats", message: say("newItem.repeatNeedsDay") }]);
  const found = timesOfRule(`${rules[repetition]};COUNT=${count}`, {
    start,
    most: mostOccurrences,
    endOf: () => () => false,
  });
  if (!found.ok) return fail([{ field: "repeats", message: sentenceInWords(found.failure) }]);
  return ok(found.value.map((time) => movedTo(item, { start, time, zone })));
}

/** The day of a task, or the start of an event in `zone`; null if it has none. */
function startOf(item: Item, zone: string): Written | null {
  if (item.kind !== "event") return item.dueOn ?? item.startOn;
  return item.when.kind === "dates"
    ? item.when.start
    : item.when.start.withTimeZone(zone).toPlainDateTime();
}

function movedTo(
  item: Item,
  { start, time, zone }: { readonly start: Written; readonly time: Written; readonly zone: string },
): Item {
  const by = Temporal.PlainDate.from(start).until(Temporal.PlainDate.from(time));
  if (item.kind !== "event") {
    const [startOn, dueOn] = [item.startOn?.add(by) ?? null, item.dueOn?.add(by) ?? null];
    return { ...item, startOn, dueOn };
  }
  const { when } = item;
  if (when.kind === "dates") {
    return { ...item, when: { kind: "dates", start: when.start.add(by), end: when.end.add(by) } };
  }
  const begins = Temporal.PlainDateTime.from(time)
    .toZonedDateTime(zone)
    .withTimeZone(when.start.timeZoneId);
  const length = when.end?.since(when.start) ?? null;
  return { ...item, when: { kind: "times", start: begins, end: length && begins.add(length) } };
}
