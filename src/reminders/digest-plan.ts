import { wallClock } from "../domain/when.ts";
import type { ReminderRules } from "./reminder.ts";
import { isBefore, missedUntil, type Window } from "./windows.ts";

/** When digests go out, on the clocks of who reads. */
export interface DigestRule {
  readonly at: Temporal.PlainTime;
  /** 1 = Monday to 7 = Sunday; null = every day. */
  readonly weekday: number | null;
}

/** The digest of one day. A day has one, however its clocks are changed. */
export interface DigestTurn extends Window {
  readonly day: Temporal.PlainDate;
}

/** The digest whose time has come last, and the moment of the one after it. */
export function digestTurn(
  rule: DigestRule,
  {
    zone,
    now,
    rules,
  }: {
    readonly zone: string;
    readonly now: Temporal.Instant;
    readonly rules: Pick<ReminderRules, "catchUp">;
  },
): { readonly turn: DigestTurn; readonly nextAt: Temporal.Instant } {
  const momentOf = (day: Temporal.PlainDate) =>
    wallClock(day.toPlainDateTime(rule.at), zone).toInstant();
  const step = { days: rule.weekday === null ? 1 : 7 };
  let day = latestDay(rule, now.toZonedDateTimeISO(zone).toPlainDate());
  if (isBefore(now, momentOf(day))) day = day.subtract(step);
  const dueAt = momentOf(day);
  const nextAt = momentOf(day.add(step));
  const until = missedUntil(dueAt, rules);
  const lapsesAt = isBefore(nextAt, until) ? nextAt : until;
  return { turn: { day, dueAt, lapsesAt, endsAt: nextAt }, nextAt };
}

function latestDay({ weekday }: DigestRule, today: Temporal.PlainDate): Temporal.PlainDate {
  return weekday === null ? today : today.subtract({ days: (today.dayOfWeek - weekday + 7) % 7 });
}
