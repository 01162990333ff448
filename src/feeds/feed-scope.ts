import {
  assignedOf,
  type FeedFault,
  type FeedRules,
  feedHolds,
  isPlainFeed,
} from "../domain/feed-filter.ts";
import type { ItemKey, ProjectId, Revision } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { rulesOfFeed } from "../store/channels/feed-rules.ts";
import type { FeedRow } from "../store/rows/feed-rows.ts";
import type { Store } from "../store/store.ts";
import type { CardNames } from "./card.ts";

/** The workspace's names, and a text that identifies them. */
export interface WorkspaceNames {
  readonly names: CardNames;
  readonly text: string;
}

/** Which items belong to a feed, and where their changes are found. */
export interface FeedScope {
  /** The newest revision of the feed's inputs. */
  revision(): Revision;
  /** Why it can show nothing; null if it can. */
  fault(): FeedFault | null;
  /** Identifies everything besides the items that decides which of them belong to the feed. */
  text(): string;
  holds(item: Item): boolean;
  /** Keys of items that may belong to the feed, possibly too many. */
  keys(): Iterable<ItemKey>;
  /** Keys of items that may have changed after a revision, possibly too many; null if no longer known. */
  since(after: Revision): readonly ItemKey[] | null;
  /** True if everything needed for its first calendar was read. */
  isRead(hasRead: (project: ProjectId | null) => boolean): boolean;
  /** The projects of which it shows something; null = all. */
  projects(): readonly ProjectId[] | null;
}

/** `feed`: returns the stored row. */
export function createFeedScope(feed: () => FeedRow, store: Store): FeedScope {
  const first = feed();
  const { projectId: project } = first;
  if (project !== null && isPlainFeed(first)) return projectScope({ feed, project, store });
  return chosenScope(feed, store);
}

interface ScopeDeps {
  readonly feed: () => FeedRow;
  readonly project: ProjectId;
  readonly store: Store;
}

/** Everything of one project. Nothing published so far depends on other rules. */
function projectScope({ project, store }: ScopeDeps): FeedScope {
  return {
    revision: () => store.changes.revisionOf(project),
    fault: () => null,
    text: () => "",
    holds: (item) => item.projectId === project,
    keys: () => store.view.keysOfProject(project),
    since: (after) => store.changes.itemsSince(project, after),
    isRead: (hasRead) => hasRead(project),
    projects: () => [project],
  };
}

function chosenScope(feed: () => FeedRow, store: Store): FeedScope {
  const { projectId: project } = feed();
  let known: { readonly key: string; readonly row: FeedRow; readonly rules: FeedRules } | null =
    null;

  function rules(): FeedRules {
    const row = feed();
    // Data read in a rolled-back transaction may never have existed.
    const key = `${store.changes.revisionOfDirectory()} ${store.transaction().undone}`;
    if (known?.key !== key || known.row !== row) {
      known = { key, row, rules: rulesOfFeed(row, store) };
    }
    return known.rules;
  }
  const projects = (): readonly ProjectId[] | null => {
    const chosen = rules().projects;
    return chosen && [...chosen];
  };

  return {
    revision: () => (project === null ? store.changes.latest() : store.changes.revisionOf(project)),
    fault: () => rules().fault,
    text() {
      const { person, withCompleted, ...sets } = rules();
      const lists = Object.values(sets).map((set) => (set instanceof Set ? [...set] : set));
      return JSON.stringify([person, withCompleted, lists]);
    },
    holds: (item) => feedHolds(item, rules()),
    *keys() {
      const assigned = assignedOf(feed());
      const wanted = { projects: projects(), assigned: assigned && [...assigned] };
      for (const part of store.view.keysWhere(wanted)) yield* part;
    },
    since(after) {
      if (after < store.changes.completeFrom()) return null;
      if (project !== null) return store.changes.itemsSince(project, after);
      return store.changes.changedAfter(after).map(({ item }) => item);
    },
    isRead(hasRead) {
      const chosen = projects();
      return chosen ? chosen.every(hasRead) : hasRead(null);
    },
    projects,
  };
}

/** Reads the workspace's names once for all feeds until they change. */
export function createNameReader(store: Store): () => WorkspaceNames {
  let known: { readonly key: string; readonly names: WorkspaceNames } | null = null;
  return () => {
    const key = `${store.changes.revisionOfDirectory()} ${store.transaction().undone}`;
    if (known?.key !== key) known = { key, names: readNames(store) };
    return known.names;
  };
}

function readNames({ directory }: Store): WorkspaceNames {
  const hidden = directory.todolists().filter((list) => list.private);
  const names = {
    labels: directory.labelNames(),
    people: directory.personNames(),
    privateLists: new Set(hidden.map(({ id }) => id)),
  };
  const { labels, people, privateLists } = names;
  return { names, text: JSON.stringify([[...labels], [...people], [...privateLists]]) };
}
