import { createEventLoopBudget, type EventLoopBudget } from "@dayferry/event-loop";
import type { Store } from "../../../src/store/store.ts";
import { DeletionChecks } from "../../../src/sync/deletion-checks.ts";
import { Poller } from "../../../src/sync/poller.ts";
import { SourceList } from "../../../src/sync/source-list.ts";
import type { Upstream } from "../../../src/upstream/client.ts";
import type { Stage } from "./stage.ts";

/** Reads sources without choosing them: a source is polled when a test says so. */
export function pollByHand(
  stage: Stage,
  more: {
    readonly store?: Store;
    readonly upstream?: Upstream;
    readonly eventLoop?: EventLoopBudget;
    readonly clock?: () => Temporal.Instant;
  } = {},
) {
  const { clock = () => Temporal.Now.instant() } = more;
  const { store, upstream } = { ...stage, ...more };
  const sources = new SourceList(store, clock);
  const maxAge = Temporal.Duration.from({ minutes: 15 });
  const deps = { store, upstream, sources, clock, maxAge, report: () => undefined };
  const deletionChecks = new DeletionChecks(deps);
  const poller = new Poller({
    ...deps,
    deletionChecks,
    scope: { projects: "discover", people: [], discoverPeople: true },
    pace: () => 2.5,
    onTasks: () => undefined,
    onRead: () => undefined,
    eventLoop: more.eventLoop ?? createEventLoopBudget(),
  });
  const { signal } = new AbortController();
  return { sources, deletionChecks, poller, poll: (name: string) => poller.poll(name, signal) };
}
