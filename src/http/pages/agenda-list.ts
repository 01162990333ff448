import { endsAt, inZone, startsAt } from "@dayferry/ical";
import type { AgendaDay, AgendaItem } from "../../calendars/agenda.ts";
import { type Project, spokenKind } from "../../domain/item.ts";
import { tintOf } from "../../domain/tints.ts";
import { clockInWords, dayInWords, kindInWords } from "../../domain/wording.ts";
import { say } from "../../texts/say.ts";
import { projectColourOf } from "../calendar-events.ts";
import { badge } from "./components.ts";
import { html, type Markup } from "./markup-template.ts";

/** One day as a heading and a list. Its links are relative to the start page. */
export const agendaDay = (
  { day, items }: AgendaDay,
  zone: string,
): Markup => html`<h3 class="day">${dayInWords(day)}</h3>
<ul class="agenda">${items.toSorted(byTime(zone)).map((shown) => agendaEntry(shown, zone))}</ul>`;

function agendaEntry(shown: AgendaItem, zone: string): Markup {
  const { key, item, project, pending } = shown;
  const mark = swatch(project ?? { id: item.projectId, color: null });
  return html`<li${item.completed ? html` class="is-done"` : null}><span class="at">${mark} ${timeOf(shown, zone)}</span>
<span><a href="calendar/items/${key}"><bdi>${item.title}</bdi></a> <span class="quiet"><bdi>${project?.title ?? ""}</bdi></span>${
    spokenKind(item) === "event" ? null : html` ${badge(kindInWords(item))}`
  }${item.completed ? html` ${badge(say("badge.done"), "good")}` : null}${pending ? html` ${badge(say("badge.pending"), "wait")}` : null}${
    shown.private ? html` ${badge(say("badge.private"))}` : null
  }</span></li>`;
}

function timeOf({ item }: AgendaItem, zone: string): string {
  if (item.kind !== "event") return say("agenda.due");
  const when = inZone(item.when, zone);
  if (when.kind === "dates") return say("agenda.allDay");
  const start = clockInWords(when.start);
  return when.end ? `${start}–${clockInWords(when.end)}` : start;
}

const byTime =
  (zone: string) =>
  (a: AgendaItem, b: AgendaItem): number =>
    rank(a) - rank(b) ||
    compareTimes(a, b, zone) ||
    a.item.title.localeCompare(b.item.title, "en") ||
    a.key - b.key;

/** Whole days, then timed items, then what is due some time that day. */
function rank({ item }: AgendaItem): number {
  if (item.kind !== "event") return 2;
  return item.when.kind === "dates" ? 0 : 1;
}

function compareTimes(a: AgendaItem, b: AgendaItem, zone: string): number {
  if (a.item.kind !== "event" || b.item.kind !== "event") return 0;
  const [left, right] = [a.item.when, b.item.when];
  return (
    Temporal.Instant.compare(startsAt(left, zone), startsAt(right, zone)) ||
    Temporal.Instant.compare(endsAt(left, zone), endsAt(right, zone))
  );
}

/** A project's colour as a drawing, as pages must not have inline styles. */
export function swatch(project: Pick<Project, "id" | "color">): Markup {
  const colour = projectColourOf(project);
  const look =
    colour === null ? html` class="tint-${tintOf(project.id)}"` : html` fill="${colour}"`;
  return html`<svg class="swatch" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="3"${look}/></svg>`;
}
