import type { Response } from "express";
import { isId, personId } from "../domain/ids.ts";
import { callerPerson } from "../operations/operation.ts";
import type { PersonDescription } from "../people/people.ts";
import { say } from "../texts/say.ts";
import { notDonePage } from "./pages/people-pages.ts";
import { redirectTo, rootOf, sendPage } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";

/** The person whose settings a URL shows. */
export interface PersonPlace {
  readonly person: PersonDescription;
  /** True at `/me/…`. */
  readonly isOwn: boolean;
}

/** The person of `/people/ID/…`, or the viewing one of `/me/…`. Null after sending an answer, if there is none. */
export function personPlaceOf(
  response: Response,
  { people, viewers }: Pick<WebContext, "people" | "viewers">,
): PersonPlace | null {
  const { id } = response.req.params;
  const isOwn = id === undefined;
  const named = isId(Number(id)) ? personId(Number(id)) : null;
  const key = isOwn ? callerPerson({ viewer: viewers.viewerOf(response.req) }) : named;
  const person = key && people.get(key);
  if (person) return { person, isOwn };
  // The admin is not a person of the workspace.
  if (isOwn) redirectTo(response, "people");
  else sendNotDone(response, { status: 404, reason: say("pageFault.noSuchPerson") });
  return null;
}

/** The URL of a person's settings, to which their pages link back. `section`: its part of `/me`. */
export const settingsOf = ({ person, isOwn }: PersonPlace, section: string): string =>
  isOwn ? `me#${section}` : `people?mails=${person.id}#person-${person.id}`;

/** Says why something was not done. */
export function sendNotDone(
  response: Response,
  { status, reason }: { readonly status: number; readonly reason: string },
): void {
  sendPage(response.status(status), notDonePage(reason, rootOf(response.req)));
}
