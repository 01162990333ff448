import { type Response, Router } from "express";
import { appleProfile, profileType, profileUuid } from "../calendars/apple-profile.ts";
import { isId, personId } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
import { passwordUse } from "../people/password-use.ts";
import { say } from "../texts/say.ts";
import { isConfirmed } from "./confirmed.ts";
import { formGuard } from "./form-guard.ts";
import { endPasswordQuestion } from "./pages/confirm-questions.ts";
import { passwordPage } from "./pages/people-pages.ts";
import { type PersonPlace, personPlaceOf, sendNotDone } from "./person-place.ts";
import { redirectTo, sendPage } from "./send-page.ts";
import { frameOf } from "./viewer.ts";
import type { WebContext } from "./web-context.ts";

/** App passwords at `/me/password` and, for the admin, `/people/ID/password`; and profiles for Apple's programs. */
export function passwordRoutes(context: WebContext): Router {
  const { viewers, people, store, baseUrl } = context;
  const router = Router();
  const places = ["/me/password", "/people/:id/password"];
  const ends = places.map((place) => `${place}/clear`);
  router.post([...places, ...ends], ...formGuard(viewers));

  router.post(places, (_request, response: Response) => {
    const place = personPlaceOf(response, context);
    if (!place || !mayEnd(response, place, true)) return;
    const given = people.setPassword(place.person.id, sessionToKeep(response, place));
    switch (given.kind) {
      case "set":
        sendPage(
          response,
          passwordPage({ ...given, ...place, ...frameOf(response, viewers) }, baseUrl()),
        );
        return;
      case "unknown":
        sendNotDone(response, { status: 404, reason: say("pageFault.noSuchPerson") });
        return;
      case "refused":
        sendNotDone(response, { status: 409, reason: given.reason });
        return;
      default:
        unreachable(given);
    }
  });

  router.post(ends, (_request, response: Response) => {
    const place = personPlaceOf(response, context);
    if (!place || !mayEnd(response, place, false)) return;
    const { id } = place.person;
    if (people.clearPassword(id, sessionToKeep(response, place)) || place.isOwn) {
      redirectTo(response, backTo(place));
    } else sendNotDone(response, { status: 404, reason: say("operationFault.noPassword", { id }) });
  });

  /** The browser in which people replace their own password stays signed in. */
  const sessionToKeep = ({ req }: Response, { isOwn }: PersonPlace): number | undefined =>
    isOwn ? viewers.sessionOf(req)?.id : undefined;

  const backTo = ({ person, isOwn }: PersonPlace): string =>
    isOwn ? "me#password" : `people#person-${person.id}`;

  /** True if the person's password, if any, may be replaced or removed. */
  function mayEnd(response: Response, place: PersonPlace, isNew: boolean): boolean {
    const { person, isOwn } = place;
    if (!person.hasPassword) return true;
    const { root, zone } = frameOf(response, viewers);
    const use = passwordUse(person.id, store);
    const asking = { zone, isNew, isOwn, use, back: `${root}${backTo(place)}` };
    return isConfirmed(response, () => endPasswordQuestion(person, asking));
  }

  router.get("/people/:id/dayferry.mobileconfig", (request, response) => {
    const { id } = request.params;
    const viewer = viewers.viewerOf(request);
    const isTheirs = viewer.kind === "admin" || String(viewer.person) === id;
    const person = isId(Number(id)) && isTheirs ? people.get(personId(Number(id))) : null;
    if (!person) {
      sendNotDone(response, { status: 404, reason: say("pageFault.noPerson", { id }) });
      return;
    }
    const profile = appleProfile({
      url: `${baseUrl()}/dav/`,
      person,
      login: person.login,
      description: `Dayferry (${person.name})`,
      uuid: profileUuid(store.meta.installation, person.id),
    });
    response
      .set("Cache-Control", "no-store")
      .set("Content-Disposition", 'attachment; filename="dayferry.mobileconfig"')
      .type(profileType)
      .send(profile);
  });
  return router;
}
