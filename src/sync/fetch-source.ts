import type { Item, Label, Person, Project, TodolistRow } from "../domain/item.ts";
import { ok, type Result, unreachable } from "../domain/result.ts";
import type { Source } from "../domain/source.ts";
import type { Call, Listing, ListSnapshot, Snapshot, Upstream } from "../upstream/client.ts";
import type { Failure } from "../upstream/failure.ts";

/** A look-up's answer. */
export type FetchedNames =
  | { readonly kind: "projects"; readonly snapshot: Snapshot<Project> }
  | { readonly kind: "people"; readonly snapshot: Snapshot<Person> }
  | { readonly kind: "labels"; readonly snapshot: Snapshot<Label> }
  | { readonly kind: "todolists"; readonly snapshot: Snapshot<TodolistRow> };

/** The result of one poll. */
export type FetchedSource =
  | FetchedNames
  | { readonly kind: "items"; readonly snapshot: ListSnapshot<Item> };

/** A source's answer: unparsed items, or names. */
export type SourceAnswer =
  | FetchedNames
  | { readonly kind: "listing"; readonly listing: Listing<Item> };

/** Reads a source with one request. */
export function fetchSource(
  { workspace, labels, events, tasks, subtasks }: Upstream,
  source: Source,
  call: Call,
): Promise<Result<SourceAnswer, Failure>> {
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
      return read(events.listing(source, call), listing);
    case "tasks":
      return read(tasks.listing(source, call), listing);
    case "subtasks":
      return read(subtasks.listing(source, call), listing);
    default:
      return unreachable(source);
  }
}

const listing = (listing: Listing<Item>): SourceAnswer => ({ kind: "listing", listing });

async function read<Value>(
  answer: Promise<Result<Value, Failure>>,
  wrap: (value: Value) => SourceAnswer,
): Promise<Result<SourceAnswer, Failure>> {
  const result = await answer;
  return result.ok ? ok(wrap(result.value)) : result;
}
