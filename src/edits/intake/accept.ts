import {
  type IcsProblem,
  type IncomingCalendar,
  type IncomingItem,
  readCalendar,
} from "@dayferry/ical";
import type { ListId, PersonId, ProjectId, Revision } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { PatchField } from "../../domain/patch.ts";
import type { CalendarReader, FileReading } from "../../ics/read/calendar-reader.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { Store } from "../../store/store.ts";
import { atOnce, inTurns, type Turns } from "../../turns.ts";
import { namesOf } from "../field-changes.ts";
import { withExtras } from "./extras-plan.ts";
import { readContext } from "./file-context.ts";
import type { ItemPlan } from "./item-plan.ts";
import { keepEdit, type Sender, type Step } from "./keep-edit.ts";
import {
  type Acceptance,
  type AnswerBuilder,
  createTeller,
  type Plan,
  refusedFile,
} from "./plan-answer.ts";
import { planItem } from "./plan-item.ts";
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
  /** Told of the plan for each item. */
  readonly onPlan?: (plan: ItemPlan) => void;
}

interface CommonRequest extends Sender {
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

/**
 * Takes in files of edits. Each is read, compared item by item with what its editor was shown, and stored in one
 * transaction that is safe on the disk when this returns; nothing has been sent to the service by then. An item that
 * cannot be accepted is refused with its reasons and leaves the others alone.
 */
export function createAccept(deps: AcceptDeps): (request: EditRequest) => Acceptance {
  const faultOf = createAddressCheck(deps.store);
  return (request) => atOnce(takeFile(request, { deps, faultOf, pace: unhurried }));
}

/** Takes in items, as `createAccept` does the items of a file. */
export function createAcceptItems(deps: AcceptDeps): (request: ItemsRequest) => Acceptance {
  const faultOf = createAddressCheck(deps.store);
  return (request) => atOnce(takeItems(request, { deps, faultOf, pace: unhurried }));
}

/** Takes in a file while others have their turns. */
export type AcceptFile = (request: EditRequest) => Promise<Acceptance>;

/**
 * As `createAccept`, but a long file is read, planned, stored and told part by part, and of a long answer a part is listed. Each
 * part is stored in a transaction of its own: a file of which a crash has left some out is sent again, and what is stored already
 * is unchanged then. Files are read at once unless there is a reader.
 */
export function createAcceptFile(
  deps: AcceptDeps & { readonly turns: Turns; readonly reader?: CalendarReader },
): AcceptFile {
  const { turns, reader } = deps;
  const pace: Pace = { isOver: () => turns.isOver(), most: mostAtOnce, listed: mostListed };
  const context = { deps, faultOf: createAddressCheck(deps.store), pace };
  return async (request) => {
    const read = request.read ?? (await reader?.file(request.bytes));
    return inTurns(takeFile({ ...request, ...(read && { read }) }, context), turns);
  };
}

interface Pace {
  /** Whether others are to have their turn. */
  readonly isOver: () => boolean;
  /** So many items are stored in one transaction at most. */
  readonly most: number;
  /** So many items and errors are told at most. */
  readonly listed: number;
}

const unhurried: Pace = {
  isOver: () => false,
  most: Number.POSITIVE_INFINITY,
  listed: Number.POSITIVE_INFINITY,
};
/** To store an item takes longer than to plan it: these take a few milliseconds. */
const mostAtOnce = 15;
/** More than these nobody reads, and an answer of them takes a few milliseconds. */
const mostListed = 1000;

interface Context {
  readonly deps: AcceptDeps;
  readonly faultOf: (request: ItemsRequest | EditRequest) => IcsProblem | null;
  readonly pace: Pace;
}

type Steps<Value> = Generator<void, Value, undefined>;

function* takeFile(request: EditRequest, context: Context): Steps<Acceptance> {
  const { deps, faultOf, pace } = context;
  const { bytes, read = readCalendar(bytes, { zone: deps.zone }), ...rest } = request;
  if (!read.ok) return refusedFile(read.failure, pace.listed);
  const { items, ignored, line } = read.value;
  if (items.length === 0 && ignored.every(({ code }) => code !== "component")) {
    return refusedFile([faultOf(request) ?? nothingIn(line), ...ignored], pace.listed);
  }
  return yield* takeItems({ ...rest, calendar: read.value, bases: new Map() }, context);
}

function* takeItems(request: ItemsRequest, context: Context): Steps<Acceptance> {
  const fault = context.faultOf(request);
  if (fault) return { kind: "refused", errors: [fault] };
  const { store, clock } = context.deps;
  const brake = createBrake(yield* countDeletions(request, context), context);
  const teller = createTeller(request.calendar, {
    names: namesOf(store),
    at: clock(),
    most: context.pace.listed,
  });
  const taking = { ...context, request, brake, teller };
  yield* request.dryRun ? preview(taking) : keepAll(taking);
  return teller.plan();
}

/** What is done with the plan for each item. */
interface Taking extends Context {
  readonly request: ItemsRequest;
  readonly brake: (itemPlan: ItemPlan) => Step;
  readonly teller: AnswerBuilder;
}

function* preview({ deps, request, brake, teller }: Taking): Steps<void> {
  for (const itemPlan of planItems(request, deps)) {
    request.onPlan?.(itemPlan);
    teller.add({ ...brake(itemPlan), editId: null });
    yield;
  }
}

function* keepAll({ deps, pace, request, brake, teller }: Taking): Steps<void> {
  const { items } = request.calendar;
  let kept = 0;
  let isReleased = false;

  function keepPart(): void {
    const steps: Step[] = [];
    for (const itemPlan of planItems(request, deps, kept)) {
      steps.push(brake(itemPlan));
      if (steps.length >= pace.most || pace.isOver()) break;
    }
    for (const step of steps) {
      request.onPlan?.(step.itemPlan);
      const editId = keepEdit(step, { ...deps, sender: request });
      isReleased ||= editId !== null && step.state === "pending";
      teller.add({ ...step, editId });
    }
    kept += steps.length;
    if (kept === items.length) request.alongside?.(teller.plan());
  }

  while (true) {
    deps.store.durably(keepPart);
    if (kept === items.length) break;
    yield;
  }
  if (isReleased) deps.onAccepted();
}

/** Whoever sends a file means something by it; what holds nothing was exported by mistake. */
function nothingIn(line: number): IcsProblem {
  const message = "the calendar holds no VEVENT and no VTODO, so that there is nothing to apply";
  return { line, uid: null, code: "no-items", message };
}

/** The plans of the items from one on, by what the store has now. */
function* planItems(request: ItemsRequest, deps: AcceptDeps, from = 0): Generator<ItemPlan> {
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
    program: request.program ?? null,
    hasOwnKey: actor !== null && deps.withOwnKey?.has(actor) === true,
    at: deps.clock(),
  };
  for (const incoming of calendar.items.slice(from)) {
    const plan = inSight(planItem(incoming, situation), situation);
    const limited = withExtras(withinLimits(plan, deps.zone), store);
    yield { ...limited, notes: [...incoming.remarks, ...limited.notes] };
  }
}

/** How many items a request deletes, with those that its sender has deleted just before; 0 where it deletes none. */
function* countDeletions(request: ItemsRequest, { deps }: Context): Steps<number> {
  if (!mayDelete(request.calendar)) return 0;
  let own = 0;
  for (const itemPlan of planItems(request, deps)) {
    if (isDeletion(itemPlan)) own++;
    yield;
  }
  const since = deps.clock().subtract(brakeSpan);
  return own === 0 ? 0 : own + deps.store.pastEdits.deletionsSince(since, request);
}

/** Everything waits for a person in review mode, and deletions do when there are many of them at once. */
function createBrake(deletions: number, { deps }: Context): (itemPlan: ItemPlan) => Step {
  const { mode } = deps.policy;
  return (itemPlan) => {
    if (mode === "review") return { itemPlan, state: "held" };
    if (deletions <= mostDeletions || !isDeletion(itemPlan)) return { itemPlan, state: "pending" };
    const message = `${deletions} items are deleted within a minute; this waits until a person approves it`;
    const note = { line: itemPlan.incoming.line, code: "held", message };
    return { itemPlan: { ...itemPlan, notes: [...itemPlan.notes, note] }, state: "held" };
  };
}

const isDeletion = ({ ending }: ItemPlan): boolean =>
  ending.kind === "edit" && ending.edit.action === "delete";

const mayDelete = ({ method, items }: IncomingCalendar): boolean =>
  method === "CANCEL" || items.some(({ status }) => status === "CANCELLED");

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
