import { inZone } from "@dayferry/ical";
import type { AgendaItem } from "../calendars/agenda.ts";
import { type Project, type SpokenKind, spokenKind } from "../domain/item.ts";
import { tintOf } from "../domain/tints.ts";

/** An item as the browser's calendar takes it; days as `YYYY-MM-DD` (the end exclusive), moments as instants. */
export interface CalendarEvent {
  readonly id: string;
  readonly title: string;
  readonly start: string;
  readonly end: string | null;
  readonly allDay: boolean;
  /** Whether it may be dragged, and whether its end may be. */
  readonly startEditable: boolean;
  readonly durationEditable: boolean;
  readonly extendedProps: {
    readonly kind: SpokenKind;
    readonly sequence: number;
    /** Whether the service names no end, so that none is set by moving it. */
    readonly isOpenEnded: boolean;
    readonly pending: boolean;
    readonly completed: boolean;
    readonly private: boolean;
    readonly project: string;
    /** Of the project in the service, `#rrggbb`; null where it has none. */
    readonly colour: string | null;
    /** One of the palette's, by the project. */
    readonly tint: number;
  };
}

/** What the browser's calendar shows of an item. `isFixed`: this reader may change nothing. */
export function calendarEvent(
  shown: AgendaItem,
  { isFixed }: { readonly isFixed: boolean },
): CalendarEvent {
  const { key, item, sequence, pending, project } = shown;
  const kind = spokenKind(item);
  return {
    id: String(key),
    title: item.title,
    ...spanOf(shown),
    startEditable: !isFixed,
    durationEditable: !isFixed && kind === "event",
    extendedProps: {
      kind,
      sequence,
      isOpenEnded: item.kind === "event" && item.when.kind === "times" && item.when.end === null,
      pending,
      completed: item.completed,
      private: shown.private,
      project: project?.title ?? `Project ${item.projectId}`,
      colour: project && projectColourOf(project),
      tint: tintOf(item.projectId),
    },
  };
}

function spanOf({ item }: AgendaItem): Pick<CalendarEvent, "start" | "end" | "allDay"> {
  if (item.kind !== "event") {
    return { start: item.dueOn?.toString() ?? "", end: null, allDay: true };
  }
  const when = inZone(item.when, "UTC");
  return when.kind === "dates"
    ? { start: when.start.toString(), end: when.end.toString(), allDay: true }
    : {
        start: when.start.toInstant().toString(),
        end: when.end?.toInstant().toString() ?? null,
        allDay: false,
      };
}

/** The project's own in the service, `#rrggbb`; null where it has none. */
export function projectColourOf({ color }: Pick<Project, "color">): string | null {
  const [, digits] = /^#?([\da-f]{6})$/i.exec(color?.trim() ?? "") ?? [];
  return digits === undefined ? null : `#${digits.toLowerCase()}`;
}
