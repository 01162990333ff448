import type { Comment } from "../../domain/comment.ts";
import type { Edit } from "../../domain/journal.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { sameText } from "../../ics/text/decoration.ts";
import { plainDescription } from "../../ics/text/text.ts";
import type { OpenRequest } from "../../store/journal/requests.ts";
import type { Store } from "../../store/store.ts";
import { type ExtraErrand, type Made, requestOf, trouble } from "./extra-errand.ts";
import { makeOnce, mayBeOf, type Trouble, unsure } from "./make-once.ts";

/** Puts a comment on the edit's task, once. */
export async function postComment(errand: ExtraErrand): Promise<Made> {
  const { extra, edit, store, upstream, call, clock, keep } = errand;
  const place = placeOfTask(edit, store);
  if (!place) return fail({ kind: "stuck", problem: "the task is not in the workspace any more" });
  const description = extra.text ?? "";
  const made = await makeOnce<Comment>({
    what: requestOf(extra),
    word: "comment",
    requests: store.requests,
    clock,
    call,
    keep,
    known: () =>
      store.comments
        .ofTask(place.taskId)
        .filter(saysThe(description))
        .map(({ id }) => id),
    look: (earlier) => lookUp({ ...errand, place, earlier }),
    send: (one) => upstream.comments.create({ ...place, description }, one),
  });
  if (!made.ok) return made;
  const comment = made.value;
  keep(() => store.comments.put(comment));
  return ok(comment.id);
}

type Place = NonNullable<ReturnType<typeof placeOfTask>>;

function placeOfTask({ item }: Edit, { mirror }: Store) {
  const task = mirror.get(item)?.item;
  if (task?.kind !== "task" || task.id === null) return null;
  return { projectId: task.projectId, listId: task.listId, taskId: task.id };
}

const saysThe =
  (text: string) =>
  ({ description }: Pick<Comment, "description">): boolean =>
    sameText(plainDescription(description).trim(), text.trim());

/** The comment that an earlier request has made; null when there is none. */
async function lookUp(
  lost: ExtraErrand & { readonly place: Place; readonly earlier: OpenRequest },
): Promise<Result<Comment | null, Trouble>> {
  const { extra, edit, store, upstream, place, earlier } = lost;
  const list = await upstream.comments.list(place, lost.call);
  if (!list.ok) return fail(trouble(list.failure));
  const { items, problems } = list.value;
  const taken = store.extras.ofItem(edit.item).map(({ answerId }) => answerId);
  const found = items
    .filter(saysThe(extra.text ?? ""))
    .find((made) => mayBeOf(earlier, { made, actor: edit.actor }) && !taken.includes(made.id));
  if (found) return ok(found);
  return problems.length === 0 ? ok(null) : fail(unsure("comment", problems));
}
