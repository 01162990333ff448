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
import { fail, ok, type Result, unreachable } from "../domain/result.ts";
import type { EditDescription } from "../edits/actions/describe.ts";
import type { Decision, EditActions, FoundEdit } from "../edits/actions/edit-actions.ts";
import type { EditQuery } from "../edits/actions/edit-query.ts";
import type { AcceptFile } from "../edits/intake/accept.ts";
import { type Acceptance, countEdits } from "../edits/intake/plan-answer.ts";
import type { Rights } from "../people/rights.ts";
import type { Turns } from "../turns.ts";
import { refuseUnread } from "./continue.ts";
import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  type Problem,
  sendJson,
  sendProblem,
} from "./problem-json.ts";
import { readDecision, readUndoChoices } from "./read-decision.ts";
import { queryText } from "./request-query.ts";
import type { Viewers } from "./viewer.ts";

export interface EditRoutesDeps {
  readonly viewers: Pick<Viewers, "viewerOf">;
  readonly editActions: EditActions;
  readonly acceptFile: AcceptFile;
  readonly rights: Rights;
  readonly turns: Turns;
}

/** A little over what the reader takes, so that it is the reader who says what is too large. */
const bodyLimit = 6_000_000;
/** They take some ten milliseconds. */
const describedAtOnce = 100;
const acts = ["approve", "discard"] as const;

/**
 * `/api/edits`: ICS in, the plan or what was accepted out; the journal, and what a person can do with its entries. The
 * admin token may do it all; a person with an app password may hand in edits and look at the own ones.
 */
export function editRoutes({
  viewers,
  editActions,
  acceptFile,
  rights,
  turns,
}: EditRoutesDeps): Router {
  const router = Router();
  const senderOf = (request: Request): PersonId | null => {
    const viewer = viewers.viewerOf(request);
    return viewer.kind === "person" ? viewer.person : null;
  };

  /** Whether the sender may look at an edit, and decide about it: the admin may, and whose it is. */
  const isOpenTo = (request: Request, edit: Pick<FoundEdit, "actor" | "item">): boolean => {
    const viewer = senderOf(request);
    return viewer === null || (viewer === edit.actor && rights.mayLookAt(viewer, edit.item.uid));
  };
  const deciderOf = (request: Request) =>
    ({
      channel: "upload",
      actor: senderOf(request),
      program: request.get("user-agent"),
    }) as const;
  const zoneOf = (request: Request) => viewers.viewerOf(request).zone;

  const body = [refuseUnread(bodyLimit), raw({ type: () => true, limit: bodyLimit })];
  router.post("/api/edits", body, async (request: Request, response: Response) => {
    const target = readTarget(request);
    if (typeof target === "string") {
      sendProblem(response, badRequest(target));
      return;
    }
    const sent: unknown = request.body;
    const bytes = sent instanceof Uint8Array ? sent : new Uint8Array();
    const sender = senderOf(request);
    const refusal = sender && refusalOf(sender, target);
    if (refusal) sendProblem(response, forbidden(refusal));
    else {
      const actor = sender ?? target.actor;
      const program = request.get("user-agent");
      const hides = (uid: string) => sender !== null && !rights.mayLookAt(sender, uid);
      const acceptance = await acceptFile({
        bytes,
        channel: "upload",
        ...target,
        actor,
        program,
        hides,
      });
      sendAcceptance(response, acceptance, target.dryRun);
    }
  });

  function refusalOf(sender: PersonId, { actor, ...destination }: Target): string | null {
    if (actor !== null && actor !== sender) {
      return `person ${sender} cannot hand in edits for person ${actor}`;
    }
    return rights.refusal(sender, destination);
  }

  router.get("/api/edits", async (request, response) => {
    const sender = senderOf(request);
    const limit = readLimit(request);
    if (typeof limit === "string") {
      sendProblem(response, badRequest(limit));
      return;
    }
    const asked = queryOf(request);
    const query = sender === null ? asked : { ...asked, person: String(sender) };
    const found = editActions.find(query, { limit, viewer: viewers.viewerOf(request) });
    if (!found.ok) {
      sendProblem(response, badRequest(found.failure));
      return;
    }
    const edits: EditDescription[] = [];
    for (const edit of found.value.filter((each) => isOpenTo(request, each))) {
      edits.push(edit.describe());
      if (edits.length % describedAtOnce === 0) await turns.share();
    }
    sendJson(response, { edits });
  });

  // What is not for the sender's eyes is answered like what there is not, before anything else of the request is looked at.
  router.use("/api/edits/:id", (request, response, next) => {
    const edit = editActions.show(Number(request.params.id));
    if (edit && isOpenTo(request, edit)) next();
    else sendProblem(response, notFound(`there is no edit ${request.params.id}`));
  });

  router.get("/api/edits/:id", (request, response) => {
    const edit = editActions.show(Number(request.params.id), zoneOf(request));
    if (edit) sendJson(response, edit);
    else sendProblem(response, notFound(`there is no edit ${request.params.id}`));
  });

  router.get("/api/edits/:id/undo", (request, response) => {
    const preview = editActions.undoPreview(Number(request.params.id), zoneOf(request));
    if (preview) sendJson(response, preview);
    else sendProblem(response, notFound(`there is no edit ${request.params.id}`));
  });

  router.post("/api/edits/:id/resolve", json(), (request, response) => {
    const { id } = request.params;
    const read = readDecision(request.body);
    if (!read.ok) {
      sendProblem(response, badRequest(read.failure));
      return;
    }
    const by = deciderOf(request);
    const decision = editActions.resolve(Number(id), { ...read.value, by, zone: zoneOf(request) });
    sendDecision(response, { id, decision });
  });

  for (const act of acts) {
    router.post(`/api/edits/:id/${act}`, (request, response) => {
      const { id } = request.params;
      sendDecision(response, { id, decision: editActions[act](Number(id), deciderOf(request)) });
    });
  }

  router.post("/api/edits/:id/retry", json(), (request, response) => {
    const { id } = request.params;
    const seen = readSeen(request);
    if (seen.ok)
      sendDecision(response, {
        id,
        decision: editActions.retry(Number(id), seen.value, deciderOf(request)),
      });
    else sendProblem(response, badRequest(seen.failure));
  });

  router.post("/api/edits/:id/undo", json(), (request, response) => {
    const { id } = request.params;
    const actor = senderOf(request) ?? readPerson(request);
    const seen = readSeen(request);
    const choices = readUndoChoices(request.body);
    if (typeof actor === "string") sendProblem(response, badRequest(actor));
    else if (!seen.ok) sendProblem(response, badRequest(seen.failure));
    else if (!choices.ok) sendProblem(response, badRequest(choices.failure));
    else {
      const by = { ...deciderOf(request), actor, choices: choices.value };
      sendDecision(response, { id, decision: editActions.undo(Number(id), by, seen.value) });
    }
  });
  return router;
}

function queryOf(request: Request): EditQuery {
  const [state, person, project] = ["state", "person", "project"].map((name) =>
    queryText(request, name),
  );
  const [channel, item, since, before] = ["channel", "item", "since", "before"].map((name) =>
    queryText(request, name),
  );
  return { state, person, project, channel, item, since, before };
}

const mostListed = 500;

function readLimit(request: Request): number | string {
  const limit = queryText(request, "limit");
  if (limit === undefined) return mostListed;
  const count = Number(limit);
  if (Number.isInteger(count) && count > 0 && count <= mostListed) return count;
  return `limit: "${limit}" is no number from 1 to ${mostListed}`;
}

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
    case "preview":
      sendJson(response, decision.preview);
      return;
    case "unclear":
      sendProblem(response, badRequest(decision.reason));
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
  const { conflicts, words, choice } = edit;
  return choice
    ? {
        status: 409,
        title: "It would overwrite what somebody else has changed",
        detail: `${edit.problem ?? "somebody else has changed the same"}. Decide about what is shown here: POST ${path}/resolve with {"version": "${version}", "keep": "mine" or "theirs"}, or field by field`,
        more: { version, conflicts, words: words.conflicts, choice },
      }
    : {
        status: 409,
        title: "It has changed since it was looked at",
        detail: `what the undo would put back is another by now: GET ${path}/undo shows it, as version ${version}`,
        more: { version },
      };
}

/**
 * Which version of the workspace the person has seen who wants to overwrite it, in the query or in a JSON body; null where none
 * is given. Fails with a sentence.
 */
function readSeen(request: Request): Result<string | null, string> {
  const body: { readonly version?: unknown; readonly force?: unknown } = Object(request.body);
  const version = request.query["version"] ?? body.version ?? null;
  if ((request.query["force"] ?? body.force) !== undefined) {
    return fail("force: nothing is overwritten unseen; name the version that was looked at");
  }
  return version === null || typeof version === "string"
    ? ok(version)
    : fail("version: it must be one text");
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
      const { kind: _, ...plan } = acceptance;
      const { errors } = plan;
      if (dryRun) sendJson(response, plan);
      else if (countEdits(plan) > 0 || errors.length === 0) sendJson(response.status(202), plan);
      else {
        sendProblem(response, {
          status: 422,
          title: "Nothing could be accepted",
          detail: describe(errors),
          more: plan,
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
