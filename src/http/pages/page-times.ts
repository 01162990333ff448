import { html, type Markup } from "./markup-template.ts";

/** A duration in seconds, for people. */
export function length(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3600)} h`
    : `${Math.round(seconds / 86_400)} days`;
}

/** Time since a moment: "4 s ago". */
export function ago(at: Temporal.Instant, now: Temporal.Instant): string {
  const seconds = Math.round(now.since(at).total("seconds"));
  return seconds < 2 ? "just now" : `${length(seconds)} ago`;
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
  const clock = local?.toPlainTime().toString({ smallestUnit: "minute" }) ?? "";
  const isToday = local && today && local.toPlainDate().equals(today.toPlainDate());
  const day = local?.toPlainDate().toLocaleString("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(local.year !== today?.year && { year: "numeric" }),
  });
  const text = isToday ? clock : `${day?.replace(",", "") ?? ""}, ${clock}`;
  return html`<time datetime="${at.toString()}" data-form="day">${text}</time>`;
}
