import type { EventLoopBudget } from "@dayferry/event-loop";
import type { Store } from "../store/store.ts";
import type { Upstream } from "../upstream/client.ts";
import type { SyncEvent } from "./event.ts";
import type { SourceList } from "./source-list.ts";
import type { MirrorScope } from "./sources-in-scope.ts";

/** What the parts of one sync share. */
export interface SyncContext {
  readonly store: Store;
  readonly upstream: Upstream;
  /** What is mirrored. */
  readonly scope: MirrorScope;
  readonly sources: SourceList;
  readonly clock: () => Temporal.Instant;
  /** Maximum age of shown data. */
  readonly maxAge: Temporal.Duration;
  /** Requests per second for polls: fewer than configured after 429s. */
  readonly pace: () => number;
  /** Shares the main thread: data is applied in turns. */
  readonly eventLoop: EventLoopBudget;
  /**
   * Identifies the code and settings that parse octets. A later start with the same value does not parse again what this one
   * has read, if unchanged; without it, each start parses everything.
   */
  readonly reader?: string | undefined;
  readonly report: (event: SyncEvent) => void;
}
