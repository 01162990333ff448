import { isId, type ListId, type ProjectId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { slugOf } from "../../domain/slug.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import { quote } from "../intake/part.ts";

/** Where new items of a file go; null = nowhere, as nobody said. */
export interface InboxPlace {
  readonly projectId: ProjectId | null;
  readonly listId: ListId | null;
}

/**
 * What the folders of a file in the inbox say: `<project>/<todolist>/x.ics`, each by id or by name, the todolist and
 * both optional. Fails with a sentence for a folder that names nothing, or too much.
 */
export function inboxPlace(path: string, directory: Directory): Result<InboxPlace, string> {
  const [project, list, ...deeper] = path.split("/").slice(0, -1);
  if (project === undefined) return ok({ projectId: null, listId: null });
  if (deeper.length > 0) {
    return fail("the folders may name a project and one of its todolists, and nothing below them");
  }
  const inProject = find(project, directory.projects(), "project");
  if (!inProject.ok) return inProject;
  const projectId = inProject.value;
  if (list === undefined) return ok({ projectId, listId: null });
  const lists = directory.todolists().filter((one) => one.projectId === projectId);
  const inList = find(list, lists, "todolist");
  return inList.ok ? ok({ projectId, listId: inList.value }) : inList;
}

function find<Id extends number>(
  folder: string,
  candidates: readonly { readonly id: Id; readonly title: string }[],
  what: "project" | "todolist",
): Result<Id, string> {
  const number = Number(folder);
  const byId = candidates.find(({ id }) => isId(number) && id === number);
  if (byId) return ok(byId.id);
  const name = slugOf(folder, "");
  const named = candidates.filter(({ title }) => name !== "" && slugOf(title, "") === name);
  const [only, other] = named;
  if (!only)
    return fail(`the folder ${quote(folder)} names no ${what}: use its number or its name`);
  if (!other) return ok(only.id);
  const numbers = named.map(({ id }) => id).join(" and ");
  return fail(
    `the folder ${quote(folder)} names more than one ${what}: use the number, ${numbers}`,
  );
}
