import type { Channel } from "../../domain/journal.ts";
import type { Store } from "../../store/store.ts";
import type { ItemPlan } from "./item-plan.ts";

/**
 * Keeps the client's octets of an item of which the service cannot hold everything. A feed does not show what is kept
 * here, so that its absence in a file says nothing; CalDAV shows it, so that there the newest octets count.
 */
export function keepObject(
  { incoming, notes, ending }: ItemPlan,
  { store, request }: { readonly store: Store; readonly request: { readonly channel: Channel } },
): void {
  const { channel } = request;
  const isPartial = notes.some(({ code }) => code === "not-stored");
  if (!isPartial && channel !== "caldav") return;
  const isDeletion = ending.kind === "edit" && ending.edit.action === "delete";
  const item = isDeletion ? null : (store.mirror.findUid(incoming.uid)?.item ?? null);
  if (item === null) return;
  store.objects.put({ item, channel, uid: incoming.uid, raw: incoming.raw.join("\n") });
}
