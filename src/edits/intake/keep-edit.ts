import type { Channel, EditAction } from "../../domain/edit.ts";
import type { EditId, ItemKey, PersonId } from "../../domain/ids.ts";
import { withoutSignatures } from "../../domain/signed-links.ts";
import type { NewEdit } from "../../store/journal/journal.ts";
import type { Store } from "../../store/store.ts";
import { stored } from "../../texts/stored.ts";
import type { EditDraft, ItemPlan } from "./item-plan.ts";

/** The origin of an edit. */
export interface Sender {
  readonly channel: Channel;
  readonly actor: PersonId | null;
  /** User-Agent of the program that sent it. */
  readonly program?: string | undefined;
  /** True if it waits until the sender approves it, as an agent has made it. */
  readonly proposed?: boolean;
}

/** The plan for one item, and the initial state of its edit. */
export interface Step {
  readonly itemPlan: ItemPlan;
  readonly state: NewEdit["state"];
}

/** How long a to-do waits for a parent task that was not received yet. */
const parentWait = Temporal.Duration.from({ minutes: 1 });

/** Stores what was planned for an item; null if that is no edit. Call inside a transaction. */
export function keepEdit(
  { itemPlan, state }: Step,
  {
    store,
    clock,
    sender,
    madeWith,
  }: {
    readonly store: Store;
    readonly clock: () => Temporal.Instant;
    readonly sender: Sender;
    /** The first edit of the same series; null if this is the first, or none. */
    readonly madeWith: EditId | null;
  },
): EditId | null {
  const { extras = [], ending } = itemPlan;
  if (ending.kind === "waits") {
    store.extras.append(ending.editId, extras);
    return ending.editId;
  }
  for (const id of itemPlan.takesIn ?? []) store.journal.discard(id, stored("problem.takenIn"));
  if (ending.kind !== "edit") {
    if (ending.kind === "unchanged") keepObject(itemPlan, store, sender);
    return null;
  }
  const { edit } = ending;
  const { action, base, patch, newLabels, recreates = false, parentUid } = edit;
  const { channel, actor, program, proposed = false } = sender;
  if (edit.replaces !== null) {
    store.journal.discard(edit.replaces, stored("problem.replacedByLater"));
  }
  const item = keyOf(edit, store);
  const parent =
    parentUid === undefined ? undefined : { uid: parentUid, until: clock().add(parentWait) };
  const notBefore = restOf({ channel, action }, clock());
  const times = { ...(parent && { parent }), ...(notBefore && { notBefore }) };
  const together = madeWith === null ? {} : { madeWith };
  const wish = {
    action,
    base,
    patch,
    newLabels,
    state,
    recreates,
    ...times,
    ...together,
    ...(proposed && { proposed }),
  };
  const id = store.journal.append({ channel, actor, program, item, ...wish });
  store.extras.append(id, extras);
  keepObject(itemPlan, store, sender);
  return id;
}

const keyOf = ({ item }: EditDraft, { mirror }: Store): ItemKey =>
  typeof item === "object" ? mirror.createIdentity(item.kind, item.uid) : item;

/** Calendar programs that move an object send its deletion and its new place separately, in any order. */
const deletionRest = Temporal.Duration.from({ seconds: 2 });

/**
 * Until when an edit is delayed; null = not at all. A deletion by a calendar program may be the first half of a move, and would
 * lose what no program could send again: subtasks, comments, history, attachments, people.
 */
function restOf(
  edit: { readonly channel: Channel; readonly action: EditAction },
  at: Temporal.Instant,
): Temporal.Instant | null {
  return edit.channel === "caldav" && edit.action === "delete" ? at.add(deletionRest) : null;
}

/**
 * Stores the client's octets of an item that the service cannot store completely. A feed does not show them, so their absence
 * in a file means nothing. CalDAV objects are stored as a whole elsewhere.
 */
function keepObject(
  { incoming, notes, ending }: ItemPlan,
  store: Store,
  sender: Pick<Sender, "channel">,
): void {
  const { channel } = sender;
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
  // Calendars learn of changed properties from the change log.
  if (isNew && ending.kind === "unchanged") store.changes.note(item);
}
