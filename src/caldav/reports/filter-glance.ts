import type { CalendarObject } from "../../calendars/calendar.ts";
import type { TimeRange } from "../../ics/time-range.ts";
import type { ComponentFilter } from "./filter.ts";

/** Whether an object meets a filter, as far as that can be told without reading it; null: it has to be read. */
export type Glance = (object: CalendarObject) => boolean | null;

/** Programs may write seconds, which the spans of objects lack. */
const secondsOff = 60_000;
/** The farthest that a wall clock or a midnight of one zone is from that of another. */
const zonesOff = 26 * 3_600_000;

/**
 * Answers most of the usual questions, such as for a month of events, from the kind and the span of an object alone. A to-do
 * whose program has left out all dates that it has is where its span is.
 * `isOwnZone`: whether floating times of the query stand in the zone in which the spans were made.
 */
export function createGlance(filter: ComponentFilter, isOwnZone: boolean): Glance {
  const margin = secondsOff + (isOwnZone ? 0 : zonesOff);
  const { conditions } = filter;
  if (!conditions) return () => false;
  const more = conditions.properties.length > 0 ? [unknown] : [];
  return allOf([...conditions.components.map((inner) => glanceInside(inner, margin)), ...more]);
}

const unknown: Glance = () => null;

function glanceInside({ name, conditions }: ComponentFilter, margin: number): Glance {
  const isItem = name === "VEVENT" || name === "VTODO";
  const isNever = name === "VJOURNAL" || name === "VFREEBUSY";
  if (isNever) return () => conditions === null;
  if (!isItem) return unknown;
  if (!conditions) return ({ component }) => component !== name;
  const { range } = conditions;
  const isMore = conditions.properties.length + conditions.components.length > 0;
  return allOf([
    ({ component }) => component === name,
    ...(range ? [glanceAtRange(range, margin)] : []),
    ...(isMore ? [unknown] : []),
  ]);
}

/** False as soon as one says so; else null when one cannot tell. */
function allOf(glances: readonly Glance[]): Glance {
  return (object) => {
    let answer: boolean | null = true;
    for (const glance of glances) {
      const told = glance(object);
      if (told === false) return false;
      if (told === null) answer = null;
    }
    return answer;
  };
}

function glanceAtRange(range: TimeRange, margin: number): Glance {
  const start = range.start?.epochMilliseconds ?? Number.NEGATIVE_INFINITY;
  const end = range.end?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
  // The span of a whole day begins as early as the day does anywhere.
  const latestStart = end - margin - 2 * zonesOff;
  return ({ span, component }) => {
    if (!span) return null;
    if (span.from - margin > end || span.to + margin < start) return false;
    const startsInside = span.from - margin >= start && span.from < latestStart;
    // A program may have left out one of a to-do's two dates, so that both have to be inside.
    const isInside = startsInside && (component === "VEVENT" || span.to + margin < end);
    return isInside ? true : null;
  };
}
