import type { SeedWriter } from "./seed-writer.ts";

/**
 * Events around the next two clock changes of the account's time zone: the days before and after each, inside the repeated hour
 * in autumn, and across the missing hour in spring. Writes nothing for a zone without changes.
 */
export function seedClockChanges(
  writer: SeedWriter,
  given: { readonly project: number; readonly createdBy: number },
): void {
  let at = writer.now.toZonedDateTimeISO(writer.timeZone);
  for (let count = 0; count < 2; count += 1) {
    const change = at.getTimeZoneTransition("next");
    if (change === null) return;
    seedChange(writer, { ...given, change });
    at = change;
  }
}

function seedChange(
  writer: SeedWriter,
  given: {
    readonly project: number;
    readonly createdBy: number;
    readonly change: Temporal.ZonedDateTime;
  },
): void {
  const { change, ...common } = given;
  const before = change.subtract({ nanoseconds: 1 });
  const backwards = change.offsetNanoseconds < before.offsetNanoseconds;
  const season = backwards ? "back" : "forward";
  const wall = (at: Temporal.ZonedDateTime) => writer.wall(at.toInstant());
  const morning = change
    .toPlainDate()
    .toZonedDateTime({ timeZone: writer.timeZone, plainTime: "09:00" });
  for (const [title, day] of [
    [`Last day before the clocks go ${season}`, morning.subtract({ days: 1 })],
    [`First working day after the clocks went ${season}`, morning.add({ days: 1 })],
  ] as const)
    writer.event({
      ...common,
      title,
      start: wall(day),
      end: wall(day.add({ hours: 1 })),
      reminder: 30,
    });

  if (backwards)
    writer.event({
      ...common,
      title: "Server maintenance in the hour that comes twice",
      start: wall(change.add({ minutes: 30 })),
      end: wall(change.add({ minutes: 90 })),
    });
  else
    writer.event({
      ...common,
      title: "Server maintenance across the missing hour",
      start: wall(change.subtract({ minutes: 30 })),
      end: wall(change.add({ minutes: 30 })),
    });
}
