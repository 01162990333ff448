import type { IncomingTime } from "../time-values.ts";
import type { When } from "../when.ts";
import type { IncomingItem } from "./incoming.ts";

/** Nanoseconds since 1970, and the time zone. */
interface PlainMoment {
  readonly ns: bigint;
  readonly zone: string;
}

/** `YYYY-MM-DD`, or an instant. */
type PlainTime = string | PlainMoment;

type PlainWhen =
  | { readonly startOn: string; readonly endOn: string }
  | { readonly startAt: PlainMoment; readonly endAt: PlainMoment | null };

/** Temporal values cannot be sent between threads; these forms can. */
interface PlainTimes {
  readonly lastModified: bigint | null;
  readonly when: PlainWhen | undefined;
  readonly start: PlainTime | undefined;
  readonly due: PlainTime | undefined;
  readonly completedAt: bigint | undefined;
  readonly alarm: string | null | undefined;
}

/** An item in a form that can be sent between threads. */
export type PlainIncomingItem = Omit<IncomingItem, keyof PlainTimes> & PlainTimes;

export function plainItemOf(item: IncomingItem): PlainIncomingItem {
  const { lastModified, when, start, due, completedAt, alarm } = item;
  return {
    ...item,
    lastModified: lastModified?.epochNanoseconds ?? null,
    when: when && plainWhenOf(when),
    start: start && plainTimeOf(start),
    due: due && plainTimeOf(due),
    completedAt: completedAt?.epochNanoseconds,
    alarm: alarm === null ? null : alarm?.toString(),
  };
}

/** Restores the item that `plainItemOf` received. */
export function itemOfPlain(plain: PlainIncomingItem): IncomingItem {
  const { lastModified, when, start, due, completedAt, alarm } = plain;
  return {
    ...plain,
    lastModified: lastModified === null ? null : new Temporal.Instant(lastModified),
    when: when && whenOfPlain(when),
    start: start === undefined ? undefined : timeOfPlain(start),
    due: due === undefined ? undefined : timeOfPlain(due),
    completedAt: completedAt === undefined ? undefined : new Temporal.Instant(completedAt),
    alarm: typeof alarm === "string" ? Temporal.Duration.from(alarm) : alarm,
  };
}

function plainWhenOf(when: When): PlainWhen {
  if (when.kind === "dates") {
    return { startOn: when.start.toString(), endOn: when.end.toString() };
  }
  return { startAt: plainMomentOf(when.start), endAt: when.end && plainMomentOf(when.end) };
}

function whenOfPlain(when: PlainWhen): When {
  if ("startOn" in when) {
    const [start, end] = [when.startOn, when.endOn];
    return {
      kind: "dates",
      start: Temporal.PlainDate.from(start),
      end: Temporal.PlainDate.from(end),
    };
  }
  const { startAt, endAt } = when;
  return { kind: "times", start: momentOfPlain(startAt), end: endAt && momentOfPlain(endAt) };
}

const plainTimeOf = (time: IncomingTime): PlainTime =>
  time.kind === "date" ? time.on.toString() : plainMomentOf(time.at);

const timeOfPlain = (time: PlainTime): IncomingTime =>
  typeof time === "string"
    ? { kind: "date", on: Temporal.PlainDate.from(time) }
    : { kind: "time", at: momentOfPlain(time) };

const plainMomentOf = (at: Temporal.ZonedDateTime): PlainMoment => ({
  ns: at.epochNanoseconds,
  zone: at.timeZoneId,
});

const momentOfPlain = ({ ns, zone }: PlainMoment): Temporal.ZonedDateTime =>
  new Temporal.ZonedDateTime(ns, zone);
