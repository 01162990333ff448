import { type Request, type Response, Router } from "express";
import { appleProfile, profileType, profileUuid } from "../calendars/apple-profile.ts";
import { isId, personId } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
import { passwordUse } from "../people/password-use.ts";
import type { NewPassword, People } from "../people/people.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import { isConfirmed } from "./confirmed.ts";
import { formGuard } from "./form-guard.ts";
import { endPasswordQuestion } from "./pages/confirm-questions.ts";
import { notDonePage, passwordPage } from "./pages/people-pages.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { Viewers } from "./viewer.ts";

export interface FormRoutesDeps {
  readonly viewers: Viewers;
  /** Permanent id of this database. */
  readonly installation: string;
  readonly people: People;
  readonly store: Pick<Store, "appPasswords" | "editSearch" | "logIns">;
  readonly baseUrl: () => string;
}

/** App passwords, and profiles for Apple's programs. */
export function formRoutes(deps: FormRoutesDeps): Router {
  const { viewers, people, baseUrl } = deps;
  const router = Router();
  router.post(["/people/:id/password", "/people/:id/password/clear"], ...formGuard(viewers));

  router.post("/people/:id/password", (request, response) => {
    const { id } = request.params;
    if (!mayEnd(request, response, { isNew: true })) return;
    const given: NewPassword = isId(Number(id))
      ? people.setPassword(personId(Number(id)))
      : { kind: "unknown" };
    switch (given.kind) {
      case "set":
        sendPage(response, passwordPage({ ...given, baseUrl: baseUrl() }));
        return;
      case "unknown":
        notDone(response, { status: 404, reason: say("pageFault.noPerson", { id }) });
        return;
      case "refused":
        notDone(response, { status: 409, reason: given.reason });
        return;
      default:
        unreachable(given);
    }
  });

  router.post("/people/:id/password/clear", (request, response) => {
    const { id } = request.params;
    if (!mayEnd(request, response, { isNew: false })) return;
    if (isId(Number(id)) && people.clearPassword(personId(Number(id)))) {
      response.redirect(303, `${rootOf(request)}people#person-${id}`);
    } else notDone(response, { status: 404, reason: `Person ${id} has no app password.` });
  });

  /** True if the person's password, if any, may be replaced or removed. */
  function mayEnd(
    request: Request<{ id: string }>,
    response: Response,
    { isNew }: { readonly isNew: boolean },
  ): boolean {
    const { id } = request.params;
    const person = isId(Number(id)) ? people.get(personId(Number(id))) : null;
    if (!person?.hasPassword) return true;
    const asking = {
      ...{ zone: viewers.viewerOf(request).zone, isNew, isOwn: false },
      use: passwordUse(person.id, deps.store),
      back: `${rootOf(request)}people#person-${person.id}`,
    };
    return isConfirmed(request, response, () => endPasswordQuestion(person, asking));
  }

  router.get("/people/:id/dayferry.mobileconfig", (request, response) => {
    const { id } = request.params;
    const viewer = viewers.viewerOf(request);
    const isTheirs = viewer.kind === "admin" || String(viewer.person) === id;
    const person = isId(Number(id)) && isTheirs ? people.get(personId(Number(id))) : null;
    if (!person) {
      notDone(response, { status: 404, reason: say("pageFault.noPerson", { id }) });
      return;
    }
    const profile = appleProfile({
      url: `${baseUrl()}/dav/`,
      person,
      login: person.login,
      description: `Dayferry (${person.name})`,
      uuid: profileUuid(deps.installation, person.id),
    });
    response
      .set("Cache-Control", "no-store")
      .set("Content-Disposition", 'attachment; filename="dayferry.mobileconfig"')
      .type(profileType)
      .send(profile);
  });
  return router;
}

function notDone(
  response: Response,
  { status, reason }: { readonly status: number; readonly reason: string },
): void {
  response.status(status);
  sendPage(response, notDonePage(reason, rootOf(response.req)));
}
