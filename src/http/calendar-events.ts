import { inZone } from "@dayferry/ical";
import type { AgendaItem } from "../calendars/agenda.ts";
import { type Project, type SpokenKind, spokenKind } from "../domain/item.ts";
import { tintOf } from "../domain/tints.ts";

/** An item for the browser's calendar; days as `YYYY-MM-DD` (end exclusive), moments as instants. */
export interface CalendarEvent {
  readonly id: string;
  readonly title: string;
  readonly start: string;
  readonly end: string | null;
  readonly allDay: boolean;
  /** Whether the item can be dragged, and whether its end can be. */
  readonly startEditable: boolean;
  readonly durationEditable: boolean;
  readonly extendedProps: {
    readonly kind: SpokenKind;
    readonly sequence: number;
    /** True if the item has no end in the service, so that moving it sets none. */
    readonly isOpenEnded: boolean;
    readonly pending: boolean;
    readonly completed: boolean;
    readonly private: boolean;
    readonly project: string;
    /** The project's colour in the service, `#rrggbb`; null if none. */
    readonly colour: string | null;
    /** An index into the palette, by project. */
    readonly tint: number;
  };
}

/** Describes an item for the browser's calendar. `isFixed`: this reader has read-only access. */
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

/** The project's colour in the service, `#rrggbb`; null if none. */
export function projectColourOf({ color }: Pick<Project, "color">): string | null {
  const [, digits] = /^#?([\da-f]{6})$/i.exec(color?.trim() ?? "") ?? [];
  return digits === undefined ? null : `#${digits.toLowerCase()}`;
}
