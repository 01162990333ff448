import type { Channel } from "../../domain/journal.ts";
import { withoutSignatures } from "../../domain/link-signatures.ts";
import type { Store } from "../../store/store.ts";
import type { ItemPlan } from "./item-plan.ts";

/**
 * Keeps the client's octets of an item of which the service cannot hold everything. A feed does not show what is kept
 * here, so that its absence in a file says nothing. What comes by CalDAV is kept as a whole by the calendars.
 */
export function keepObject(
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
