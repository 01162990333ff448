import type { ServiceId } from "../../domain/ids.ts";
import type { Edit } from "../../domain/journal.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { sameText } from "../../ics/text/decoration.ts";
import { plainDescription } from "../../ics/text/text.ts";
import type { Store } from "../../store/store.ts";
import {
  type ExtraErrand,
  isOurs,
  isSince,
  type Made,
  type Trouble,
  trouble,
  unsure,
} from "./extra-errand.ts";

/**
 * Puts a comment on the edit's task, once: after a request whose answer was lost, the task's comments are read before
 * anything is sent.
 */
export async function postComment(errand: ExtraErrand): Promise<Made> {
  const { extra, edit, store, upstream, call } = errand;
  const place = placeOfTask(edit, store);
  if (!place) return fail({ kind: "stuck", problem: "the task is not in the workspace any more" });
  if (extra.sentAt) {
    const found = await lookUp({ ...errand, place, sentAt: extra.sentAt });
    if (!found.ok || found.value !== null) return found;
  }
  store.extras.sending(extra.id);
  const made = await upstream.comments.create({ ...place, description: extra.text ?? "" }, call);
  if (!made.ok) return fail(trouble(made.failure));
  store.comments.put(made.value);
  return ok(made.value.id);
}

type Place = NonNullable<ReturnType<typeof placeOfTask>>;

function placeOfTask({ item }: Edit, { mirror }: Store) {
  const task = mirror.get(item)?.item;
  if (task?.kind !== "task" || task.id === null) return null;
  return { projectId: task.projectId, listId: task.listId, taskId: task.id };
}

/** The comment that an earlier request has made; null when there is none. */
async function lookUp(
  lost: ExtraErrand & { readonly place: Place; readonly sentAt: Temporal.Instant },
): Promise<Result<ServiceId | null, Trouble>> {
  const { extra, edit, store, upstream, place, sentAt } = lost;
  const list = await upstream.comments.list(place, lost.call);
  if (!list.ok) return fail(trouble(list.failure));
  const taken = store.extras.ofItem(edit.item).map(({ answerId }) => answerId);
  const found = list.value.items.find(
    (comment) =>
      sameText(plainDescription(comment.description).trim(), extra.text ?? "") &&
      isOurs(comment, edit.actor) &&
      isSince(comment.createdAt, sentAt) &&
      !taken.includes(comment.id),
  );
  if (found) {
    store.comments.put(found);
    return ok(found.id);
  }
  return list.value.problems.length === 0 ? ok(null) : fail(unsure("comment", list.value.problems));
}
