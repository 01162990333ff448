import type { EditId, ItemKey, ListId, PersonId, ProjectId } from "../../domain/ids.ts";
import type { Item, SpokenKind } from "../../domain/item.ts";
import type { Channel, EditAction } from "../../domain/journal.ts";
import { unreachable } from "../../domain/result.ts";
import type { IcsProblem } from "../../ics/problem.ts";
import { type IncomingCalendar, readCalendar } from "../../ics/read.ts";
import type { NewEdit } from "../../store/journal.ts";
import type { Store } from "../../store/store.ts";
import type { FieldChange } from "../changes.ts";
import { readContext } from "./context.ts";
import { indexEdits } from "./edit-index.ts";
import { withExtras } from "./extras-plan.ts";
import type { EditDraft, ItemPlan } from "./item-plan.ts";
import { keepObject } from "./keep-object.ts";
import type { Note } from "./part.ts";
import { planItem } from "./plan-item.ts";

/** A file of edits. `actor`: who is known to have sent it. */
export interface EditRequest extends CommonRequest {
  readonly bytes: Uint8Array;
}

/** Items that were read already. `bases`: by UID, what the editor is known to have been shown of an item. */
export interface ItemsRequest extends CommonRequest {
  readonly calendar: IncomingCalendar;
  readonly bases: ReadonlyMap<string, Item>;
}

interface CommonRequest {
  readonly channel: Channel;
  readonly actor: PersonId | null;
  /** Where items of unknown UID go; null = nowhere, they are refused. */
  readonly projectId: ProjectId | null;
  readonly listId: ListId | null;
  /** Says what would be done and stores nothing. */
  readonly dryRun: boolean;
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
  /** Why it is refused, or what of an accepted item cannot be stored. */
  readonly problems: readonly Note[];
  /** Null for a dry run and for what is no edit. */
  readonly editId: EditId | null;
}

type PlannedAction = EditAction | "unchanged" | "refused";

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
  const acceptItems = createAcceptItems(deps);
  return ({ bytes, ...request }) => {
    const read = readCalendar(bytes, { zone: deps.zone });
    if (!read.ok) return { kind: "refused", errors: read.failure };
    return acceptItems({ ...request, calendar: read.value, bases: new Map() });
  };
}

/** Takes in items, as `createAccept` does the items of a file. */
export function createAcceptItems(deps: AcceptDeps): (request: ItemsRequest) => Acceptance {
  return (request) => {
    const { store } = deps;
    const { calendar, projectId } = request;
    if (projectId !== null && !store.directory.projects().some(({ id }) => id === projectId)) {
      return { kind: "refused", errors: [unknownProject(projectId)] };
    }
    const people = store.directory.personNames();
    // Where nobody is known, the service names no people and the configuration lists none.
    if (request.actor !== null && people.size > 0 && !people.has(request.actor)) {
      return { kind: "refused", errors: [unknownPerson(request.actor)] };
    }
    const plan = () => brake(planAll(request, deps), { request, deps });
    if (request.dryRun) {
      return answer(
        calendar,
        plan().map((step) => ({ ...step, editId: null })),
      );
    }
    const { accepted, kept } = store.durably(() => {
      const kept = plan().map((step) => ({ ...step, editId: keep(step, { store, request }) }));
      const accepted = answer(calendar, kept);
      request.alongside?.(accepted);
      return { accepted, kept };
    });
    if (kept.some(({ editId, state }) => editId !== null && state === "pending")) deps.onAccepted();
    return accepted;
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

function planAll(request: ItemsRequest, deps: AcceptDeps): readonly ItemPlan[] {
  const { store } = deps;
  const { calendar, bases, projectId, listId, actor } = request;
  const situation = {
    store,
    edits: indexEdits(store.journal),
    // A two-way channel shows exactly what an edit may change.
    context: readContext(deps, request.channel !== "caldav"),
    calendar,
    bases,
    projectId,
    listId,
    actor,
    at: deps.clock(),
  };
  return calendar.items.map((incoming) => withExtras(planItem(incoming, situation), store));
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
  { store, request }: { readonly store: Store; readonly request: ItemsRequest },
): EditId | null {
  const { extras = [], ending } = itemPlan;
  if (ending.kind === "waits") {
    store.extras.append(ending.editId, extras);
    return ending.editId;
  }
  if (ending.kind !== "edit") {
    if (ending.kind === "unchanged") keepObject(itemPlan, { store, request });
    return null;
  }
  const { edit } = ending;
  const { action, base, patch, newLabels } = edit;
  const { channel, actor } = request;
  if (edit.replaces !== null) store.journal.discard(edit.replaces);
  const item = keyOf(edit, store);
  const id = store.journal.append({ channel, actor, item, action, base, patch, newLabels, state });
  store.extras.append(id, extras);
  keepObject(itemPlan, { store, request });
  return id;
}

const keyOf = ({ item }: EditDraft, { mirror }: Store): ItemKey =>
  typeof item === "object" ? mirror.conceive(item.kind, item.uid) : item;

interface Kept extends Step {
  readonly editId: EditId | null;
}

function answer(calendar: IncomingCalendar, steps: readonly Kept[]): Plan {
  const items = steps.map(planned);
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

function planned({ itemPlan, editId }: Kept): PlannedItem {
  const { incoming, kind, title, changes, refusals, notes } = itemPlan;
  return {
    uid: incoming.uid,
    kind,
    action: actionOf(itemPlan),
    title,
    changes,
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
