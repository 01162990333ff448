import type { Channel, EditAction } from "../../domain/edit.ts";
import type { EditId, ItemKey, ListId, PersonId, ProjectId, Revision } from "../../domain/ids.ts";
import type { Item, SpokenKind } from "../../domain/item.ts";
import type { PatchField } from "../../domain/patch.ts";
import { unreachable } from "../../domain/result.ts";
import { withoutSignatures } from "../../domain/signed-links.ts";
import type { Names } from "../../domain/wording.ts";
import type { IcsProblem } from "../../ics/ics-problem.ts";
import {
  type IncomingCalendar,
  type IncomingItem,
  readCalendar,
} from "../../ics/read/calendar-object.ts";
import type { FileReading } from "../../ics/read/calendar-reader.ts";
import type { NewEdit } from "../../store/journal/journal.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { Store } from "../../store/store.ts";
import { didInWords } from "../actions/sentence.ts";
import { type ChangeInWords, changesInWords, type FieldChange, namesOf } from "../field-changes.ts";

import { withExtras } from "./extras-plan.ts";
import { readContext } from "./file-context.ts";
import type { EditDraft, ItemPlan } from "./item-plan.ts";
import type { Note } from "./part.ts";
import { planItem } from "./plan-item.ts";
import { takenIn } from "./plan-known.ts";
import { inSight, withinLimits } from "./service-limits.ts";

/** A file of edits. `actor`: who is known to have sent it. */
export interface EditRequest extends CommonRequest {
  readonly bytes: Uint8Array;
  /** What was read of them already, as a long file is; they are read at once unless it is given. */
  readonly read?: FileReading;
}

/** Items that were read already. `bases`: by UID, what the editor is known to have been shown of an item. */
export interface ItemsRequest extends CommonRequest {
  readonly calendar: IncomingCalendar;
  readonly bases: ReadonlyMap<string, Item>;
  /** By UID, fields of which the editor is known to have taken the property away: they are unset. */
  readonly cleared?: ReadonlyMap<string, readonly PatchField[]>;
  /**
   * By UID, what the editor was shown and replaces as a whole: what of that the new text leaves out is taken away. Of others
   * absence says nothing.
   */
  readonly replaced?: ReadonlyMap<string, IncomingItem>;
  /** What to-dos of unknown UID become; tasks of the list unless said. */
  readonly newAs?: "milestone";
  /** The editor means new items: what was deleted under the same UID is made again. */
  readonly recreate?: boolean;
}

interface CommonRequest {
  readonly channel: Channel;
  readonly actor: PersonId | null;
  /** User-Agent of the program that sent it; none unless said. */
  readonly program?: string | undefined;
  /** Where items of unknown UID go; null = nowhere, they are refused. */
  readonly projectId: ProjectId | null;
  readonly listId: ListId | null;
  /** Says what would be done and stores nothing. */
  readonly dryRun: boolean;
  /** Whether the item of a UID is none for the sender's eyes: it is answered as if there were none. Nothing is hidden unless said. */
  readonly hides?: (uid: string) => boolean;
  /** Runs in the transaction that stores the edits, so that both are kept or neither. Not for a dry run. */
  readonly alongside?: (plan: Plan) => void;
}

/** `refused`: the file as a whole, nothing was stored. */
export type Acceptance =
  | Plan
  | { readonly kind: "refused"; readonly errors: readonly IcsProblem[] };

/** A file item by item; `errors` holds every refusal. */
export interface Plan {
  readonly kind: "plan";
  readonly items: readonly PlannedItem[];
  readonly summary: EditSummary;
  readonly errors: readonly IcsProblem[];
}

/** What becomes of one item of the file. */
export interface PlannedItem {
  /** The UID of the file. */
  readonly uid: string;
  readonly kind: SpokenKind;
  readonly action: PlannedAction;
  readonly title: string;
  readonly changes: readonly FieldChange[];
  /** The changes for people, in their order. */
  readonly words: readonly ChangeInWords[];
  /** What it does, in words: "moved Release call from 10:00 to 11:00"; null where it does nothing. */
  readonly did: string | null;
  /** Why it is refused, or what of an accepted item cannot be stored. */
  readonly problems: readonly Note[];
  /** Null for a dry run and for what is no edit. */
  readonly editId: EditId | null;
}

export type PlannedAction = EditAction | "unchanged" | "refused";

/** How many items of each action there are. */
type EditSummary = Readonly<Record<PlannedAction, number>>;

export interface AcceptDeps {
  readonly store: Store;
  /** The account's zone. */
  readonly zone: string;
  readonly policy: {
    readonly labels: "known" | "create";
    readonly mode: "apply" | "review";
  };
  /** People whose edits go out under keys of their own, so that they are the creators of what they make; none unless said. */
  readonly withOwnKey?: ReadonlySet<PersonId>;
  readonly clock: () => Temporal.Instant;
  /** What feeds decorate with. */
  readonly feeds: {
    readonly assignees: boolean;
    readonly tasks: "due" | "span" | "none";
    readonly webUrl: string | null;
  };
  /** Called when edits were stored that may go to the service now. */
  readonly onAccepted: () => void;
}

/** More deletions than these from one editor within a minute wait for a person. */
const mostDeletions = 10;
const brakeSpan = Temporal.Duration.from({ minutes: 1 });
/** How long a to-do waits for the task above it that has not come in yet. */
const parentWait = Temporal.Duration.from({ minutes: 1 });

/**
 * Takes in files of edits. Each is read, compared item by item with what its editor was shown, and stored in one
 * transaction that is safe on the disk when this returns; nothing has been sent to the service by then. An item that
 * cannot be accepted is refused with its reasons and leaves the others alone.
 */
export function createAccept(deps: AcceptDeps): (request: EditRequest) => Acceptance {
  const acceptItems = createAcceptItems(deps);
  const faultOf = createAddressCheck(deps.store);
  return ({ bytes, read = readCalendar(bytes, { zone: deps.zone }), ...request }) => {
    if (!read.ok) return { kind: "refused", errors: read.failure };
    const { items, ignored, line } = read.value;
    if (items.length === 0 && ignored.every(({ code }) => code !== "component")) {
      return { kind: "refused", errors: [faultOf(request) ?? noItems(line), ...ignored] };
    }
    return acceptItems({ ...request, calendar: read.value, bases: new Map() });
  };
}

/** Takes in items, as `createAccept` does the items of a file. */
export function createAcceptItems(deps: AcceptDeps): (request: ItemsRequest) => Acceptance {
  const faultOf = createAddressCheck(deps.store);
  return (request) => {
    const { store } = deps;
    const { calendar } = request;
    const fault = faultOf(request);
    if (fault) return { kind: "refused", errors: [fault] };
    const plan = () => brake(planAll(request, deps), { request, deps });
    if (request.dryRun) {
      const steps = plan().map((step) => ({ ...step, editId: null }));
      return answer(calendar, { steps, names: namesOf(store), at: deps.clock() });
    }
    const { accepted, kept } = store.durably(() => {
      const kept = plan().map((step) => ({ ...step, editId: keep(step, { deps, request }) }));
      const accepted = answer(calendar, {
        steps: kept,
        names: namesOf(deps.store),
        at: deps.clock(),
      });
      request.alongside?.(accepted);
      return { accepted, kept };
    });
    if (kept.some(({ editId, state }) => editId !== null && state === "pending")) deps.onAccepted();
    return accepted;
  };
}

/** Whoever sends a file means something by it; what holds nothing was exported by mistake. */
function noItems(line: number): IcsProblem {
  const message = "the calendar holds no VEVENT and no VTODO, so that there is nothing to apply";
  return { line, uid: null, code: "no-items", message };
}

function planAll(request: ItemsRequest, deps: AcceptDeps): readonly ItemPlan[] {
  const { store } = deps;
  const { calendar, bases, projectId, listId, actor, channel } = request;
  const situation = {
    store,
    channel,
    cleared: request.cleared ?? new Map(),
    replaced: request.replaced ?? new Map(),
    newAs: request.newAs ?? null,
    recreate: request.recreate ?? false,
    hides: request.hides ?? (() => false),
    dryRun: request.dryRun,
    // A two-way channel shows exactly what an edit may change.
    context: readContext(deps, channel),
    calendar,
    bases,
    projectId,
    listId,
    actor,
    hasOwnKey: actor !== null && deps.withOwnKey?.has(actor) === true,
    at: deps.clock(),
  };
  return calendar.items.map((incoming) => {
    const plan = inSight(planItem(incoming, situation), situation);
    const limited = withExtras(withinLimits(plan, deps.zone), store);
    return { ...limited, notes: [...incoming.remarks, ...limited.notes] };
  });
}

interface Step {
  readonly itemPlan: ItemPlan;
  readonly state: NewEdit["state"];
}

/** Everything waits for a person in review mode, and deletions do when there are many of them at once. */
function brake(
  itemPlans: readonly ItemPlan[],
  { request, deps }: { readonly request: ItemsRequest; readonly deps: AcceptDeps },
): readonly Step[] {
  const { mode } = deps.policy;
  const own = itemPlans.filter(isDeletion).length;
  const since = deps.clock().subtract(brakeSpan);
  const deletions = own === 0 ? 0 : own + deps.store.pastEdits.deletionsSince(since, request);
  return itemPlans.map((itemPlan) => {
    if (mode === "review") return { itemPlan, state: "held" };
    if (deletions <= mostDeletions || !isDeletion(itemPlan)) return { itemPlan, state: "pending" };
    const message = `${deletions} items are deleted within a minute; this waits until a person approves it`;
    const note = { line: itemPlan.incoming.line, code: "held", message };
    return { itemPlan: { ...itemPlan, notes: [...itemPlan.notes, note] }, state: "held" };
  });
}

const isDeletion = ({ ending }: ItemPlan): boolean =>
  ending.kind === "edit" && ending.edit.action === "delete";

function keep(
  { itemPlan, state }: Step,
  { deps, request }: { readonly deps: AcceptDeps; readonly request: ItemsRequest },
): EditId | null {
  const { store } = deps;
  const { extras = [], ending } = itemPlan;
  if (ending.kind === "waits") {
    store.extras.append(ending.editId, extras);
    return ending.editId;
  }
  for (const id of itemPlan.takesIn ?? []) store.journal.discard(id, takenIn);
  if (ending.kind !== "edit") {
    if (ending.kind === "unchanged") keepObject(itemPlan, { store, request });
    return null;
  }
  const { edit } = ending;
  const { action, base, patch, newLabels, recreates = false, parentUid } = edit;
  const { channel, actor, program } = request;
  if (edit.replaces !== null) {
    store.journal.discard(edit.replaces, "a later edit of the item takes its place");
  }
  const item = keyOf(edit, store);
  const parent =
    parentUid === undefined ? undefined : { uid: parentUid, until: deps.clock().add(parentWait) };
  const notBefore = restOf({ channel, action }, deps.clock());
  const times = { ...(parent && { parent }), ...(notBefore && { notBefore }) };
  const wish = { action, base, patch, newLabels, state, recreates, ...times };
  const id = store.journal.append({ channel, actor, program, item, ...wish });
  store.extras.append(id, extras);
  keepObject(itemPlan, { store, request });
  return id;
}

const keyOf = ({ item }: EditDraft, { mirror }: Store): ItemKey =>
  typeof item === "object" ? mirror.createIdentity(item.kind, item.uid) : item;

/** Where edits go, and whose they are. */
interface Address {
  readonly projectId: ProjectId | null;
  readonly actor: PersonId | null;
}

/** Tells why edits cannot be taken in for a project or a person: neither may be unknown. Null when they can. */
function createAddressCheck(store: Store): (address: Address) => IcsProblem | null {
  const isKnownPerson = createPersonCheck(store.directory);
  const isKnownProject = createProjectCheck(store);
  return ({ projectId, actor }) => {
    if (projectId !== null && !isKnownProject(projectId)) return unknownProject(projectId);
    return actor !== null && !isKnownPerson(actor) ? unknownPerson(actor) : null;
  };
}

/** Tells who is known. Nobody is ever forgotten, so that whom the directory has named once need not be asked for again. */
function createPersonCheck(directory: Directory): (person: PersonId) => boolean {
  const known = new Set<PersonId>();
  return (person) => {
    if (known.has(person)) return true;
    const people = directory.personNames();
    // Where nobody is known, the service names no people and the configuration lists none.
    if (people.size === 0) return true;
    if (people.has(person)) known.add(person);
    return known.has(person);
  };
}

/** Tells which projects are there; reads them again when the directory has changed. */
function createProjectCheck({ directory, changes }: Store): (project: ProjectId) => boolean {
  let known: { readonly at: Revision; readonly ids: ReadonlySet<ProjectId> } | null = null;
  return (project) => {
    const at = changes.revisionOfDirectory();
    if (known?.at !== at) known = { at, ids: new Set(directory.projects().map(({ id }) => id)) };
    return known.ids.has(project);
  };
}

function unknownProject(projectId: ProjectId): IcsProblem {
  const message = `there is no project ${projectId} in the workspace`;
  return { line: null, uid: null, code: "unknown-project", message };
}

function unknownPerson(person: PersonId): IcsProblem {
  const message = `there is no person ${person} in the workspace or the configuration`;
  return { line: null, uid: null, code: "unknown-person", message };
}

/** Calendar programs that move a file send its removal and its new place apart, in any order. */
const deletionRest = Temporal.Duration.from({ seconds: 2 });

/**
 * Until when an edit rests before it is sent; null = not at all. A deletion by a calendar program may be the first half of
 * a move, and with the item would go what no program could send again: subtasks, comments, history, attachments, people.
 */
function restOf(
  edit: { readonly channel: Channel; readonly action: EditAction },
  at: Temporal.Instant,
): Temporal.Instant | null {
  return edit.channel === "caldav" && edit.action === "delete" ? at.add(deletionRest) : null;
}

/**
 * Keeps the client's octets of an item of which the service cannot hold everything. A feed does not show what is kept
 * here, so that its absence in a file says nothing. What comes by CalDAV is kept as a whole by the calendars.
 */
function keepObject(
  { incoming, notes, ending }: ItemPlan,
  { store, request }: { readonly store: Store; readonly request: { readonly channel: Channel } },
): void {
  const { channel } = request;
  const isPartial = notes.some(({ code }) => code === "not-stored");
  if (!isPartial || channel === "caldav") return;
  const isDeletion = ending.kind === "edit" && ending.edit.action === "delete";
  const identity = isDeletion ? null : store.mirror.findUid(incoming.uid);
  if (!identity) return;
  const { item, kind } = identity;
  // A feed shows tasks as events; here they are to-dos.
  const component = kind === "event" ? "VEVENT" : "VTODO";
  const raw = withoutSignatures(incoming.raw.join("\n"));
  const isNew = store.objects.put({ item, component, channel, uid: incoming.uid, raw });
  // Two-way calendars show what is kept; nothing but the log tells them.
  if (isNew && ending.kind === "unchanged") store.changes.note(item);
}

interface Kept {
  readonly itemPlan: ItemPlan;
  readonly editId: EditId | null;
}

/** What is told of a file, item by item, with counts. */
function answer(
  calendar: IncomingCalendar,
  {
    steps,
    names,
    at,
  }: {
    readonly steps: readonly Kept[];
    readonly names: Names;
    readonly at: Temporal.Instant;
  },
): Plan {
  const items = steps.map((step) => planned(step, { names, at }));
  const count = (action: PlannedAction) => items.filter((item) => item.action === action).length;
  const refused = steps.flatMap(({ itemPlan: { incoming, refusals } }) =>
    refusals.map(({ line, code, message }) => ({ line, uid: incoming.uid, code, message })),
  );
  return {
    kind: "plan",
    items,
    summary: {
      update: count("update"),
      create: count("create"),
      complete: count("complete"),
      reopen: count("reopen"),
      delete: count("delete"),
      unchanged: count("unchanged"),
      refused: count("refused"),
    },
    errors: [...refused, ...calendar.ignored],
  };
}

function planned(
  { itemPlan, editId }: Kept,
  { names, at }: { readonly names: Names; readonly at: Temporal.Instant },
): PlannedItem {
  const { incoming, kind, title, changes, refusals, notes, ending } = itemPlan;
  return {
    uid: incoming.uid,
    kind,
    action: actionOf(itemPlan),
    title,
    changes,
    words: changesInWords(changes, names),
    did: ending.kind === "edit" ? didInWords({ ...ending.edit, createdAt: at }, names) : null,
    problems: [...refusals, ...notes].map(({ line, code, message }) => ({ line, code, message })),
    editId,
  };
}

function actionOf({ ending }: ItemPlan): PlannedAction {
  switch (ending.kind) {
    case "unchanged":
    case "refused":
      return ending.kind;
    case "waits":
      return ending.action;
    case "edit":
      return ending.edit.action;
    default:
      return unreachable(ending);
  }
}
