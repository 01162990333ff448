import type { Edit } from "../../domain/edit.ts";
import type { Item } from "../../domain/item.ts";
import { inFlightUntil } from "../../domain/landing.ts";
import type { Patch } from "../../domain/patch.ts";
import type { LeavingWrite } from "../../store/journal/unanswered.ts";
import type { Store } from "../../store/store.ts";
import type { Call } from "../../upstream/client.ts";
import type { ItemAddress, ItemCalls } from "./item-calls.ts";

interface Noting {
  readonly edit: Edit;
  readonly store: Store;
  readonly call: Call;
  readonly clock: () => Temporal.Instant;
  /** Stores a note now, or once the disk takes it: an answer that is there must not be lost for it. */
  readonly keep: (note: () => void) => void;
}

/**
 * Calls that keep what leaves before its first byte does, and of each try without a usable answer until when it may still be
 * carried out. That of a creation is kept with the edit, which names no item yet.
 */
export function noteWrites(
  callsWith: (call: Call) => ItemCalls,
  { edit, store, call, clock, keep }: Noting,
): ItemCalls {
  const { unanswered, journal } = store;
  const plain = callsWith(call);
  let met: Item | null = null;

  async function noted<Answer>(
    write: Pick<LeavingWrite, "act" | "patch"> & { readonly spot: ItemAddress },
    send: (calls: ItemCalls) => Promise<Answer>,
  ): Promise<Answer> {
    const { act, patch, spot } = write;
    const before = met?.id === spot.id && met.kind === spot.item.kind ? met : spot.item;
    const { id: serviceId } = spot;
    const id = unanswered.leaving({
      edit: edit.id,
      item: edit.item,
      act,
      serviceId,
      patch,
      before,
    });
    const onUnanswered = (waited: Temporal.Duration) => {
      const until = inFlightUntil(clock(), waited);
      keep(() => unanswered.lost(id, until));
    };
    try {
      return await send(callsWith({ ...call, onUnanswered }));
    } finally {
      keep(() => unanswered.ended(id));
    }
  }
  const change = <Answer>(
    { spot, patch }: { readonly spot: ItemAddress; readonly patch: Patch },
    send: (calls: ItemCalls) => Promise<Answer>,
  ) => noted({ act: "change", spot, patch }, send);

  return {
    list: (item) => plain.list(item),
    async get(spot) {
      const answer = await plain.get(spot);
      if (answer.ok) met = answer.value;
      return answer;
    },
    async create(item, wish) {
      let isLost = false;
      const onUnanswered = (waited: Temporal.Duration) => {
        isLost = true;
        const until = inFlightUntil(clock(), waited);
        keep(() => journal.landing(edit.id, until));
      };
      const answer = await callsWith({ ...call, onUnanswered }).create(item, wish);
      if (!answer.ok && !isLost) keep(() => journal.landing(edit.id, null));
      return answer;
    },
    update: (spot, patch) => change({ spot, patch }, (calls) => calls.update(spot, patch)),
    complete: (spot, completed) =>
      change({ spot, patch: { completed } }, (calls) => calls.complete(spot, completed)),
    move: (spot, place) => change({ spot, patch: { place } }, (calls) => calls.move(spot, place)),
    delete: (spot) => noted({ act: "delete", spot, patch: {} }, (calls) => calls.delete(spot)),
  };
}
