import type { AgendaFilter, AgendaListing } from "../../calendars/agenda.ts";
import type { Person, Project } from "../../domain/item.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { dayInWords } from "../../domain/wording.ts";
import { say } from "../../texts/say.ts";
import { kindChoices } from "../agenda-query.ts";
import { agendaDay, swatch } from "./agenda-list.ts";
import {
  card,
  checkbox,
  emptyState,
  folded,
  linkButton,
  notice,
  optionsOf,
  selectField,
} from "./components.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

interface CalendarPageData {
  readonly viewer: Viewer;
  readonly filter: AgendaFilter;
  readonly today: Temporal.PlainDate;
  /** First day of the list. */
  readonly from: Temporal.PlainDate;
  readonly listing: AgendaListing;
  readonly projects: readonly Project[];
  readonly people: readonly Person[];
  readonly formToken: string;
  /** True for a reader with read-only access. */
  readonly isFixed: boolean;
}

/**
 * The page `/calendar`: a month, a week or a list with scripts, and below it the next two weeks as a list, which works without
 * them.
 */
export function calendarPage(data: CalendarPageData): Page {
  const { viewer, filter, today, from, listing, formToken, isFixed } = data;
  const { days, next, isCut } = listing;
  const body = html`${filterForm(data)}
${isCut ? notice("wait", say("calendar.tooMany")) : null}
<div id="calendar" class="calendar" hidden data-clocks="${viewer.zone}" data-today="${today.toString()}" data-on="${from.toString()}" data-form="${formToken}"${isFixed ? html` data-fixed` : null}></div>
<p id="calendar-said" role="status" class="unseen"></p>
${legend(data)}
${card({
  title: say(next ? "calendar.andOn" : "calendar.twoWeeks", { day: dayInWords(from) }),
  id: "agenda",
  live: ["mirror", "edits"],
  body: days.length > 0 ? days.map((day) => agendaDay(day, viewer.zone)) : nothing(filter),
  footer:
    next && linkButton(say("calendar.goOn", { day: dayInWords(next) }), addressOf(next, data)),
})}`;
  return {
    title: say("layout.calendar"),
    current: "calendar",
    scripts: ["calendar"],
    actions: isFixed ? null : linkButton(say("item.new"), "calendar/new", { isMain: true }),
    body,
  };
}

/** URL of the same calendar from another day on. */
function addressOf(on: Temporal.PlainDate, { filter }: CalendarPageData): string {
  const query = new URLSearchParams({ on: on.toString() });
  for (const project of filter.projects) query.append("project", String(project));
  for (const kind of filter.kinds) query.append("kind", kind);
  if (filter.assigned !== null) query.set("person", String(filter.assigned));
  if (!filter.completed) query.set("done", "no");
  return `calendar?${query.toString()}`;
}

function filterForm({ filter, projects, people, viewer }: CalendarPageData): Markup {
  const own = viewer.kind === "person" ? viewer.person : null;
  const isMine = own !== null && filter.assigned === own;
  const chosen = filter.projects.size === 1 ? String([...filter.projects][0]) : "";
  const all = { value: "", label: say("calendar.allProjects") };
  return html`<form class="filters" method="get" action="calendar">
${selectField({
  name: "project",
  label: say("word.project"),
  value: chosen,
  choices: [all, ...optionsOf(projects)],
})}
${selectField({
  name: "person",
  label: say("word.assignedTo"),
  value: filter.assigned === null || isMine ? "" : String(filter.assigned),
  choices: [
    { value: "", label: say("word.anyone") },
    ...optionsOf(people.filter(({ id }) => id !== own)),
  ],
})}
<fieldset><legend class="unseen">${say("calendar.shownItems")}</legend>${kindChoices.map(
    ({ kind, label }) =>
      checkbox({
        name: "kind",
        value: kind,
        label,
        isOn: filter.kinds.size === 0 || filter.kinds.has(kind),
      }),
  )}${
    viewer.kind === "person"
      ? checkbox({ name: "mine", value: "yes", label: say("calendar.onlyMine"), isOn: isMine })
      : null
  }${checkbox({ name: "done", value: "no", label: say("calendar.hideCompleted"), isOn: !filter.completed })}</fieldset>
<button>${say("action.show")}</button></form>`;
}

/** More colours cannot be distinguished at a glance. */
const shownColours = 12;

/** Projects with their colours; empty for a single project. */
function legend({ projects, filter }: CalendarPageData): Markup | null {
  const shown = projects.filter(({ id }) => filter.projects.size === 0 || filter.projects.has(id));
  if (shown.length < 2) return null;
  const list = html`<ul class="legend">${shown.map((project) => html`<li>${swatch(project)} <bdi>${project.title}</bdi></li>\n`)}</ul>`;
  return shown.length > shownColours
    ? folded(say("calendar.colours", { count: shown.length }), list)
    : list;
}

function nothing({ projects, kinds, assigned }: AgendaFilter): Markup {
  const isFiltered = projects.size > 0 || kinds.size > 0 || assigned !== null;
  return isFiltered
    ? emptyState(
        say("calendar.noMatch"),
        say("calendar.noMatchText"),
        linkButton(say("calendar.showAll"), "calendar"),
      )
    : emptyState(say("calendar.none"), say("calendar.noneText"));
}
