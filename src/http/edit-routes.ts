import { json, type Request, type Response, Router, raw } from "express";
import {
  isId,
  type ListId,
  listId,
  type PersonId,
  type ProjectId,
  personId,
  projectId,
} from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import { fail, ok, type Result, unreachable } from "../domain/result.ts";
import type { Decision, EditActions } from "../edits/actions/edit-actions.ts";
import type { Acceptance } from "../edits/intake/accept.ts";
import { readBasic } from "../people/passwords.ts";
import type { Rights } from "../people/rights.ts";
import type { AdminAuth } from "./admin-auth.ts";
import { refuseUnread } from "./continue.ts";
import type { PersonLogin } from "./person-login.ts";
import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  type Problem,
  sendJson,
  sendProblem,
} from "./problem-json.ts";
import { queryText } from "./request-query.ts";

export interface EditRoutesDeps {
  readonly auth: AdminAuth;
  readonly editActions: EditActions;
  readonly login: PersonLogin;
  readonly rights: Rights;
}

/** A little over what the reader takes, so that it is the reader who says what is too large. */
const bodyLimit = 6_000_000;
const acts = ["approve", "discard"] as const;

/**
 * `/api/edits`: ICS in, the plan or what was accepted out; the journal, and what a person can do with its entries. The
 * admin token may do it all; a person with an app password may hand in edits and look at the own ones.
 */
export function editRoutes({ auth, editActions, login, rights }: EditRoutesDeps): Router {
  const router = Router();
  const senders = new WeakMap<Request, Person>();
  router.use("/api/edits", async (request, response, next) => {
    const credentials = readBasic(request.headers.authorization);
    if (!credentials) return auth.requireToken(request, response, next);
    const person = await login(credentials, { request, response });
    if (!person) return;
    senders.set(request, person);
    if (isForPeople(request)) next();
    else sendProblem(response, forbidden("this needs the admin token as Bearer"));
  });

  const body = [refuseUnread(bodyLimit), raw({ type: () => true, limit: bodyLimit })];
  router.post("/api/edits", body, (request: Request, response: Response) => {
    const target = readTarget(request);
    if (typeof target === "string") {
      sendProblem(response, badRequest(target));
      return;
    }
    const sent: unknown = request.body;
    const bytes = sent instanceof Uint8Array ? sent : new Uint8Array();
    const sender = senders.get(request)?.id ?? null;
    const refusal = sender && refusalOf(sender, target);
    if (refusal) sendProblem(response, forbidden(refusal));
    else {
      const actor = sender ?? target.actor;
      const hides = (uid: string) => sender !== null && !rights.mayLookAt(sender, uid);
      const acceptance = editActions.accept({ bytes, channel: "upload", ...target, actor, hides });
      sendAcceptance(response, acceptance, target.dryRun);
    }
  });

  function refusalOf(sender: PersonId, { actor, ...destination }: Target): string | null {
    if (actor !== null && actor !== sender) {
      return `person ${sender} cannot hand in edits for person ${actor}`;
    }
    return rights.refusal(sender, destination);
  }

  router.get("/api/edits", (request, response) => {
    const state = queryText(request, "state");
    const listed = editActions.list({ state, limit: 500 });
    if (!listed) sendProblem(response, badRequest(`state: "${state}" is no state of an edit`));
    else sendJson(response, { edits: listed });
  });

  router.get("/api/edits/:id", (request, response) => {
    const edit = editActions.show(Number(request.params.id));
    const viewer = senders.get(request)?.id;
    const isOpen =
      viewer === undefined || (viewer === edit?.actor && rights.mayLookAt(viewer, edit.item.uid));
    if (edit && isOpen) sendJson(response, edit);
    else sendProblem(response, notFound(`there is no edit ${request.params.id}`));
  });

  for (const act of acts) {
    router.post(`/api/edits/:id/${act}`, (request, response) => {
      const { id } = request.params;
      sendDecision(response, { id, decision: editActions[act](Number(id)) });
    });
  }

  router.post("/api/edits/:id/retry", json(), (request, response) => {
    const { id } = request.params;
    const seen = readSeen(request);
    if (seen.ok)
      sendDecision(response, { id, decision: editActions.retry(Number(id), seen.value) });
    else sendProblem(response, badRequest(seen.failure));
  });

  router.post("/api/edits/:id/undo", (request, response) => {
    const { id } = request.params;
    const actor = readPerson(request);
    if (typeof actor === "string") sendProblem(response, badRequest(actor));
    else {
      const decision = editActions.undo(Number(id), { channel: "upload", actor });
      sendDecision(response, { id, decision });
    }
  });
  return router;
}

/** Handing in, and looking at one edit. */
const isForPeople = ({ method, path }: Request): boolean =>
  (method === "POST" && path === "/") || (method === "GET" && /^\/\d+\/?$/.test(path));

function sendDecision(
  response: Response,
  { id, decision }: { readonly id: string; readonly decision: Decision },
): void {
  switch (decision.kind) {
    case "done":
      sendJson(response, decision.edit);
      return;
    case "overwrites":
      sendProblem(response, overwriteProblem(decision));
      return;
    case "unknown":
      sendProblem(response, notFound(`there is no edit ${id}`));
      return;
    case "refused":
      sendProblem(response, conflict(decision.reason));
      return;
    default:
      unreachable(decision);
  }
}

/** Says what would be overwritten, and how to say that it may be. */
function overwriteProblem({ edit, version }: Extract<Decision, { kind: "overwrites" }>): Problem {
  const path = `/api/edits/${edit.id}`;
  return {
    status: 409,
    title: "It would overwrite what somebody else has changed",
    detail: `${edit.problem ?? "somebody else has changed the same"}. To overwrite what is shown here: POST ${path}/retry?version=${version}; to keep it: POST ${path}/discard`,
    more: { version, conflicts: edit.conflicts, words: edit.words.conflicts },
  };
}

/**
 * Which version of the workspace the person has seen who wants to overwrite it, in the query or in a JSON body: `version`, or
 * `force` = true for whichever; null where neither is given. Fails with a sentence.
 */
function readSeen(request: Request): Result<string | null, string> {
  const body: { readonly version?: unknown; readonly force?: unknown } = Object(request.body);
  const version = request.query["version"] ?? body.version ?? null;
  const force = request.query["force"] ?? body.force ?? false;
  if (version !== null && typeof version !== "string") return fail("version: it must be one text");
  if (!["true", "false", true, false].some((known) => known === force)) {
    return fail("force: it must be true or false");
  }
  return ok(version ?? (force === true || force === "true" ? "any" : null));
}

/** 200 plan · 202 accepted, also in part · 422 when nothing could be accepted. */
function sendAcceptance(response: Response, acceptance: Acceptance, dryRun: boolean): void {
  switch (acceptance.kind) {
    case "refused": {
      const tooLarge = acceptance.errors.some(({ code }) => code === "too-large");
      sendProblem(response, {
        status: tooLarge ? 413 : 422,
        title: "The calendar file was refused",
        detail: describe(acceptance.errors),
        more: { errors: acceptance.errors },
      });
      return;
    }
    case "plan": {
      const { items, summary, errors } = acceptance;
      const wanted = items.filter(({ action }) => action !== "refused" && action !== "unchanged");
      if (dryRun) sendJson(response, { items, summary, errors });
      else if (wanted.length > 0 || errors.length === 0) {
        sendJson(response.status(202), { items, summary, errors });
      } else {
        sendProblem(response, {
          status: 422,
          title: "Nothing could be accepted",
          detail: describe(errors),
          more: { errors, items, summary },
        });
      }
      return;
    }
    default:
      unreachable(acceptance);
  }
}

function describe(
  errors: readonly { readonly line: number | null; readonly message: string }[],
): string {
  const [first] = errors;
  if (!first) return "the file holds nothing that could be applied";
  const where = first.line === null ? "" : `line ${first.line}: `;
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return `${where}${first.message}${others}`;
}

interface Target {
  readonly projectId: ProjectId;
  readonly listId: ListId | null;
  readonly actor: PersonId | null;
  readonly dryRun: boolean;
}

function readTarget(request: Request): Target | string {
  const project = Number(queryText(request, "project"));
  if (!isId(project)) return "project: the id of the project is needed, e.g. ?project=2001";
  const list = queryText(request, "list");
  if (list !== undefined && !isId(Number(list))) return `list: "${list}" is no id`;
  const actor = readPerson(request);
  if (typeof actor === "string") return actor;
  const dryRun = queryText(request, "dryRun") ?? "false";
  if (dryRun !== "true" && dryRun !== "false")
    return `dryRun: "${dryRun}" is neither true nor false`;
  return {
    projectId: projectId(project),
    listId: list === undefined ? null : listId(Number(list)),
    actor,
    dryRun: dryRun === "true",
  };
}

/** The person on whose behalf the request is; a sentence when it names none that can be. */
function readPerson(request: Request): PersonId | string | null {
  const person = queryText(request, "person");
  if (person === undefined) return null;
  return isId(Number(person)) ? personId(Number(person)) : `person: "${person}" is no id`;
}
