import { inTurns } from "@dayferry/event-loop";
import { type Request, type Response, Router } from "express";
import { type AgendaItem, createAgenda } from "../calendars/agenda.ts";
import { calendarPresence } from "../calendars/calendar-presence.ts";
import { type ItemKey, isId, itemKey } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import type { Reader, Viewer } from "../domain/visibility.ts";
import { webLink } from "../domain/web-link.ts";
import type { FormOutcome, FormWish } from "../edits/forms/accept-form.ts";
import { fieldsOfItem, type ItemFields, readItemFields } from "../edits/forms/item-fields.ts";
import {
  draftItem,
  type NewItemFields,
  newItemFieldNames,
  readNewItem,
} from "../edits/forms/new-item.ts";
import { say } from "../texts/say.ts";
import { onlookerOf, readAgendaFilter, readDay, readDays } from "./agenda-query.ts";
import { calendarEvent } from "./calendar-events.ts";
import { formField, formGuard } from "./form-guard.ts";
import { readItemBody } from "./item-body.ts";
import { calendarPage } from "./pages/calendar-page.ts";
import { type FormState, itemPage, newItemPage } from "./pages/item-pages.ts";
import { itemPreviewPage } from "./pages/item-preview.ts";
import { badRequest, forbidden, notFound, sendProblem } from "./problem-json.ts";
import { redirectTo, sendPage } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";

/** Size limit of a form; descriptions may be long. */
const longestForm = 500_000;
/** The list ends with the day on which it reaches this many, and continues on another page. */
const listedItems = 100;
/** Number of days in the list below the calendar. */
const listedDays = 14;

/**
 * The calendar: everything the reader may see, each item with its mirrored data, and forms that change, create and delete
 * items. Each form first shows its effect. Dragging works the same way.
 */
export function calendarRoutes(
  context: WebContext & { readonly acceptForm: NonNullable<WebContext["acceptForm"]> },
): Router {
  const { viewers, store, acceptForm, people, feeds, rights, clock, eventLoop } = context;
  const { directory, meta } = store;
  const agenda = createAgenda(store);
  const router = Router();

  const isFixed = (viewer: Viewer): boolean =>
    viewer.kind === "person" && people.get(viewer.person)?.calendars !== "write";

  router.get("/calendar", async (request, response) => {
    const viewer = viewers.viewerOf(request);
    const filter = readAgendaFilter(request.query, viewer);
    const today = clock().toZonedDateTimeISO(viewer.zone).toPlainDate();
    const from = readDay(request.query["on"]) ?? today;
    const span = { from, to: from.add({ days: listedDays }), zone: viewer.zone };
    const onlooker = onlookerOf(viewer);
    const steps = agenda.listing(span, { onlooker, filter, enough: listedItems });
    const listing = await inTurns(steps, eventLoop);
    const data = {
      viewer,
      filter,
      today,
      listing,
      from,
      projects: agenda.projects(onlooker),
      people: directory.people(),
      formToken: viewers.formToken(request),
      isFixed: isFixed(viewer),
    };
    sendPage(response, calendarPage(data));
  });

  router.get("/calendar/events.json", async (request, response) => {
    const viewer = viewers.viewerOf(request);
    const span = readDays(request.query, viewer.zone);
    if (!span.ok) {
      sendProblem(response, badRequest(span.failure));
      return;
    }
    const filter = readAgendaFilter(request.query, viewer);
    const steps = agenda.days(span.value, { onlooker: onlookerOf(viewer), filter });
    const { items, isCut } = await inTurns(steps, eventLoop);
    const fixed = isFixed(viewer);
    response.json({ events: items.map((item) => calendarEvent(item, { isFixed: fixed })), isCut });
  });

  /** The form of an item, as the reader last entered it or as the item is. */
  function sendItem(response: Response, shown: AgendaItem, state: FormState = {}): void {
    const viewer = viewers.viewerOf(response.req);
    const { item } = shown;
    const data = {
      viewer,
      shown,
      fields: state.fields ?? fieldsOfItem(item, viewer.zone),
      state,
      ...besides(item),
      presences: presencesOf(shown, viewer),
      people: directory.people(),
      names: directory.personNames(),
      labels: directory.labels(),
      labelNames: directory.labelNames(),
      link: webLink(context.webUrl, item),
      formToken: viewers.formToken(response.req),
      isFixed: isFixed(viewer),
    };
    sendPage(response, itemPage(data));
  }

  function presencesOf({ key, ...placed }: AgendaItem, viewer: Viewer) {
    const view = store.view.get(key);
    const owners = people
      .list()
      .filter(({ id, hasPassword }) =>
        viewer.kind === "person" ? id === viewer.person : hasPassword,
      );
    return {
      feeds: view ? feeds.presencesOf(view, viewer) : [],
      people: owners.map((person) => ({
        name: person.name,
        presence: calendarPresence(person, placed),
      })),
    };
  }

  /** Only tasks have these data in the service. */
  function besides(item: Item) {
    const id = item.kind === "task" ? item.id : null;
    return id === null
      ? { subtasks: [], comments: [], history: [] }
      : {
          subtasks: store.view.below(id),
          comments: store.comments.ofTask(id),
          history: store.history.ofTask(id),
        };
  }

  router.get("/calendar/items/:key", (request, response) => {
    const shown = itemOf(request);
    if (!shown) return sendGone(response);
    const edit = Number(request.query["edit"]);
    sendItem(response, shown, isId(edit) ? { edit } : {});
  });

  router.post(
    ["/calendar/items/:key", "/calendar/items/:key/delete", "/calendar/new"],
    ...formGuard(viewers, longestForm),
  );

  router.post("/calendar/items/:key", (request, response) => {
    const shown = itemOf(request);
    if (!shown) return sendGone(response);
    const viewer = viewers.viewerOf(request);
    const fields = readItemBody(request.body);
    const sequence = sequenceOf(request, shown);
    const seen = seenItem(shown, sequence, onlookerOf(viewer));
    const zones = { reader: viewer.zone, account: context.zone };
    const patch = readItemFields(fields, seen, zones);
    if (!patch.ok) {
      const reasons = patch.failure.map(({ message }) => message);
      response.status(422);
      if (wantsJson(request)) response.json({ kind: "refused", reasons });
      else sendItem(response, shown, { fields, faults: patch.failure });
      return;
    }
    const wish = { kind: "change", item: shown.key, sequence, patch: patch.value } as const;
    answer(response, { shown, wish, fields });
  });

  router.post("/calendar/items/:key/delete", (request, response) => {
    const shown = itemOf(request);
    if (!shown) return sendGone(response);
    const sequence = sequenceOf(request, shown);
    answer(response, { shown, wish: { kind: "delete", item: shown.key, sequence } });
  });

  router.get("/calendar/new", (request, response) => {
    const viewer = viewers.viewerOf(request);
    const today = clock().toZonedDateTimeISO(viewer.zone).toPlainDate();
    sendNew(response, draftItem(request.query, today));
  });

  router.post("/calendar/new", (request, response) => {
    const viewer = viewers.viewerOf(request);
    const onlooker = onlookerOf(viewer);
    const own = Object.fromEntries(
      newItemFieldNames.map((name) => [name, formField(request.body, name)]),
    );
    const given = { ...readItemBody(request.body), ...own };
    const read = readNewItem(given, {
      zones: { reader: viewer.zone, account: context.zone },
      creator: onlooker,
      now: clock(),
      projects: agenda.projects(onlooker),
      lists: (project) => agenda.lists(project, onlooker),
    });
    if (!read.ok) {
      sendNew(response.status(422), given, { faults: read.failure });
      return;
    }
    const once = onceOf(request);
    const uid = `${once}@${meta.installation}`;
    const made = store.mirror.findUid(uid)?.item;
    if (made !== undefined) return sendMade(response, made);
    const [item, ...others] = read.value;
    if (!item) return sendGone(response);
    const more = others.map((one, at) => ({
      item: one,
      uid: `${once}-${at + 2}@${meta.installation}`,
    }));
    const wish = { kind: "create", item, uid, more } as const;
    answer(response, { shown: null, wish, fields: given, once });
  });

  /** The id of the preview, so that a double click creates only one item. */
  function onceOf(request: Request): string {
    const given = formField(request.body, "once");
    return /^[0-9a-f]{32}$/.test(given)
      ? given
      : Buffer.from(context.randomBytes(16)).toString("hex");
  }

  /** What an earlier click of the same button created: the item, or the edit if that waits for approval. */
  function sendMade(response: Response, made: ItemKey): void {
    const isShown = agenda.item(made, onlookerOf(viewers.viewerOf(response.req))) !== null;
    const [held] = store.journal.heldOf(made);
    if (isShown) redirectTo(response, `calendar/items/${made}`);
    else if (held) redirectTo(response, `edits/${held.id}`);
    else sendGone(response);
  }

  function sendNew(
    response: Response,
    fields: NewItemFields,
    { faults = [], problems = [] }: Pick<FormState, "faults" | "problems"> = {},
  ): void {
    const viewer = viewers.viewerOf(response.req);
    const onlooker = onlookerOf(viewer);
    const projects = agenda.projects(onlooker);
    const data = {
      ...{ fields, faults, problems, projects },
      lists: projects.flatMap(({ id }) => agenda.lists(id, onlooker)),
      zone: viewer.zone,
      formToken: viewers.formToken(response.req),
    };
    sendPage(response, newItemPage(data));
  }

  /** Why the reader may not change or create this; null if they may. */
  function refusalOf(viewer: Viewer, item: Item): string | null {
    if (viewer.kind === "admin") return null;
    const { projectId: project } = item;
    const listId = item.kind === "event" ? null : item.listId;
    return rights.refusal(viewer.person, { projectId: project, listId });
  }

  function answer(response: Response, sent: SentForm): void {
    const { shown, wish } = sent;
    const { req: request } = response;
    const viewer = viewers.viewerOf(request);
    const item = wish.kind === "create" ? wish.item : shown?.item;
    const refusal = item ? refusalOf(viewer, item) : null;
    if (refusal) {
      if (wantsJson(request)) response.status(403).json({ kind: "refused", reasons: [refusal] });
      else sendProblem(response, forbidden(refusal));
      return;
    }
    const dryRun = formField(request.body, "step") !== "apply";
    const outcome = acceptForm({ actor: onlookerOf(viewer), zone: viewer.zone, dryRun, wish });
    if (wantsJson(request)) {
      response.status(statuses[outcome.kind]).json(outcome);
      return;
    }
    sendOutcome(response, sent, outcome);
  }

  function sendOutcome(
    response: Response,
    { shown, wish, fields = {}, once = null }: SentForm,
    outcome: FormOutcome,
  ): void {
    response.status(statuses[outcome.kind]);
    switch (outcome.kind) {
      case "planned": {
        if (outcome.edit !== null) {
          const key = wish.kind === "create" ? store.view.findUid(wish.uid)?.key : shown?.key;
          const isSeries = outcome.occurrences.length > 0;
          const isShown = key !== undefined && wish.kind !== "delete" && !isSeries;
          const { edit } = outcome;
          redirectTo(response, isShown ? `calendar/items/${key}?edit=${edit}` : `edits/${edit}`);
          return;
        }
        const preview = { wish, shown, sequence: shown?.sequence ?? 0, once, fields, outcome };
        const formToken = viewers.formToken(response.req);
        sendPage(response, itemPreviewPage({ ...preview, formToken }));
        return;
      }
      case "unchanged":
        if (shown) sendItem(response, shown, { isUnchanged: true });
        return;
      case "moved":
        // The form keeps what was entered; the next attempt is compared with the item's present state.
        if (shown) {
          const now = fieldsOfItem(shown.item, viewers.viewerOf(response.req).zone);
          sendItem(response, shown, { fields: { ...now, ...fields }, since: outcome.since });
        }
        return;
      case "refused":
        if (shown) sendItem(response, shown, { fields, problems: outcome.reasons });
        else sendNew(response, fields, { problems: outcome.reasons });
        return;
      case "gone":
        sendGone(response);
        return;
      default:
        unreachable(outcome);
    }
  }

  function itemOf(request: Request): AgendaItem | null {
    const key = keyOf(String(request.params["key"]));
    return key && agenda.item(key, onlookerOf(viewers.viewerOf(request)));
  }

  /** The item as the form showed it, if still known; later changes are then reported. */
  const seenItem = (
    { key, item, sequence: now }: AgendaItem,
    sequence: number,
    reader: Reader,
  ): Item =>
    (sequence === now ? null : store.view.shownAs(key, { sequence, modifiedAt: null }, reader)) ??
    item;

  return router;
}

/** A form as sent, for an item, or for a new one (null). */
interface SentForm {
  readonly shown: AgendaItem | null;
  readonly wish: FormWish;
  readonly fields?: ItemFields;
  /** An id for the new item. */
  readonly once?: string | null;
}

const keyOf = (text: string): ItemKey | null => (isId(Number(text)) ? itemKey(Number(text)) : null);

function sequenceOf(request: Request, { sequence }: AgendaItem): number {
  const given = formField(request.body, "sequence");
  return /^\d{1,9}$/.test(given) ? Number(given) : sequence;
}

const wantsJson = (request: Request): boolean => request.accepts(["html", "json"]) === "json";

const statuses: Readonly<Record<FormOutcome["kind"], number>> = {
  planned: 200,
  unchanged: 200,
  moved: 409,
  refused: 422,
  gone: 404,
};

function sendGone(response: Response): void {
  sendProblem(response, notFound(say("itemFault.noSuch")));
}
