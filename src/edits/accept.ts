import type { EditId, ItemKey, ListId, PersonId, ProjectId } from "../domain/ids.ts";
import type { SpokenKind } from "../domain/item.ts";
import type { Channel, EditAction } from "../domain/journal.ts";
import { unreachable } from "../domain/result.ts";
import type { IcsProblem } from "../ics/problem.ts";
import { type IncomingCalendar, readCalendar } from "../ics/read.ts";
import type { NewEdit } from "../store/journal.ts";
import type { Store } from "../store/store.ts";
import type { FieldChange } from "./changes.ts";
import { indexEdits } from "./edit-index.ts";
import type { EditDraft, ItemPlan } from "./item-plan.ts";
import { readNames } from "./known-names.ts";
import type { Note } from "./part.ts";
import { planItem } from "./plan-item.ts";

/** A file of edits. `projectId`, `listId`: where items of unknown UID go. `actor`: who is known to have sent it. */
export interface EditRequest {
  readonly bytes: Uint8Array;
  readonly channel: Channel;
  readonly actor: PersonId | null;
  readonly projectId: ProjectId;
  readonly listId: ListId | null;
  /** Says what would be done and stores nothing. */
  readonly dryRun: boolean;
}

/** `refused`: the file as a whole, nothing was stored. `plan`: item by item; `errors` holds every refusal. */
export type Acceptance =
  | {
      readonly kind: "plan";
      readonly items: readonly PlannedItem[];
      readonly summary: EditSummary;
      readonly errors: readonly IcsProblem[];
    }
  | { readonly kind: "refused"; readonly errors: readonly IcsProblem[] };

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

/** More deletions than these in one file wait for a person. */
const mostDeletions = 10;

/**
 * Takes in files of edits. Each is read, compared item by item with what its editor was shown, and stored in one
 * transaction that is safe on the disk when this returns; nothing has been sent to the service by then. An item that
 * cannot be accepted is refused with its reasons and leaves the others alone.
 */
export function createAccept(deps: AcceptDeps): (request: EditRequest) => Acceptance {
  return (request) => {
    const { store, zone } = deps;
    const read = readCalendar(request.bytes, { zone });
    if (!read.ok) return { kind: "refused", errors: read.failure };
    if (!store.directory.projects().some(({ id }) => id === request.projectId)) {
      return { kind: "refused", errors: [unknownProject(request.projectId)] };
    }
    const calendar = read.value;
    const plan = () => brake(planAll(calendar, { deps, request }), deps.policy.mode);
    if (request.dryRun) {
      return answer(
        calendar,
        plan().map((step) => ({ ...step, editId: null })),
      );
    }
    const kept = store.durably(() =>
      plan().map((step) => ({ ...step, editId: keep(step, { store, request }) })),
    );
    if (kept.some(({ editId, state }) => editId !== null && state === "pending")) deps.onAccepted();
    return answer(calendar, kept);
  };
}

function unknownProject(projectId: ProjectId): IcsProblem {
  const message = `there is no project ${projectId} in the workspace`;
  return { line: null, uid: null, code: "unknown-project", message };
}

function planAll(
  calendar: IncomingCalendar,
  { deps, request }: { readonly deps: AcceptDeps; readonly request: EditRequest },
): readonly ItemPlan[] {
  const { store, zone, policy, feeds } = deps;
  const lists = store.directory.todolists();
  const situation = {
    store,
    edits: indexEdits(store.journal),
    context: {
      zone,
      names: readNames(store.directory),
      unknownLabels: policy.labels,
      tasks: feeds.tasks,
      webUrl: feeds.webUrl,
      privateLists: new Set(lists.filter((list) => list.private).map(({ id }) => id)),
      // A two-way channel shows exactly what an edit may change.
      decorated: request.channel !== "caldav",
    },
    calendar,
    projectId: request.projectId,
    listId: request.listId,
    actor: request.actor,
    at: deps.clock(),
  };
  return calendar.items.map((incoming) => planItem(incoming, situation));
}

interface Step {
  readonly itemPlan: ItemPlan;
  readonly state: NewEdit["state"];
}

/** Everything waits for a person in review mode, and deletions do when there are many of them at once. */
function brake(itemPlans: readonly ItemPlan[], mode: "apply" | "review"): readonly Step[] {
  const deletions = itemPlans.filter(isDeletion).length;
  return itemPlans.map((itemPlan) => {
    if (mode === "review") return { itemPlan, state: "held" };
    if (deletions <= mostDeletions || !isDeletion(itemPlan)) return { itemPlan, state: "pending" };
    const message = `the file deletes ${deletions} items at once; this waits until a person approves it`;
    const note = { line: itemPlan.incoming.line, code: "held", message };
    return { itemPlan: { ...itemPlan, notes: [...itemPlan.notes, note] }, state: "held" };
  });
}

const isDeletion = ({ ending }: ItemPlan): boolean =>
  ending.kind === "edit" && ending.edit.action === "delete";

function keep(
  { itemPlan, state }: Step,
  { store, request }: { readonly store: Store; readonly request: EditRequest },
): EditId | null {
  if (itemPlan.ending.kind === "waits") return itemPlan.ending.editId;
  if (itemPlan.ending.kind !== "edit") return null;
  const { edit } = itemPlan.ending;
  const { action, base, patch, newLabels } = edit;
  const { channel, actor } = request;
  if (edit.replaces !== null) store.journal.discard(edit.replaces);
  const item = keyOf(edit, store);
  return store.journal.append({ channel, actor, item, action, base, patch, newLabels, state });
}

const keyOf = ({ item }: EditDraft, { mirror }: Store): ItemKey =>
  typeof item === "object" ? mirror.conceive(item.kind, item.uid) : item;

interface Kept extends Step {
  readonly editId: EditId | null;
}

function answer(calendar: IncomingCalendar, steps: readonly Kept[]): Acceptance {
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
