import { type ItemKey, serviceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { applyPatch, placedIn } from "../../domain/patch.ts";
import { sourceOf } from "../../domain/source.ts";
import { isReadSince } from "../../store/mirror/sources.ts";
import type { UnansweredWrite } from "../../store/rows/unanswered-rows.ts";
import type { Store } from "../../store/store.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import { isMissing } from "./attempt.ts";
import type { DrainDeps } from "./drain.ts";
import { createItemCalls, type ItemCalls } from "./item-calls.ts";

type WatchDeps = Pick<DrainDeps, "store" | "upstream" | "clock" | "onMissing">;

/**
 * Reads the next item whose writes were not answered, now and then until they cannot be carried out any more, and once more
 * then. What it says is stored, and judged as it is (`judgeLandings`).
 */
export function createWatch(deps: WatchDeps): (signal: AbortSignal) => Promise<"idle" | "worked"> {
  const { store, clock } = deps;
  return async (signal) => {
    if (signal.aborted) return "idle";
    askForGhosts(deps);
    const due = store.unanswered.claimLook();
    if (!due) return "idle";
    const begun = clock();
    const isRead = await look(due, { ...deps, signal });
    store.unanswered.looked(due.key, isRead ? begun : null);
    return "worked";
  };
}

/** A creation that was given up may be carried out all the same: its list is asked for once that is over. */
function askForGhosts({ store, clock, onMissing }: WatchDeps): void {
  const over = store.journal
    .givenUpCreations()
    .filter(
      ({ inFlightUntil }) => inFlightUntil && Temporal.Instant.compare(inFlightUntil, clock()) <= 0,
    );
  for (const edit of over) {
    const source = sourceOf(applyPatch(edit.base, edit.patch));
    const state = store.sources.all().find(({ name }) => name === source);
    if (edit.inFlightUntil && state && !isReadSince(edit.inFlightUntil, state))
      onMissing(edit, [source]);
  }
}

interface Due {
  readonly key: ItemKey;
  readonly writes: readonly UnansweredWrite[];
}

/** Whether the service has told what has become of the item. */
async function look(
  { key, writes }: Due,
  deps: WatchDeps & { readonly signal: AbortSignal },
): Promise<boolean> {
  const { store, upstream, onMissing, signal } = deps;
  const id = store.mirror.identity(key).serviceId;
  const item = store.mirror.get(key)?.item;
  // Gone, or made anew under another number: no late request can find it.
  const own = writes.filter((write) => write.serviceId === id);
  const [newest] = own;
  if (id === null || !item || !newest) return true;
  const edit = store.journal.get(newest.edit);
  const calls = callsFor({
    upstream,
    call: { priority: "edit", person: edit?.actor ?? null, signal },
  });
  const found = await find(item, { id: serviceId(id), writes: own, calls });
  if (found === "unknown") return false;
  if (found) storeSight(store, { key, before: item, found });
  else if (edit) onMissing(edit, [sourceOf(item)]);
  return true;
}

const callsFor = ({ upstream, call }: { readonly upstream: Upstream; readonly call: Call }) =>
  createItemCalls(upstream, call);

/** The item where it is known to be, or where a late move may have taken it; null when it is in none of these places. */
async function find(
  item: Item,
  {
    id,
    writes,
    calls,
  }: {
    readonly id: ReturnType<typeof serviceId>;
    readonly writes: readonly UnansweredWrite[];
    readonly calls: ItemCalls;
  },
): Promise<Item | "unknown" | null> {
  const elsewhere = writes.flatMap(({ patch: { place } }) =>
    place ? [placedIn(item, place)] : [],
  );
  for (const where of [item, ...elsewhere]) {
    const found = await calls.get({ item: where, id });
    if (found.ok) return found.value;
    if (!isMissing(found.failure)) return "unknown";
  }
  return null;
}

/** What has changed since the request left is newer than the answer. */
function storeSight(
  store: Store,
  { key, before, found }: { readonly key: ItemKey; readonly before: Item; readonly found: Item },
): void {
  const { id } = found;
  const { mirror } = store;
  store.together(() => {
    const now = mirror.get(key)?.item;
    if (id === null || JSON.stringify(now) !== JSON.stringify(before)) return;
    mirror.put({ ...found, id }, sourceOf(found));
  });
}
