import type { Channel, EditAction } from "../../domain/edit.ts";
import type { EditId, ItemKey, PersonId } from "../../domain/ids.ts";
import { withoutSignatures } from "../../domain/signed-links.ts";
import type { NewEdit } from "../../store/journal/journal.ts";
import type { Store } from "../../store/store.ts";
import type { EditDraft, ItemPlan } from "./item-plan.ts";
import { takenIn } from "./plan-known.ts";

/** Where an edit comes from. */
export interface Sender {
  readonly channel: Channel;
  readonly actor: PersonId | null;
  /** User-Agent of the program that sent it. */
  readonly program?: string | undefined;
}

/** What becomes of one item, and in which state its edit begins. */
export interface Step {
  readonly itemPlan: ItemPlan;
  readonly state: NewEdit["state"];
}

/** How long a to-do waits for the task above it that has not come in yet. */
const parentWait = Temporal.Duration.from({ minutes: 1 });

/** Stores what was planned for an item; null where that is no edit. The caller runs it in a transaction. */
export function keepEdit(
  { itemPlan, state }: Step,
  {
    store,
    clock,
    sender,
  }: {
    readonly store: Store;
    readonly clock: () => Temporal.Instant;
    readonly sender: Sender;
  },
): EditId | null {
  const { extras = [], ending } = itemPlan;
  if (ending.kind === "waits") {
    store.extras.append(ending.editId, extras);
    return ending.editId;
  }
  for (const id of itemPlan.takesIn ?? []) store.journal.discard(id, takenIn);
  if (ending.kind !== "edit") {
    if (ending.kind === "unchanged") keepObject(itemPlan, { store, sender });
    return null;
  }
  const { edit } = ending;
  const { action, base, patch, newLabels, recreates = false, parentUid } = edit;
  const { channel, actor, program } = sender;
  if (edit.replaces !== null) {
    store.journal.discard(edit.replaces, "a later edit of the item takes its place");
  }
  const item = keyOf(edit, store);
  const parent =
    parentUid === undefined ? undefined : { uid: parentUid, until: clock().add(parentWait) };
  const notBefore = restOf({ channel, action }, clock());
  const times = { ...(parent && { parent }), ...(notBefore && { notBefore }) };
  const wish = { action, base, patch, newLabels, state, recreates, ...times };
  const id = store.journal.append({ channel, actor, program, item, ...wish });
  store.extras.append(id, extras);
  keepObject(itemPlan, { store, sender });
  return id;
}

const keyOf = ({ item }: EditDraft, { mirror }: Store): ItemKey =>
  typeof item === "object" ? mirror.createIdentity(item.kind, item.uid) : item;

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
  { store, sender }: { readonly store: Store; readonly sender: Pick<Sender, "channel"> },
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
  // Two-way calendars show what is kept; nothing but the log tells them.
  if (isNew && ending.kind === "unchanged") store.changes.note(item);
}
