import type { Request } from "express";
import { isId, personId } from "../domain/ids.ts";
import type { People, PersonDescription } from "../people/people.ts";
import type { Viewers } from "./viewer.ts";

/** The person of `/people/ID/…`, or the viewing one of `/me/…`; null if there is none. */
export function personInPath(
  request: Request,
  { people, viewers }: { readonly people: People; readonly viewers: Viewers },
): PersonDescription | null {
  const { id } = request.params;
  if (typeof id === "string") return isId(Number(id)) ? people.get(personId(Number(id))) : null;
  const viewer = viewers.viewerOf(request);
  return viewer.kind === "person" ? people.get(viewer.person) : null;
}
