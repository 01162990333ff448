import type { Item, Label, Person, Project, Todolist } from "../domain/item.ts";
import { ok, type Result, unreachable } from "../domain/result.ts";
import type { Source } from "../domain/source.ts";
import type { Call, Snapshot, Upstream } from "../upstream/client.ts";
import type { Failure } from "../upstream/failure.ts";

/** What one poll has read. */
export type Fetched =
  | { readonly kind: "projects"; readonly snapshot: Snapshot<Project> }
  | { readonly kind: "people"; readonly snapshot: Snapshot<Person> }
  | { readonly kind: "labels"; readonly snapshot: Snapshot<Label> }
  | { readonly kind: "todolists"; readonly snapshot: Snapshot<Todolist> }
  | { readonly kind: "items"; readonly snapshot: Snapshot<Item> };

type Answer<Value> = Promise<Result<Snapshot<Value>, Failure>>;

/** Reads a source with one request. */
export function fetchSource(
  upstream: Upstream,
  { source, call }: { readonly source: Source; readonly call: Call },
): Promise<Result<Fetched, Failure>> {
  const { workspace, labels, events, tasks, subtasks } = upstream;
  switch (source.kind) {
    case "projects":
      return read(workspace.projects(call), (snapshot) => ({ kind: "projects", snapshot }));
    case "people":
      return read(workspace.people(call), (snapshot) => ({ kind: "people", snapshot }));
    case "labels":
      return read(labels.list(call), (snapshot) => ({ kind: "labels", snapshot }));
    case "todolists":
      return read(workspace.todolists(source, call), (snapshot) => ({
        kind: "todolists",
        snapshot,
      }));
    case "events":
      return read(events.list({ projectId: source.projectId, view: "all" }, call), items);
    case "tasks":
      return read(tasks.list(source, call), items);
    case "subtasks":
      return read(subtasks.list(source, call), items);
    default:
      return unreachable(source);
  }
}

const items = (snapshot: Snapshot<Item>): Fetched => ({ kind: "items", snapshot });

async function read<Value>(
  answer: Answer<Value>,
  wrap: (snapshot: Snapshot<Value>) => Fetched,
): Promise<Result<Fetched, Failure>> {
  const result = await answer;
  return result.ok ? ok(wrap(result.value)) : result;
}
