import { formatClock, formatDay } from "../../texts/dates.ts";
import { say } from "../../texts/say.ts";
import { html, type Markup } from "./markup-template.ts";

/** A duration in seconds, for people. */
export function length(seconds: number): string {
  const { unit, count } = inUnit(seconds);
  return say(`time.${unit}`, { count });
}

function inUnit(seconds: number) {
  if (seconds < 120) return { unit: "seconds", count: seconds } as const;
  if (seconds < 7200) return { unit: "minutes", count: Math.round(seconds / 60) } as const;
  return seconds < 172_800
    ? ({ unit: "hours", count: Math.round(seconds / 3600) } as const)
    : ({ unit: "days", count: Math.round(seconds / 86_400) } as const);
}

/** An age in seconds, in words: "4 s ago". */
export function agoInWords(seconds: number): string {
  if (seconds < 2) return say("time.justNow");
  const { unit, count } = inUnit(seconds);
  return say(`time.${unit}Ago`, { count });
}

/** Time since a moment: "4 s ago". */
export function ago(at: Temporal.Instant, now: Temporal.Instant): string {
  return agoInWords(Math.round(now.since(at).total("seconds")));
}

/**
 * A moment in the viewer's zone, which a script converts to the browser's: "Sat 21 Nov, 10:42", only the time on the day of
 * `now`, with the year in another year.
 */
export function pageTimeOf(
  at: Temporal.Instant,
  { zone, now }: { readonly zone: string; readonly now: Temporal.Instant },
): Markup {
  const [local, today] = [at, now].map((each) => each.toZonedDateTimeISO(zone));
  const clock = local ? formatClock(local.toPlainTime()) : "";
  const isToday = local && today && local.toPlainDate().equals(today.toPlainDate());
  const form = local?.year === today?.year ? "dayWithoutYear" : "day";
  const text = isToday || !local ? clock : `${formatDay(local.toPlainDate(), form)}, ${clock}`;
  return html`<time datetime="${at.toString()}" data-form="day">${text}</time>`;
}
