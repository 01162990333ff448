import type { EditId, ItemKey, ListId, PersonId, ProjectId } from "../../domain/ids.ts";
import type { Item, SpokenKind } from "../../domain/item.ts";
import type { Channel, EditAction } from "../../domain/journal.ts";
import type { PatchField } from "../../domain/merge.ts";
import { readTokens } from "../../ics/lines/tokens.ts";
import type { IcsProblem } from "../../ics/problem.ts";
import { type IncomingCalendar, type IncomingItem, readComponents } from "../../ics/read/read.ts";
import type { NewEdit } from "../../store/journal/journal.ts";
import type { Store } from "../../store/store.ts";
import type { FieldChange } from "../changes.ts";
import { type ChangeInWords, namesOf } from "../in-words.ts";
import { createAddressCheck } from "./address-check.ts";
import { readContext } from "./context.ts";
import { withExtras } from "./extras-plan.ts";
import { inSight } from "./in-sight.ts";
import type { EditDraft, ItemPlan } from "./item-plan.ts";
import { keepObject } from "./keep-object.ts";
import { withinLimits } from "./limits.ts";
import { takenIn } from "./own-held.ts";
import type { Note } from "./part.ts";
import { answer } from "./plan-answer.ts";
import { planItem } from "./plan-item.ts";
import { restOf } from "./rest.ts";

/** A file of edits. `actor`: who is known to have sent it. */
export interface EditRequest extends CommonRequest {
  readonly bytes: Uint8Array;
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
  readonly anew?: boolean;
}

interface CommonRequest {
  readonly channel: Channel;
  readonly actor: PersonId | null;
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
  return ({ bytes, ...request }) => {
    const tree = readTokens(bytes);
    if (!tree.ok) return { kind: "refused", errors: tree.failure };
    const read = readComponents(tree.value, { zone: deps.zone });
    if (!read.ok) return { kind: "refused", errors: read.failure };
    const { items, ignored } = read.value;
    if (items.length === 0 && ignored.length === 0) {
      return { kind: "refused", errors: [faultOf(request) ?? noItems(tree.value.line)] };
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
      return answer(calendar, { steps, names: namesOf(store) });
    }
    const { accepted, kept } = store.durably(() => {
      const kept = plan().map((step) => ({ ...step, editId: keep(step, { deps, request }) }));
      const accepted = answer(calendar, { steps: kept, names: namesOf(deps.store) });
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
    anew: request.anew ?? false,
    hides: request.hides ?? (() => false),
    dryRun: request.dryRun,
    // A two-way channel shows exactly what an edit may change.
    context: readContext(deps, channel !== "caldav"),
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
    return withExtras(withinLimits(plan, deps.zone), store);
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
  const { action, base, patch, newLabels, again = false, parentUid } = edit;
  const { channel, actor } = request;
  if (edit.replaces !== null) {
    store.journal.discard(edit.replaces, "a later edit of the item takes its place");
  }
  const item = keyOf(edit, store);
  const parent =
    parentUid === undefined ? undefined : { uid: parentUid, until: deps.clock().add(parentWait) };
  const notBefore = restOf({ channel, action }, deps.clock());
  const times = { ...(parent && { parent }), ...(notBefore && { notBefore }) };
  const wish = { action, base, patch, newLabels, state, again, ...times };
  const id = store.journal.append({ channel, actor, item, ...wish });
  store.extras.append(id, extras);
  keepObject(itemPlan, { store, request });
  return id;
}

const keyOf = ({ item }: EditDraft, { mirror }: Store): ItemKey =>
  typeof item === "object" ? mirror.conceive(item.kind, item.uid) : item;
