import { atOnce, type EventLoopBudget, inTurns } from "@dayferry/event-loop";
import {
  expandSeries,
  type IncomingCalendar,
  type IncomingItem,
  readCalendar,
} from "@dayferry/ical";
import type { EditId, ListId, PersonId, ProjectId, Revision } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { PatchField } from "../../domain/patch.ts";
import type { CalendarReader, FileReading } from "../../ics/read/calendar-reader.ts";
import { type FileProblem, problemInWords } from "../../ics/text/problem-in-words.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { Store } from "../../store/store.ts";
import { say } from "../../texts/say.ts";
import { namesOf } from "../field-changes.ts";
import { withExtras } from "./extras-plan.ts";
import type { ItemPlan } from "./item-plan.ts";
import { keepEdit, type Sender, type Step } from "./keep-edit.ts";
import {
  type Acceptance,
  type AnswerBuilder,
  createAnswerBuilder,
  type Plan,
  type Quota,
  refusedFile,
} from "./plan-answer.ts";
import { planItem } from "./plan-item.ts";
import { readContext } from "./plan-part.ts";
import { keepVisible, withinLimits } from "./service-limits.ts";

/** A file of edits. `actor`: the known sender. */
export interface EditRequest extends CommonRequest {
  readonly bytes: Uint8Array;
  /** The parsed file, if done already, as for a long one. */
  readonly read?: FileReading;
}

/** Parsed items. `bases`: by UID, what the editor is known to have seen of an item. */
export interface ItemsRequest extends CommonRequest {
  readonly calendar: IncomingCalendar;
  readonly bases: ReadonlyMap<string, Item>;
  /** By UID, fields whose property the editor has removed; they are unset. */
  readonly cleared?: ReadonlyMap<string, readonly PatchField[]>;
  /**
   * By UID, what the editor saw and replaces as a whole: whatever the new text omits is removed. For other items, absence means
   * nothing.
   */
  readonly replaced?: ReadonlyMap<string, IncomingItem>;
  /** What to-dos with unknown UID become; by default tasks of the list. */
  readonly newAs?: "milestone";
  /** The editor wants new items: a deleted one with the same UID is recreated. */
  readonly recreate?: boolean;
  /** Called with the plan for each item. */
  readonly onPlan?: (plan: ItemPlan) => void;
}

interface CommonRequest extends Sender {
  /** Place of items with unknown UID; null = they are refused. */
  readonly projectId: ProjectId | null;
  readonly listId: ListId | null;
  /** Previews the effect and stores nothing. */
  readonly dryRun: boolean;
  /** True if the sender may not see the item of a UID, which is then answered as unknown. Nothing is hidden by default. */
  readonly hides?: (uid: string) => boolean;
  /** Runs in the transaction that stores the edits, so that both are stored or neither. Not for a dry run. */
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
  /** People whose edits use keys of their own, so that they become creators; none by default. */
  readonly withOwnKey?: ReadonlySet<PersonId>;
  readonly clock: () => Temporal.Instant;
  /** What feeds add to items. */
  readonly feeds: {
    readonly assignees: boolean;
    readonly tasks: "due" | "span" | "none";
    readonly webUrl: string | null;
  };
  /** How fast edits can be sent; unknown by default. */
  readonly quota?: Quota;
  /** Called when edits were stored that may be sent. */
  readonly onAccepted: () => void;
}

/** Single items that a repeating one becomes. */
export const mostOccurrences = 50;

/** More deletions than `most` from one editor within `span` wait for a person. */
export const deletionBrake = { most: 10, span: Temporal.Duration.from({ minutes: 1 }) } as const;

/**
 * Accepts files of edits. Each is parsed, compared item by item with what its editor saw, and stored in one transaction that is
 * on disk when this returns. Nothing has been sent to the service yet. An item that cannot be accepted is refused with its
 * reasons and does not affect the others.
 */
export function createAccept(deps: AcceptDeps): (request: EditRequest) => Acceptance {
  const faultOf = createAddressCheck(deps.store);
  return (request) => atOnce(takeFile(request, { deps, faultOf, pace: unhurried }));
}

/** Accepts items, as `createAccept` accepts the items of a file. */
export function createAcceptItems(deps: AcceptDeps): (request: ItemsRequest) => Acceptance {
  const faultOf = createAddressCheck(deps.store);
  return (request) => atOnce(takeItems(request, { deps, faultOf, pace: unhurried }));
}

/** Accepts a file while others run. */
export type AcceptFile = (request: EditRequest) => Promise<Acceptance>;

/**
 * Like `createAccept`, but a long file is parsed, planned and stored in parts, and a long answer lists some of its items. Each
 * part has its own transaction. After a crash the file is sent again, and the stored part is then unchanged. Files are parsed
 * at once without a reader.
 */
export function createAcceptFile(
  deps: AcceptDeps & { readonly eventLoop: EventLoopBudget; readonly reader?: CalendarReader },
): AcceptFile {
  const { eventLoop, reader } = deps;
  const pace: Pace = { isOver: () => eventLoop.isOver(), most: mostAtOnce, listed: mostListed };
  const context = { deps, faultOf: createAddressCheck(deps.store), pace };
  return async (request) => {
    const read = request.read ?? (await reader?.file(request.bytes));
    return inTurns(takeFile({ ...request, ...(read && { read }) }, context), eventLoop);
  };
}

interface Pace {
  /** True if others should run now. */
  readonly isOver: () => boolean;
  /** Maximum number of items stored in one transaction. */
  readonly most: number;
  /** Maximum number of items and errors listed. */
  readonly listed: number;
}

const unhurried: Pace = {
  isOver: () => false,
  most: Number.POSITIVE_INFINITY,
  listed: Number.POSITIVE_INFINITY,
};
/** Storing an item takes longer than planning it: these take a few milliseconds. */
const mostAtOnce = 15;
/** Nobody reads more, and listing them takes a few milliseconds. */
const mostListed = 1000;

interface Context {
  readonly deps: AcceptDeps;
  readonly faultOf: (request: ItemsRequest | EditRequest) => FileProblem | null;
  readonly pace: Pace;
}

type Steps<Value> = Generator<void, Value, undefined>;

function* takeFile(request: EditRequest, context: Context): Steps<Acceptance> {
  const { deps, faultOf, pace } = context;
  const { bytes, read = readCalendar(bytes, { zone: deps.zone }), ...rest } = request;
  if (!read.ok) return refusedFile(read.failure.map(problemInWords), pace.listed);
  const calendar = expandSeries(read.value, { zone: deps.zone, most: mostOccurrences });
  const { items, ignored, line } = calendar;
  if (items.length === 0 && ignored.every(({ code }) => code !== "component")) {
    const fault = faultOf(request) ?? nothingIn(line);
    return refusedFile([fault, ...ignored.map(problemInWords)], pace.listed);
  }
  return yield* takeItems({ ...rest, calendar, bases: new Map() }, context);
}

function* takeItems(request: ItemsRequest, context: Context): Steps<Acceptance> {
  const fault = context.faultOf(request);
  if (fault) return { kind: "refused", errors: [fault] };
  const { store, clock } = context.deps;
  const brake = createBrake(yield* countDeletions(request, context), {
    mode: context.deps.policy.mode,
    proposed: request.proposed ?? false,
  });
  const answer = createAnswerBuilder(request.calendar, {
    names: namesOf(store),
    at: clock(),
    most: context.pace.listed,
    quota: context.deps.quota,
  });
  const taking = { ...context, request, brake, answer };
  yield* request.dryRun ? preview(taking) : keepAll(taking);
  return answer.plan();
}

/** What is done with the plan for each item. */
interface Taking extends Context {
  readonly request: ItemsRequest;
  readonly brake: (itemPlan: ItemPlan) => Step;
  readonly answer: AnswerBuilder;
}

function* preview({ deps, request, brake, answer }: Taking): Steps<void> {
  for (const itemPlan of planItems(request, deps)) {
    request.onPlan?.(itemPlan);
    answer.add({ ...brake(itemPlan), editId: null });
    yield;
  }
}

function* keepAll({ deps, pace, request, brake, answer }: Taking): Steps<void> {
  const { items } = request.calendar;
  // In review mode only the admin approves.
  const sender = {
    ...request,
    proposed: request.proposed === true && deps.policy.mode === "apply",
  };
  /** By series, the first edit of its occurrences. */
  const firstEdits = new Map<string, EditId>();
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
      const { series } = step.itemPlan.incoming;
      const madeWith = series === undefined ? null : (firstEdits.get(series) ?? null);
      const editId = keepEdit(step, { ...deps, sender, madeWith });
      if (series !== undefined && editId !== null && madeWith === null)
        firstEdits.set(series, editId);
      isReleased ||= editId !== null && step.state === "pending";
      answer.add({ ...step, editId });
    }
    kept += steps.length;
    if (kept === items.length) request.alongside?.(answer.plan());
  }

  while (true) {
    deps.store.durably(keepPart);
    if (kept === items.length) break;
    yield;
  }
  if (isReleased) deps.onAccepted();
}

/** An empty file was probably exported by mistake. */
function nothingIn(line: number): FileProblem {
  const message = say("intake.noItems");
  return { line, uid: null, code: "no-items", message };
}

/** The plans of the items from `from` on, for the store's present state. */
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
    // CalDAV shows exactly what an edit may change.
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
    const plan = keepVisible(planItem(incoming, situation), situation);
    const limited = withExtras(withinLimits(plan, deps.zone), store);
    yield { ...limited, notes: [...incoming.remarks.map(problemInWords), ...limited.notes] };
  }
}

/** Number of deletions in a request, including those just before by the same sender; 0 if it deletes none. */
function* countDeletions(request: ItemsRequest, { deps }: Context): Steps<number> {
  if (!mayDelete(request.calendar)) return 0;
  let own = 0;
  for (const itemPlan of planItems(request, deps)) {
    if (isDeletion(itemPlan)) own++;
    yield;
  }
  const since = deps.clock().subtract(deletionBrake.span);
  return own === 0 ? 0 : own + deps.store.pastEdits.deletionsSince(since, request);
}

/** In review mode, and what an agent proposes, everything waits for a person; otherwise many deletions at once do. */
function createBrake(
  deletions: number,
  { mode, proposed }: { readonly mode: "apply" | "review"; readonly proposed: boolean },
): (itemPlan: ItemPlan) => Step {
  return (itemPlan) => {
    if (mode === "review" || proposed) return { itemPlan, state: "held" };
    if (deletions <= deletionBrake.most || !isDeletion(itemPlan))
      return { itemPlan, state: "pending" };
    const message = say("intake.heldDeletion", { count: String(deletions) });
    const note = { line: itemPlan.incoming.line, code: "held", message };
    return { itemPlan: { ...itemPlan, notes: [...itemPlan.notes, note] }, state: "held" };
  };
}

const isDeletion = ({ ending }: ItemPlan): boolean =>
  ending.kind === "edit" && ending.edit.action === "delete";

const mayDelete = ({ method, items }: IncomingCalendar): boolean =>
  method === "CANCEL" || items.some(({ status }) => status === "CANCELLED");

/** Target and editor of edits. */
interface Address {
  readonly projectId: ProjectId | null;
  readonly actor: PersonId | null;
}

/** Returns why edits cannot be accepted for an unknown project or person; null if they can. */
function createAddressCheck(store: Store): (address: Address) => FileProblem | null {
  const isKnownPerson = createPersonCheck(store.directory);
  const isKnownProject = createProjectCheck(store);
  return ({ projectId, actor }) => {
    if (projectId !== null && !isKnownProject(projectId)) return unknownProject(projectId);
    return actor !== null && !isKnownPerson(actor) ? unknownPerson(actor) : null;
  };
}

/** Checks whether a person is known. People are never forgotten, so a known one need not be looked up again. */
function createPersonCheck(directory: Directory): (person: PersonId) => boolean {
  const known = new Set<PersonId>();
  return (person) => {
    if (known.has(person)) return true;
    const people = directory.personNames();
    // If nobody is known, the service does not list people and the configuration has none.
    if (people.size === 0) return true;
    if (people.has(person)) known.add(person);
    return known.has(person);
  };
}

/** Checks whether a project exists; reloads them when the directory changes. */
function createProjectCheck({ directory, changes }: Store): (project: ProjectId) => boolean {
  let known: { readonly at: Revision; readonly ids: ReadonlySet<ProjectId> } | null = null;
  return (project) => {
    const at = changes.revisionOfDirectory();
    if (known?.at !== at) known = { at, ids: new Set(directory.projects().map(({ id }) => id)) };
    return known.ids.has(project);
  };
}

function unknownProject(projectId: ProjectId): FileProblem {
  const message = say("intake.unknownProject", { project: String(projectId) });
  return { line: null, uid: null, code: "unknown-project", message };
}

function unknownPerson(person: PersonId): FileProblem {
  const message = say("intake.unknownPerson", { person: String(person) });
  return { line: null, uid: null, code: "unknown-person", message };
}
