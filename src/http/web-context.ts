import type { EventLoopBudget } from "@dayferry/event-loop";
import type { HttpDeps } from "./http-deps.ts";
import type { Status } from "./status.ts";
import type { TestLimit } from "./test-limit.ts";
import type { Viewers } from "./viewer.ts";

/** What routes work with. */
export interface WebContext extends HttpDeps {
  readonly eventLoop: EventLoopBudget;
  readonly viewers: Viewers;
  readonly status: () => Status;
  /** Limits test messages. */
  readonly tests: TestLimit;
}
