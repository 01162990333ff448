import type { Store } from "../../store/store.ts";
import type { DiffContext } from "./diff-item.ts";
import { readNames } from "./known-names.ts";

export interface ContextDeps {
  readonly store: Store;
  /** The account's zone. */
  readonly zone: string;
  readonly policy: { readonly labels: "known" | "create" };
  /** What feeds decorate with. */
  readonly feeds: { readonly tasks: "due" | "span" | "none"; readonly webUrl: string | null };
}

/**
 * What files are read against, as the store has it now; only what is asked for is read. `decorated`: whether the channel
 * shows feeds.
 */
export function readContext(
  { store, zone, policy, feeds }: ContextDeps,
  decorated: boolean,
): DiffContext {
  return {
    zone,
    names: readNames(store.directory),
    unknownLabels: policy.labels,
    tasks: feeds.tasks,
    webUrl: feeds.webUrl,
    privateLists: { has: (list) => store.directory.todolist(list)?.private === true },
    decorated,
  };
}
