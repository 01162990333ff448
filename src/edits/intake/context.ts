import type { Store } from "../../store/store.ts";
import type { DiffContext } from "./diff.ts";
import { readNames } from "./known-names.ts";

export interface ContextDeps {
  readonly store: Store;
  /** The account's zone. */
  readonly zone: string;
  readonly policy: { readonly labels: "known" | "create" };
  /** What feeds decorate with. */
  readonly feeds: { readonly tasks: "due" | "span" | "none"; readonly webUrl: string | null };
}

/** What files are read against, as the store has it now. `decorated`: whether the channel shows feeds. */
export function readContext(
  { store, zone, policy, feeds }: ContextDeps,
  decorated: boolean,
): DiffContext {
  const lists = store.directory.todolists();
  return {
    zone,
    names: readNames(store.directory),
    unknownLabels: policy.labels,
    tasks: feeds.tasks,
    webUrl: feeds.webUrl,
    privateLists: new Set(lists.filter((list) => list.private).map(({ id }) => id)),
    decorated,
  };
}
