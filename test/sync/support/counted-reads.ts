import { ok } from "../../../src/domain/result.ts";
import type { Store } from "../../../src/store/store.ts";
import type { SideOptions } from "../../../src/sync/side-queue.ts";
import { Sync } from "../../../src/sync/sync.ts";
import type { Listing, Upstream } from "../../../src/upstream/client.ts";
import { untilHung } from "../../support/eventually.ts";
import type { Stage } from "./stage.ts";

/** The client, reporting each list of items that is read and not just fetched; `digestOf` may give it another digest. */
function countingReads(
  upstream: Upstream,
  note: (kind: string) => void,
  digestOf: (digest: string) => string = (digest) => digest,
): Upstream {
  const counted =
    <Place, Value>(kind: string, list: ListingCall<Place, Value>): ListingCall<Place, Value> =>
    async (place, call) => {
      const answer = await list(place, call);
      if (!answer.ok) return answer;
      const read: Listing<Value>["read"] = (since) => {
        note(kind);
        return answer.value.read(since);
      };
      return ok({ ...answer.value, digest: digestOf(answer.value.digest), read });
    };
  const { events, tasks, subtasks, workspace } = upstream;
  return {
    ...upstream,
    workspace: {
      ...workspace,
      async allTasks(query, call) {
        const answer = await workspace.allTasks(query, call);
        if (!answer.ok) return answer;
        const read = () => {
          note(`page ${query.start}`);
          return answer.value.read();
        };
        return ok({ ...answer.value, read });
      },
    },
    events: { ...events, listing: counted("events", (place, call) => events.listing(place, call)) },
    tasks: { ...tasks, listing: counted("tasks", (place, call) => tasks.listing(place, call)) },
    subtasks: {
      ...subtasks,
      listing: counted("subtasks", (place, call) => subtasks.listing(place, call)),
    },
  };
}

type ListingCall<Place, Value> = (
  place: Place,
  call: Parameters<Upstream["tasks"]["listing"]>[1],
) => Promise<
  | { readonly ok: true; readonly value: Listing<Value> }
  | Extract<Awaited<ReturnType<Upstream["tasks"]["listing"]>>, { readonly ok: false }>
>;

/** A sync on the stage's service and store whose sweeps report which lists of items they have read, and which not. */
export function countedSync(
  { store, upstream }: Stage,
  more: {
    readonly store?: Store;
    readonly clock?: () => Temporal.Instant;
    readonly reader?: string;
    readonly side?: SideOptions;
  } = {},
) {
  const read: string[] = [];
  const sync = new Sync({
    store,
    upstream: countingReads(upstream, (kind) => void read.push(kind)),
    scope: { projects: "discover", people: [], discoverPeople: true },
    clock: () => Temporal.Now.instant(),
    maxAge: Temporal.Duration.from({ minutes: 15 }),
    quota: { requests: 200, per: Temporal.Duration.from({ milliseconds: 200 }) },
    share: 1,
    onEvent: () => undefined,
    ...more,
  });
  return {
    sync,
    /** Kinds of everything read since the last sweep of `reads`; `page` with its first place for one of all tasks. */
    read: (): readonly string[] => read,
    /** Kinds of the lists that one sweep has read, sorted. */
    reads: async (): Promise<readonly string[]> => {
      read.length = 0;
      await sync.sweep({ signal: untilHung() });
      return read.toSorted();
    },
  };
}
