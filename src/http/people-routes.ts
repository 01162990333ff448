import { Router } from "express";
import { isId, personId } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
import { passwordUse } from "../people/password-use.ts";
import type { People } from "../people/people.ts";
import type { Store } from "../store/store.ts";
import { conflict, notFound, sendJson, sendProblem } from "./problem-json.ts";

export interface PeopleRoutesDeps {
  readonly people: People;
  readonly store: Pick<Store, "appPasswords" | "editSearch" | "logIns">;
  /** Address under which calendars reach this server, without a slash at the end. */
  readonly baseUrl: () => string;
}

/** `/api/people`: who there is, and the app passwords of their calendar programs. */
export function peopleRoutes({ people, store, baseUrl }: PeopleRoutesDeps): Router {
  const router = Router();
  router.get("/api/people", (_request, response) => {
    sendJson(response, { people: people.list() });
  });

  router.get("/api/people/:id/password", (request, response) => {
    const { id } = request.params;
    const person = isId(Number(id)) ? people.get(personId(Number(id))) : null;
    if (person) sendJson(response, passwordUse(person.id, store));
    else sendProblem(response, notFound(`there is no person ${id}`));
  });

  router.post("/api/people/:id/password", (request, response) => {
    const { id } = request.params;
    const given = isId(Number(id)) ? people.setPassword(personId(Number(id))) : null;
    switch (given?.kind) {
      case "set":
        response.set("Cache-Control", "no-store");
        sendJson(response, { ...given.person, password: given.password, url: `${baseUrl()}/dav/` });
        return;
      case "refused":
        sendProblem(response, conflict(given.reason));
        return;
      case "unknown":
      case undefined:
        sendProblem(response, notFound(`there is no person ${id}`));
        return;
      default:
        unreachable(given);
    }
  });

  router.delete("/api/people/:id/password", (request, response) => {
    const { id } = request.params;
    if (isId(Number(id)) && people.clearPassword(personId(Number(id)))) response.status(204).end();
    else sendProblem(response, notFound(`person ${id} has no app password`));
  });
  return router;
}
