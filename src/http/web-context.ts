import type { EventLoopBudget } from "@dayferry/event-loop";
import type { Viewer } from "../domain/visibility.ts";
import type { StatusReader } from "../operations/operation.ts";
import type { HttpDeps } from "./http-deps.ts";
import type { Status } from "./status.ts";
import type { TestLimit } from "./test-limit.ts";
import type { Today } from "./today.ts";
import type { Viewers } from "./viewer.ts";

/** What the routes share. */
export interface WebContext extends HttpDeps {
  readonly eventLoop: EventLoopBudget;
  readonly viewers: Viewers;
  readonly status: () => Status;
  readonly today: (viewer: Viewer, status: Status) => Today;
  readonly statusReader: StatusReader;
  /** Limits test messages. */
  readonly tests: TestLimit;
}
