import { Calendar, type EventApi, type EventChangeInfo, type EventInput } from "fullcalendar";
import dayGrid from "fullcalendar/daygrid";
import interaction from "fullcalendar/interaction";
import list from "fullcalendar/list";
import german from "fullcalendar/locales/de";
import enGb from "fullcalendar/locales/en-gb";
import spanish from "fullcalendar/locales/es";
import french from "fullcalendar/locales/fr";
import classicTheme from "fullcalendar/themes/classic";
import timeGrid from "fullcalendar/timegrid";
import { say } from "./say.ts";
import type { ScriptText } from "./script-texts.ts";
import "fullcalendar/skeleton.css";
import "fullcalendar/themes/classic/theme.css";
import "./calendar.css";
import { askToAgree } from "./agreeing.ts";
import { fieldsOf } from "./form-fields.ts";
import { addShortcuts } from "./shortcuts.ts";
import { openSheet } from "./side-sheet.ts";
import { showToast } from "./toast.ts";

// The page /calendar: month, week and list of the server's events. A click opens an item beside the calendar, and dragging moves
// it, with an undo. What needs a decision is asked first. The item's page has a form for the same.

/** Phones show the list; there is no room for seven columns. */
const narrow = window.matchMedia("(max-width: 46rem)");

/** FullCalendar's names. */
const views: readonly string[] = ["dayGridMonth", "timeGridWeek", "listWeek"];

const locales: Readonly<Record<string, typeof enGb>> = {
  de: german,
  es: spanish,
  fr: french,
};

/** Why a kind cannot be dropped on an hour. */
const noTime: Readonly<Record<string, ScriptText>> = {
  milestone: "script.noTime.milestone",
  task: "script.noTime.task",
  subtask: "script.noTime.subtask",
};

const isUs = document.documentElement.lang === "en-US";
const clockFormat = {
  hour: isUs ? "numeric" : "2-digit",
  minute: "2-digit",
  hour12: isUs,
} as const;

const place = document.querySelector<HTMLElement>("#calendar");
if (place) start(place);

function start(at: HTMLElement): void {
  const { clocks: zone = "UTC", today = "", on = today, form = "" } = at.dataset;
  const isFixed = at.dataset["fixed"] !== undefined;
  const usualView = narrow.matches ? "listWeek" : "dayGridMonth";
  const asked = new URLSearchParams(location.search).get("view") ?? "";
  at.hidden = false;
  const agenda = document.querySelector<HTMLElement>("#agenda");
  if (agenda) agenda.hidden = true;
  const letGo = untilLetGo(at);
  const refocus = keepFocus(at);
  const calendar = new Calendar(at, {
    plugins: [dayGrid, timeGrid, list, interaction, classicTheme],
    locale: isUs ? "en-US" : (locales[document.documentElement.lang] ?? enGb),
    allDayText: say("script.allDay"),
    listText: say("script.list"),
    // Names of buttons contain what they show.
    viewHint: "$0",
    timeZone: zone,
    initialDate: on,
    initialView: views.includes(asked) ? asked : usualView,
    headerToolbar: {
      start: "prev,next today",
      center: "title",
      end: views.join(","),
    },
    height: heightOf(views.includes(asked) ? asked : usualView),
    firstDay: firstDayOfWeek(),
    nowIndicator: true,
    dayMaxEvents: true,
    fixedWeekCount: false,
    // Done items come last, so that "more" hides them first.
    eventOrder: "completed,start,-duration,allDay,title",
    todayHint: say("script.today"),
    defaultTimedEventDuration: "00:30",
    forceEventDuration: true,
    eventTimeFormat: clockFormat,
    slotHeaderFormat: clockFormat,
    scrollTime: "08:00:00",
    selectable: !isFixed,
    selectMirror: true,
    longPressDelay: 400,
    events: async (span: Span) => {
      const entries = await read(span);
      await letGo();
      return entries;
    },
    datesSet: ({ view }) => {
      const height = heightOf(view.type);
      if (calendar.getOption("height") !== height) calendar.setOption("height", height);
      const [from, to] = [view.currentStart, view.currentEnd].map((each) =>
        calendar.formatIso(each, true),
      );
      const isNow =
        view.type === "listWeek"
          ? from === today
          : from !== undefined && to !== undefined && from <= today && today < to;
      keepPlace({
        on: isNow ? null : (from ?? null),
        view: view.type === usualView ? null : view.type,
      });
    },
    eventClass: ({ event, view }) => classOf(event, view.type),
    eventContent: ({ event, timeText, view }) => {
      const parts = drawn(event, timeText);
      return { domNodes: view.type === "timeGridWeek" ? [together(parts)] : parts };
    },
    views: {
      timeGridWeek: {
        // Its height shows when an event ends.
        displayEventEnd: false,
        titleFormat: { day: "numeric", month: "long", year: "numeric" },
        dayHeaderFormat: { weekday: narrow.matches ? "narrow" : "short", day: "numeric" },
      },
      // From today on, not from Monday.
      listWeek: { duration: { days: 7 } },
    },
    eventClick: ({ event, jsEvent }) => {
      jsEvent.preventDefault();
      const path = `calendar/items/${event.id}`;
      if (jsEvent.ctrlKey || jsEvent.metaKey) window.open(path, "_blank");
      else void openSheet(path, refocus);
    },
    eventDidMount: ({ el, event }) => {
      const { colour, project, pending }: Props = propsOf(event);
      if (colour) el.style.setProperty("--tint", colour);
      el.dataset["item"] = event.id;
      el.title = `${event.title} · ${project}${pending ? ` · ${say("script.pending")}` : ""}`;
    },
    select: ({ startStr, endStr, allDay }) => {
      const draft = allDay
        ? { on: startStr.slice(0, 10), last: dayBefore(endStr) }
        : {
            on: startStr.slice(0, 10),
            at: clockOf(startStr),
            last: endStr.slice(0, 10),
            until: clockOf(endStr),
          };
      location.assign(`calendar/new?${new URLSearchParams(draft).toString()}`);
    },
    eventDrop: (change) => void settle(change),
    eventResize: (change) => void settle(change),
  });
  calendar.render();
  mendNames(at);
  const onDrawn = () => {
    mendNames(at);
    refocus();
  };
  new MutationObserver(onDrawn).observe(at, { childList: true, subtree: true });
  narrow.addEventListener("change", ({ matches }) => {
    calendar.changeView(matches ? "listWeek" : "dayGridMonth");
  });
  followLive(() => calendar.refetchEvents());
  filterAtOnce(() => calendar.refetchEvents());
  addShortcuts([
    { key: "t", does: say("script.goToday"), run: () => calendar.today() },
    { key: "ArrowLeft", does: say("script.goBack"), run: () => calendar.prev() },
    { key: "ArrowRight", does: say("script.goForward"), run: () => calendar.next() },
    { key: "m", does: say("script.showMonth"), run: () => calendar.changeView("dayGridMonth") },
    { key: "w", does: say("script.showWeek"), run: () => calendar.changeView("timeGridWeek") },
    { key: "a", does: say("script.showList"), run: () => calendar.changeView("listWeek") },
    ...(isFixed
      ? []
      : [{ key: "n", does: say("script.newItem"), run: () => location.assign("calendar/new") }]),
  ]);

  async function settle(change: EventChangeInfo): Promise<void> {
    const { event, revert } = change;
    const { kind }: Props = propsOf(event);
    if (kind !== "event" && !event.allDay) {
      revert();
      showToast(say(noTime[kind] ?? "script.noTime.task"));
      return;
    }
    const outcome = await store(event, wishOf(change));
    if (outcome.kind === "planned") {
      // The item is newer by then: without a number it is changed as it is.
      const back = wishOf({ event: change.oldEvent, oldEvent: event });
      showToast(movedWords(event.title, outcome), {
        label: say("script.undo"),
        run: () => void undo(event, { ...back, sequence: "" }),
      });
    } else {
      revert();
      if (outcome.kind !== "cancelled") showToast(whyNot(outcome));
    }
    calendar.refetchEvents();
  }

  async function undo(event: EventApi, fields: Fields): Promise<void> {
    const outcome = await store(event, fields);
    showToast(
      outcome.kind === "planned" ? say("script.undone", { title: event.title }) : whyNot(outcome),
    );
    calendar.refetchEvents();
  }

  /** Stores a change. What it has remarks on, or waits for approval, is asked first. */
  async function store({ id, title }: EventApi, fields: Fields): Promise<Answer> {
    const plan = await send(id, { ...fields, form, step: "preview" });
    if (plan.kind !== "planned") return plan;
    const needsDecision = (plan.notes ?? []).length > 0 || plan.state === "held";
    if (needsDecision && !(await askToAgree({ title, ...plan }))) return { kind: "cancelled" };
    const stored = await send(id, { ...fields, form, step: "apply" });
    return { ...stored, changes: plan.changes ?? [] };
  }
}

type Fields = Readonly<Record<string, string>>;

function movedWords(title: string, { changes = [], state }: Answer): string {
  const words = changes.map(({ from, to }) => `${from} → ${to}`).join("; ");
  return `${title}: ${words}${state === "held" ? ` (${say("script.waitsApproval")})` : ""}`;
}

/**
 * A month fits the window, and the hours of a week scroll in their own area, so that today and the morning are visible. A list is
 * as high as its content.
 */
function heightOf(view: string): string {
  if (view === "timeGridWeek") return "max(42rem, 85vh)";
  return view === "dayGridMonth" ? "max(36rem, calc(100vh - 12.5rem))" : "auto";
}

interface Props {
  readonly kind: string;
  readonly sequence: number;
  readonly isOpenEnded: boolean;
  readonly pending: boolean;
  readonly project: string;
  readonly completed: boolean;
  readonly colour: string | null;
  readonly tint: number;
}

function propsOf(event: EventApi): Props {
  const props: Readonly<Record<string, unknown>> = event.extendedProps;
  const { kind, sequence, isOpenEnded, pending, project, completed, colour, tint } = props;
  return {
    kind: String(kind),
    sequence: Number(sequence),
    isOpenEnded: isOpenEnded === true,
    pending: pending === true,
    project: String(project),
    completed: completed === true,
    tint: Number(tint),
    colour: typeof colour === "string" ? colour : null,
  };
}

/** The fields of the item's form for its new place. */
function wishOf({ event, oldEvent }: Pick<EventChangeInfo, "event" | "oldEvent">): Fields {
  const { kind, sequence, isOpenEnded }: Props = propsOf(event);
  const common = { sequence: String(sequence), has: "allDay" };
  const startOn = event.startStr.slice(0, 10);
  if (kind === "task" || kind === "subtask") {
    return { sequence: common.sequence, dueOn: startOn };
  }
  if (event.allDay) {
    const endOn = event.endStr === "" ? startOn : dayBefore(event.endStr);
    return { ...common, allDay: "yes", startOn, endOn, startAt: "", endAt: "" };
  }
  const length = (each: EventApi) => Number(each.end) - Number(each.start);
  const keepsOpen = isOpenEnded && length(event) === length(oldEvent);
  return {
    ...common,
    startOn,
    startAt: clockOf(event.startStr),
    endOn: keepsOpen ? startOn : event.endStr.slice(0, 10),
    endAt: keepsOpen ? "" : clockOf(event.endStr),
  };
}

/** The server's response to a change. */
interface Answer {
  readonly kind: string;
  readonly changes?: readonly {
    readonly name: string;
    readonly from: string;
    readonly to: string;
  }[];
  readonly notes?: readonly string[];
  readonly state?: string;
  readonly reasons?: readonly string[];
  readonly since?: readonly { readonly name: string; readonly from: string; readonly to: string }[];
}

async function send(id: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  try {
    const answer = await fetch(`calendar/items/${id}`, {
      method: "POST",
      headers: { accept: "application/json" },
      body: new URLSearchParams(fields),
    });
    const said: Answer = Object(await answer.json());
    return said.kind === undefined ? { kind: "refused", reasons: [detailOf(said)] } : said;
  } catch {
    return { kind: "refused", reasons: [say("script.unanswered")] };
  }
}

function detailOf(problem: object): string {
  const { detail }: { readonly detail?: unknown } = problem;
  return typeof detail === "string" ? detail : say("script.rejected");
}

function whyNot({ kind, reasons = [], since = [] }: Answer): string {
  if (kind === "unchanged") return say("script.nothing");
  if (kind === "gone") return say("script.gone");
  if (kind === "moved") {
    const words = since
      .map(({ name, to }) => say("script.isNow", { field: name, value: to }))
      .join("; ");
    return say("script.someoneElse", { changes: words });
  }
  return say("script.notChanged", { reasons: reasons.join("; ") });
}

/**
 * Fixes accessibility problems of FullCalendar 7.1: a day labeled with its date hides its events from screen readers, and its
 * list has parts that are not list items. Source: WAI-ARIA 1.2, `gridcell` and `list`.
 */
function mendNames(at: HTMLElement): void {
  for (const cell of at.querySelectorAll("[role=gridcell][aria-label]")) {
    cell.removeAttribute("aria-label");
  }
  for (const list of at.querySelectorAll("[role=list]")) {
    const isOfItems = [...list.children].every((part) => part.getAttribute("role") === "listitem");
    if (!isOfItems) list.setAttribute("role", "group");
  }
}

/** Classes for kind, project, completed or pending, and single-line in the month view. */
function classOf(event: EventApi, view: string): string {
  const { kind, tint, pending, completed }: Props = propsOf(event);
  const { start, end, allDay } = event;
  const halfAnHour = 30 * 60 * 1000;
  return [
    "is-item",
    `kind-${kind}`,
    `tint-${tint}`,
    ...(pending ? ["is-pending"] : []),
    ...(completed ? ["is-done"] : []),
    ...(view === "dayGridMonth" ? ["is-line"] : []),
    ...(view === "timeGridWeek" && !allDay && Number(end) - Number(start) <= halfAnHour
      ? ["is-short"]
      : []),
  ].join(" ");
}

/** The time and the title; nothing in the title is treated as markup. */
function drawn(event: EventApi, timeText: string): Node[] {
  const part = (name: string, text: string) => {
    const element = document.createElement("span");
    element.className = name;
    element.textContent = text;
    return element;
  };
  const title = part("item-title", event.title);
  const { kind }: Props = propsOf(event);
  // A due item has a day, but takes no time of it.
  const time = timeText !== "" && /task$/.test(kind) ? "due" : timeText;
  return time === "" ? [title] : [part("item-time", `${time} `), title];
}

/** As one text that can wrap. */
function together(parts: readonly Node[]): HTMLElement {
  const whole = document.createElement("span");
  whole.className = "item-text";
  whole.append(...parts);
  return whole;
}

/** A problem with the days shown; null clears it. */
function sayOfDays(text: string | null): void {
  const line = document.querySelector<HTMLElement>("#calendar-said");
  if (!line) return;
  line.textContent = text ?? "";
  line.className = text === null ? "unseen" : "notice info";
}

/** A range of days in FullCalendar's form, end exclusive. */
interface Span {
  readonly startStr: string;
  readonly endStr: string;
}

/** The events on these days; if they cannot be read, none, and the reason is shown. */
async function read({ startStr, endStr }: Span): Promise<EventInput[]> {
  const query = new URLSearchParams(location.search);
  query.set("from", startStr.slice(0, 10));
  query.set("to", endStr.slice(0, 10));
  const { events, isCut, problem } = await ask(query);
  const more = say("script.cut");
  sayOfDays(problem ?? (isCut === true ? more : null));
  return Array.isArray(events) ? events : [];
}

interface Reading {
  readonly events?: unknown;
  readonly isCut?: unknown;
  readonly problem?: string;
}

async function ask(query: URLSearchParams): Promise<Reading> {
  try {
    const answer = await fetch(`calendar/events.json?${query.toString()}`, {
      headers: { accept: "application/json" },
    });
    if (answer.ok) return Object(await answer.json());
    if (answer.status === 401) {
      return { problem: say("script.reload") };
    }
    return {
      problem: say("script.notLoaded", { reason: detailOf(Object(await answer.json())) }),
    };
  } catch {
    return { problem: say("script.daysMissing") };
  }
}

/** Stores the days and the view in the page's address and in the filter form; null for defaults. */
function keepPlace(shown: { readonly on: string | null; readonly view: string | null }): void {
  const address = new URL(location.href);
  const form = document.querySelector<HTMLFormElement>("form.filters");
  for (const [name, value] of Object.entries(shown)) {
    form?.querySelector(`input[name="${name}"]`)?.remove();
    if (value === null) {
      address.searchParams.delete(name);
      continue;
    }
    address.searchParams.set(name, value);
    const kept = document.createElement("input");
    Object.assign(kept, { type: "hidden", name, value });
    form?.append(kept);
  }
  history.replaceState(history.state, "", address);
}

/** Applies a changed filter without a reload, and keeps it in the page's address. */
function filterAtOnce(onChange: () => void): void {
  const form = document.querySelector<HTMLFormElement>("form.filters");
  const apply = form?.querySelector("button");
  if (!form || !apply) return;
  apply.hidden = true;
  form.addEventListener("change", () => {
    const address = new URL(location.href);
    const chosen = [...fieldsOf(form)].filter(([, value]) => value !== "");
    address.search = new URLSearchParams(chosen).toString();
    history.replaceState(history.state, "", address);
    onChange();
  });
}

/**
 * Resolves when nothing in the calendar is being dragged. Data read during a drag waits for this: the library loses an event
 * that was reloaded meanwhile, and its new place would be lost.
 */
function untilLetGo(at: HTMLElement): () => Promise<void> {
  let held: PromiseWithResolvers<void> | null = null;
  const letGo = () => {
    const ended = held;
    held = null;
    // The library handles the event after this, and only then knows its new place.
    setTimeout(() => ended?.resolve(), 50);
  };
  at.addEventListener("pointerdown", () => {
    held ??= Promise.withResolvers();
  });
  for (const name of ["pointerup", "pointercancel", "blur"]) {
    window.addEventListener(name, letGo, true);
  }
  return () => held?.promise ?? Promise.resolve();
}

/**
 * Remembers the item that has the focus. The returned function gives it back if the item was drawn again in between, as after a
 * change of the workspace.
 */
function keepFocus(at: HTMLElement): () => void {
  let item: string | null = null;
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof Element) || target.closest("dialog")) return;
    const entry = at.contains(target) ? target.closest<HTMLElement>("[data-item]") : null;
    item = entry?.dataset["item"] ?? null;
  });
  document.addEventListener("pointerdown", () => {
    item = null;
  });
  return () => {
    if (item === null || document.activeElement !== document.body) return;
    at.querySelector<HTMLElement>(`[data-item="${CSS.escape(item)}"]`)?.focus();
  };
}

/** The list below is updated by the page's script; whenever it changes the calendar is reloaded. */
function followLive(onChange: () => void): void {
  const section = document.querySelector("#agenda");
  if (section) new MutationObserver(onChange).observe(section, { childList: true });
}

/** In the browser's region, from 0 for Sunday; Monday if the browser does not know. */
function firstDayOfWeek(): number {
  const { firstDay = 1 } = new Intl.Locale(navigator.language).getWeekInfo?.() ?? {};
  return firstDay % 7;
}

const clockOf = (text: string): string => text.slice(11, 16);

function dayBefore(text: string): string {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}
