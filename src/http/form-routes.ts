import { type Response, Router } from "express";
import { appleProfile, profileType, profileUuid } from "../calendars/apple-profile.ts";
import { isId, personId } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
import type { Decision, EditActions } from "../edits/actions/edit-actions.ts";
import type { NewPassword, People } from "../people/people.ts";
import type { AdminAuth } from "./admin-auth.ts";
import { formField, formGuard } from "./form-guard.ts";
import { overwritePage } from "./pages/edit-pages.ts";
import { notDonePage, passwordPage } from "./pages/people-pages.ts";
import { rootOf, sendPage } from "./send-page.ts";

export interface FormRoutesDeps {
  readonly auth: AdminAuth;
  /** Of this database, for life. */
  readonly installation: string;
  readonly editActions: EditActions;
  readonly people: People;
  readonly baseUrl: () => string;
}

/** What the start page's buttons and links do: decisions about waiting edits, app passwords, profiles for Apple's programs. */
export function formRoutes(deps: FormRoutesDeps): Router {
  const { auth, editActions, people, baseUrl } = deps;
  const router = Router();
  router.post(
    ["/edits/:id/:act", "/people/:id/password", "/people/:id/password/clear"],
    ...formGuard(auth),
  );

  for (const act of ["approve", "discard"] as const) {
    router.post(`/edits/:id/${act}`, (request, response) => {
      const { id } = request.params;
      const formToken = auth.formToken(request);
      afterDecision(response, { id, decision: editActions[act](Number(id)), formToken });
    });
  }

  router.post("/edits/:id/retry", (request, response) => {
    const { id } = request.params;
    const seen = formField(request.body, "version");
    const decision = editActions.retry(Number(id), /^[0-9a-f]+$/.test(seen) ? seen : null);
    const formToken = auth.formToken(request);
    afterDecision(response, { id, decision, formToken, isAgain: seen !== "" });
  });

  // Somebody who loads the page again that asks whether to overwrite.
  router.get("/edits/:id/:act", (request, response) => {
    response.redirect(303, `${rootOf(request)}#waiting`);
  });

  router.post("/people/:id/password", (request, response) => {
    const { id } = request.params;
    const given: NewPassword = isId(Number(id))
      ? people.setPassword(personId(Number(id)))
      : { kind: "unknown" };
    switch (given.kind) {
      case "set":
        sendPage(response, passwordPage({ ...given, baseUrl: baseUrl() }));
        return;
      case "unknown":
        notDone(response, { status: 404, reason: `There is no person ${id}.` });
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
    if (isId(Number(id)) && people.clearPassword(personId(Number(id)))) {
      response.redirect(303, `${rootOf(request)}#people`);
    } else notDone(response, { status: 404, reason: `Person ${id} has no app password.` });
  });

  router.get("/people/:id/dayferry.mobileconfig", (request, response) => {
    if (!auth.hasSession(request)) {
      response.redirect(303, rootOf(request));
      return;
    }
    const { id } = request.params;
    const person = isId(Number(id)) ? people.get(personId(Number(id))) : null;
    if (!person) {
      notDone(response, { status: 404, reason: `There is no person ${id}.` });
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

function afterDecision(
  response: Response,
  {
    id,
    decision,
    formToken,
    isAgain = false,
  }: {
    readonly id: string;
    readonly decision: Decision;
    readonly formToken: string;
    /** Whether the person has agreed to overwrite something already, which is not there any more. */
    readonly isAgain?: boolean;
  },
): void {
  switch (decision.kind) {
    case "overwrites":
      response.status(409);
      sendPage(response, overwritePage(decision, { formToken, isAgain }));
      return;
    case "done":
      response.redirect(303, `${rootOf(response.req)}#waiting`);
      return;
    case "unknown":
      notDone(response, { status: 404, reason: `There is no edit ${id}.` });
      return;
    case "refused":
      notDone(response, { status: 409, reason: decision.reason });
      return;
    default:
      unreachable(decision);
  }
}

function notDone(
  response: Response,
  { status, reason }: { readonly status: number; readonly reason: string },
): void {
  response.status(status);
  sendPage(response, notDonePage(reason, rootOf(response.req)));
}
