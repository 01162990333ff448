import { expect } from "vitest";
import { listId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { toPlain } from "../../src/domain/plain-item.ts";
import type { Store } from "../../src/store/store.ts";
import type { Upstream } from "../../src/upstream/client.ts";
import { worked } from "../contract/pair.ts";

/** Expects that the view is what the service answers now; gives back the items of that answer, by kind and id. */
export async function expectView(
  { upstream, store }: { readonly upstream: Upstream; readonly store: Store },
  places: readonly { readonly project: number; readonly list: number }[],
): Promise<ReadonlyMap<string, Item>> {
  const call = { priority: "interactive" } as const;
  const { events, tasks, subtasks } = upstream;
  const projects = [...new Set(places.map(({ project }) => projectId(project)))];
  const found: Item[] = [];
  for (const project of projects) {
    found.push(...worked(await events.list({ projectId: project, view: "all" }, call)).items);
  }
  for (const { project, list } of places) {
    const place = { projectId: projectId(project), listId: listId(list) };
    const { items } = worked(await tasks.list(place, call));
    found.push(...items);
    for (const { id } of items) {
      const below = { ...place, taskId: serviceId(Number(id)) };
      found.push(...worked(await subtasks.list(below, call)).items);
    }
  }
  const shown = projects.flatMap((project) => store.view.ofProject(project));
  expect(byKey(shown.map(({ item }) => item))).toEqual(byKey(found));
  return new Map(found.map((item) => [keyOf(item), item]));
}

const keyOf = ({ kind, id }: Item): string => `${kind}-${id}`;

const byKey = (items: readonly Item[]) =>
  items
    .map((item) => ({ key: keyOf(item), item: toPlain(item) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
