import type { Call } from "./route.ts";

/** The path of one task, below which what hangs on it stands. */
export const taskPath = "/projects/:project/todolists/:list/tasks/:task";

/** Who asks, and which task the path names. */
export const inTask = (call: Call) => ({
  by: call.by,
  project: call.id("project"),
  list: call.id("list"),
  task: call.id("task"),
});
