import type { IncomingCalendar, IncomingItem } from "@dayferry/ical";
import type { ListId, ProjectId, ServiceId } from "../../domain/ids.ts";
import type { Store } from "../../store/store.ts";
import type { ViewItem } from "../../store/view/view.ts";
import { say } from "../../texts/say.ts";
import type { Situation } from "./item-plan.ts";
import { quote } from "./plan-part.ts";

/** The place of a new task. `parentUid`: UID of its parent, if that has no id yet. */
export interface TaskPlace {
  readonly projectId: ProjectId;
  readonly listId: ListId;
  readonly parentId: ServiceId | null;
  readonly kind: "task" | "subtask";
  readonly parentUid?: string;
}

/** The meaning of a new to-do's RELATED-TO. `remark`: set if it becomes something else. */
export type Parent =
  | { readonly kind: "known"; readonly place: TaskPlace; readonly remark: string | null }
  /** It becomes a subtask once the task with this UID exists, or a task if that takes more than a minute. */
  | { readonly kind: "awaited"; readonly uid: string; readonly remark: string | null }
  | { readonly kind: "none"; readonly remark: string | null };

/**
 * The parent task of a new to-do. The service has one level of subtasks, so deeper ones go below the task at the top. Parents
 * are looked up in the workspace, then in the same file.
 */
export function parentOf(incoming: IncomingItem, situation: Situation): Parent {
  const { uid, relatedTo } = incoming;
  if (relatedTo === undefined || relatedTo === uid) return { kind: "none", remark: null };
  const { store, calendar, hides } = situation;
  const passed = new Set<string>();
  let at = relatedTo;
  /** The topmost parent within the file. */
  let brought: string | null = null;
  for (;;) {
    if (at === uid) return ignored(say("intake.parentCycle"));
    if (passed.has(at)) return awaited(relatedTo, relatedTo);
    passed.add(at);
    const viewed = hides(at) ? null : store.view.findUid(at);
    if (viewed) {
      const above = viewed.item.kind === "subtask" ? uidAbove(viewed, store) : null;
      if (above !== null) {
        at = above;
        continue;
      }
      if (viewed.item.kind === "task") return known(viewed, relatedTo);
      if (brought === null) return ignored(say("intake.parentNoTask", { uid: quote(at) }));
      return awaited(brought, relatedTo);
    }
    const other = newIn(calendar).get(at);
    if (!other) return brought === null ? unknown(at, situation) : awaited(brought, relatedTo);
    brought = at;
    if (other.relatedTo === undefined) return awaited(brought, relatedTo);
    at = other.relatedTo;
  }
}

/** To-dos of a file that may become tasks. Computed once per file. */
function newIn(calendar: IncomingCalendar): ReadonlyMap<string, IncomingItem> {
  const found = byCalendar.get(calendar);
  if (found) return found;
  const todos = calendar.items.filter(
    ({ component, problems }) => component === "VTODO" && problems.length === 0,
  );
  const map = new Map(todos.map((item) => [item.uid, item]));
  byCalendar.set(calendar, map);
  return map;
}

const byCalendar = new WeakMap<IncomingCalendar, ReadonlyMap<string, IncomingItem>>();

function known({ item, uid }: ViewItem, asked: string): Parent {
  if (item.kind === "event") throw new Error("an event cannot have subtasks");
  const { id: parentId, projectId, listId } = item;
  const place = { projectId, listId, parentId, kind: "subtask" } as const;
  const remark = uid === asked ? null : raised(item.title);
  return { kind: "known", place: parentId === null ? { ...place, parentUid: uid } : place, remark };
}

const awaited = (uid: string, asked: string): Parent => ({
  kind: "awaited",
  uid,
  remark: uid === asked ? null : raised(uid),
});

/** Calendar programs may send a to-do before its parent, in separate requests. */
function unknown(uid: string, { channel }: Situation): Parent {
  const named = { uid: quote(uid) };
  if (channel !== "caldav") return ignored(say("intake.parentUnknown", named));
  return { kind: "awaited", uid, remark: say("intake.parentAwaited", named) };
}

const ignored = (why: string): Parent => ({
  kind: "none",
  remark: say("intake.parentIgnored", { why }),
});

const raised = (top: string): string => say("intake.parentRaised", { task: quote(top) });

/** The UID of a subtask's parent, which may not exist yet; null if unknown. */
export function uidAbove(
  { key, item }: Pick<ViewItem, "key" | "item">,
  { mirror, journal }: Store,
): string | null {
  if (item.kind === "event" || item.parentId === null) return journal.awaitedParent(key);
  const above = mirror.find("task", item.parentId);
  return above === null ? null : mirror.identity(above).uid;
}
