import { type Request, type Response, Router, urlencoded } from "express";
import type { Decider } from "../domain/edit.ts";
import { isId, listId, projectId } from "../domain/ids.ts";
import { type PatchField, patchFields } from "../domain/patch.ts";
import { unreachable } from "../domain/result.ts";
import type { Viewer } from "../domain/visibility.ts";
import type { FieldPick, Picks } from "../edits/actions/choice.ts";
import type { EditStory } from "../edits/actions/describe.ts";
import type { Decision } from "../edits/actions/edit-actions.ts";
import type { EditQuery } from "../edits/actions/edit-query.ts";
import type { UndoChoices } from "../edits/actions/undo.ts";
import { callerPerson } from "../operations/operation.ts";
import type { Rights } from "../people/rights.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import { isConfirmed } from "./confirmed.ts";
import { formField, formGuard } from "./form-guard.ts";
import type { ConfirmQuestion } from "./pages/confirm-page.ts";
import {
  approveDeletionQuestion,
  discardQuestion,
  removalsQuestion,
} from "./pages/confirm-questions.ts";
import type { HeldRemovals } from "./pages/edit-list-page.ts";
import { conflict, forbidden, notFound, sendProblem } from "./problem-json.ts";
import { multipartReader, type SentFile, sentFile } from "./read-multipart.ts";
import { queryText } from "./request-query.ts";
import { redirectTo, rootOf, sendPage } from "./send-page.ts";
import type { Viewers } from "./viewer.ts";
import { frameOf } from "./viewer.ts";
import type { WebContext } from "./web-context.ts";

interface EditPageContext
  extends Pick<WebContext, "editActions" | "acceptFile" | "rights" | "store"> {
  readonly viewers: Pick<Viewers, "find" | "viewerOf" | "formToken">;
}

/** Pages are loaded on first use. */
const listPage = () => import("./pages/edit-list-page.ts");
const onePage = () => import("./pages/edit-page.ts");
const filePage = () => import("./pages/edit-file-page.ts");

const pageSize = 40;
/** Larger files need the command line, because the form sends the file to the browser and back. */
const fileLimit = 1_500_000;
/** Texts that a person has combined. */
const textLimit = 500_000;

/**
 * The pages about edits: the list, one edit with its history, choices with a preview, undo, and calendar files. People see and
 * decide about their own edits, the admin about all.
 */
export function editPageRoutes(context: EditPageContext): Router {
  const { viewers, editActions, acceptFile, rights, store } = context;
  const guard = formGuard(viewers);
  const router = Router();
  router.get("/edits", async (request, response) => {
    const { editListPage } = await listPage();
    const viewer = viewers.viewerOf(request);
    const given = queryOf(request);
    const asked = viewer.kind === "person" ? { ...given, person: undefined } : given;
    const query = viewer.kind === "person" ? { ...asked, person: String(viewer.person) } : asked;
    const found = editActions.search(query, { limit: pageSize + 1, viewer });
    const all = found.ok ? found.value : [];
    const edits = all.slice(0, pageSize).filter((edit) => isOpenTo(viewer, edit));
    const last = all[pageSize - 1];
    const page = editListPage({
      edits,
      query: asked,
      problem: found.ok ? null : found.failure,
      olderThan: all.length > pageSize && last ? last.id : null,
      people: viewer.kind === "admin" ? peopleOf(store) : [],
      projects: placesFor(viewer).projects.map(({ id, title }) => ({ id, name: title })),
      removals: viewer.kind === "admin" ? removalsOf(store) : [],
      ...frameOf(response, viewers),
    });
    if (!found.ok) response.status(400);
    sendPage(response, page);
  });

  router.post("/edits/removals/release", [...guard], (request: Request, response: Response) => {
    const source = formField(request.body, "source");
    if (viewers.viewerOf(request).kind !== "admin") {
      sendProblem(response, forbidden(say("pageFault.release")));
      return;
    }
    const held = removalsOf(store).find((one) => one.source === source);
    const question = (removals: HeldRemovals) => () =>
      removalsQuestion(removals, `${rootOf(request)}edits`);
    if (held && !isConfirmed(response, question(held))) return;
    if (store.brakes.release(source)) redirectTo(response, "edits");
    else sendProblem(response, notFound(say("pageFault.noRemovals", { source })));
  });

  const fileForm = [...multipartReader(fileLimit * 1.4), ...guard];
  router.get("/edits/file", async (_request, response) => {
    sendPage(response, (await filePage()).fileFormPage(fileOptions(response)));
  });
  router.post("/edits/file", fileForm, async (_request: Request, response: Response) => {
    const { fileFormPage } = await filePage();
    const file = sentFile(response, "file");
    if (!file || file.content.length > fileLimit) {
      const problem = file ? say("pageFault.fileTooLarge") : say("pageFault.noFile");
      sendPage(response.status(400), fileFormPage({ ...fileOptions(response), problem }));
      return;
    }
    await planFile(response, file, true);
  });
  router.post("/edits/file/apply", fileForm, async (request: Request, response: Response) => {
    const content = Buffer.from(formField(request.body, "content"), "base64");
    await planFile(response, { name: formField(request.body, "name"), content }, false);
  });
  router.get("/edits/file/apply", (_request, response) => redirectTo(response, "edits/file"));

  const fileOptions = (response: Response) => ({
    places: placesFor(viewers.viewerOf(response.req)),
    ...frameOf(response, viewers),
    project: formField(response.req.body, "project"),
    list: formField(response.req.body, "list"),
  });

  /** Where a person may add items; the admin anywhere. */
  function placesFor(viewer: Viewer) {
    const { directory } = store;
    const may = (place: Parameters<Rights["refusal"]>[1]) =>
      viewer.kind === "admin" || rights.refusal(viewer.person, place) === null;
    const projects = directory
      .projects()
      .filter(({ id, archived }) => !archived && may({ projectId: id, listId: null }));
    const lists = projects.flatMap(({ id, title: project }) =>
      directory
        .todolistsOf(id)
        .filter((list) => !list.archived && may({ projectId: id, listId: list.id }))
        .map((list) => ({ id: list.id, title: list.title, project })),
    );
    return { projects: projects.map(({ id, title }) => ({ id, title })), lists };
  }

  async function planFile(
    response: Response,
    { name, content }: SentFile,
    dryRun: boolean,
  ): Promise<void> {
    const { fileFormPage, filePlanPage } = await filePage();
    const options = fileOptions(response);
    const { project, list } = options;
    const place = {
      projectId: isId(Number(project)) ? projectId(Number(project)) : null,
      listId: isId(Number(list)) ? listId(Number(list)) : null,
    };
    if (place.projectId === null) {
      const problem = say("pageFault.noProject");
      sendPage(response.status(400), fileFormPage({ ...options, problem }));
      return;
    }
    const actor = callerPerson({ viewer: viewers.viewerOf(response.req) });
    const refusal = actor && rights.refusal(actor, { ...place, projectId: place.projectId });
    if (refusal) {
      sendProblem(response, forbidden(refusal));
      return;
    }
    const hides = (uid: string) => actor !== null && !rights.mayLookAt(actor, uid);
    const common = { bytes: content, channel: "dashboard", actor, hides, dryRun } as const;
    const acceptance = await acceptFile({ ...common, ...place });
    const carried = { project, list, name, content: content.toString("base64") };
    if (acceptance.kind === "refused") response.status(422);
    const plan = { name, acceptance, carried: dryRun ? carried : null };
    sendPage(response, filePlanPage(plan, options));
  }

  const isOpenTo = (viewer: Viewer, edit: Pick<EditStory, "actor" | "item">): boolean =>
    viewer.kind === "admin" ||
    (edit.actor === viewer.person && rights.mayLookAt(viewer.person, edit.item.uid));

  /** The edit in a URL. Edits the viewer cannot see are answered with 404. */
  function editOf(response: Response): EditStory | null {
    const viewer = viewers.viewerOf(response.req);
    const { id } = response.req.params;
    const edit = editActions.show(Number(id), viewer.zone);
    if (edit && isOpenTo(viewer, edit)) return edit;
    sendProblem(response, notFound(say("pageFault.noEdit", { id: String(id) })));
    return null;
  }

  async function sendEdit(
    response: Response,
    edit: EditStory,
    news: { readonly isAnew?: boolean; readonly problem?: string } = {},
  ): Promise<void> {
    const { editPage } = await onePage();
    const isAdmin = viewers.viewerOf(response.req).kind === "admin";
    const options = {
      itemKey: store.view.findUid(edit.item.uid)?.key ?? null,
      mayApprove: isAdmin || edit.proposed,
      ...news,
    };
    sendPage(response, editPage(edit, { ...frameOf(response, viewers), ...options }));
  }

  router.get("/edits/:id", async (_request, response) => {
    const edit = editOf(response);
    if (edit) await sendEdit(response, edit);
  });

  router.get("/edits/:id/undo", async (_request, response) => {
    const { undoPage } = await onePage();
    const edit = editOf(response);
    const frame = frameOf(response, viewers);
    const preview = edit && editActions.undoPreview(edit.id, frame.zone);
    if (edit && preview) sendPage(response, undoPage({ edit, preview, isAnew: false }, frame));
  });

  // A browser requests this URL if a person reloads the answer to a form.
  router.get("/edits/:id/:act", (request, response) =>
    redirectTo(response, `edits/${encodeURIComponent(request.params.id)}`),
  );

  const decisionForm = [urlencoded({ extended: false, limit: textLimit }), ...guard];
  for (const act of ["preview", "resolve"] as const) {
    router.post(`/edits/:id/${act}`, decisionForm, async (request: Request, response: Response) => {
      const edit = editOf(response);
      if (!edit) return;
      const viewer = viewers.viewerOf(request);
      const { version, picks, carried } = readPicks(request.body);
      const decision = editActions.resolve(edit.id, {
        version,
        picks,
        by: deciderOf(viewer),
        dryRun: act === "preview",
        zone: viewer.zone,
      });
      if (decision.kind === "preview") {
        const { previewPage } = await onePage();
        const about = { preview: decision.preview, carried };
        sendPage(response, previewPage(decision.edit, about, frameOf(response, viewers)));
      } else await afterDecision(response, edit, decision);
    });
  }

  for (const act of ["approve", "discard", "retry"] as const) {
    router.post(`/edits/:id/${act}`, [...guard], async (request: Request, response: Response) => {
      const edit = editOf(response);
      if (!edit) return;
      if (act === "approve" && viewers.viewerOf(request).kind !== "admin" && !edit.proposed) {
        sendProblem(response, forbidden(say("pageFault.approval")));
        return;
      }
      const question =
        act === "retry" ? null : lossOf(edit, act, `${rootOf(request)}edits/${edit.id}`);
      if (question && !isConfirmed(response, () => question)) return;
      const by = deciderOf(viewers.viewerOf(request));
      const decision =
        act === "retry" ? editActions.retry(edit.id, null, by) : editActions[act](edit.id, by);
      await afterDecision(response, edit, decision);
    });
  }

  router.post("/edits/:id/undo", [...guard], async (request: Request, response: Response) => {
    const edit = editOf(response);
    if (!edit) return;
    const viewer = viewers.viewerOf(request);
    const by = { ...deciderOf(viewer), choices: readUndoPicks(request.body) };
    const seen = formField(request.body, "version");
    const decision = editActions.undo(edit.id, by, seen);
    const preview =
      decision.kind === "overwrites" ? editActions.undoPreview(edit.id, viewer.zone) : null;
    if (preview) {
      const { undoPage } = await onePage();
      const shown = { edit, preview, isAnew: true };
      sendPage(response.status(409), undoPage(shown, frameOf(response, viewers)));
    } else await afterDecision(response, edit, decision);
  });

  const seriesForm = [...guard];
  router.post(
    "/edits/:id/undo-series",
    seriesForm,
    async (request: Request, response: Response) => {
      const edit = editOf(response);
      if (!edit) return;
      const decision = editActions.undoSeries(edit.id, deciderOf(viewers.viewerOf(request)));
      if (decision.kind !== "done") return afterDecision(response, edit, decision);
      const { left } = decision;
      const [first] = left;
      if (!first) return redirectTo(response, "edits");
      const problem = say("editPage.seriesLeft", { count: left.length, reason: first.reason });
      await sendEdit(response.status(409), asNow(response, edit), { problem });
    },
  );

  const asNow = ({ req }: Response, edit: EditStory): EditStory =>
    editActions.show(edit.id, viewers.viewerOf(req).zone) ?? edit;

  async function afterDecision(
    response: Response,
    edit: EditStory,
    decision: Decision,
  ): Promise<void> {
    switch (decision.kind) {
      case "done":
        redirectTo(response, `edits/${decision.edit.id}`);
        return;
      case "overwrites": {
        // True if the form named the version that was displayed.
        const isAnew = formField(response.req.body, "version") !== "";
        await sendEdit(response.status(409), asNow(response, edit), { isAnew });
        return;
      }
      case "unclear":
      case "refused":
        response.status(decision.kind === "refused" ? 409 : 400);
        await sendEdit(response, asNow(response, edit), { problem: decision.reason });
        return;
      case "unknown":
        sendProblem(response, notFound(say("pageFault.noEdit", { id: String(edit.id) })));
        return;
      case "preview":
        sendProblem(response, conflict(say("pageFault.nothingDone")));
        return;
      default:
        unreachable(decision);
    }
  }
  return router;
}

/** The question before a decision; null if nothing is lost. */
function lossOf(edit: EditStory, act: "approve" | "discard", back: string): ConfirmQuestion | null {
  if (act === "discard") return discardQuestion(edit, back);
  return edit.action === "delete" ? approveDeletionQuestion(edit, back) : null;
}

const deciderOf = (viewer: Viewer): Decider => ({
  channel: "dashboard",
  actor: callerPerson({ viewer }),
});

const queryOf = (request: Request): EditQuery =>
  Object.fromEntries(
    ["state", "person", "project", "channel", "item", "since", "before"].map((name) => [
      name,
      queryText(request, name),
    ]),
  );

/** A person's choices in a conflict's form, and its fields for the next page. */
function readPicks(body: unknown): {
  readonly version: string | null;
  readonly picks: Picks;
  readonly carried: readonly (readonly [string, string])[];
} {
  const version = formField(body, "version");
  const kept = formField(body, "keep");
  const keep = kept === "mine" || kept === "theirs" ? kept : undefined;
  const carried: (readonly [string, string])[] = [["version", version]];
  if (keep) carried.push(["keep", keep]);
  const fields: Partial<Record<(typeof patchFields)[number], FieldPick>> = {};
  for (const field of patchFields) {
    const said = formField(body, `pick-${field}`);
    if (said === "") continue;
    carried.push([`pick-${field}`, said]);
    const text = formField(body, `text-${field}`);
    if (said === "text") carried.push([`text-${field}`, text]);
    if (said === "mine" || said === "theirs") fields[field] = said;
    else if (said === "text") fields[field] = { text };
  }
  return { version: version === "" ? null : version, picks: { keep, fields }, carried };
}

/** A person's choices in the form of an undo, for fields that someone else has changed since. */
function readUndoPicks(body: unknown): UndoChoices {
  const picks: Partial<Record<PatchField, "back" | "leave">> = {};
  for (const field of patchFields) {
    const said = formField(body, `pick-${field}`);
    if (said === "back" || said === "leave") picks[field] = said;
  }
  return picks;
}

const peopleOf = ({ directory }: Store) =>
  [...directory.personNames()].map(([id, name]) => ({ id, name }));

const mostTitles = 100;

/** Removals held by brakes, with the items concerned. */
function removalsOf({ brakes, absences, mirror, directory }: Store): readonly HeldRemovals[] {
  return brakes.all().map(({ source, missing, total, needsPerson, releasedAt }) => {
    const titles = [...absences.ofSource(source).keys().take(mostTitles)].flatMap(
      (item) => mirror.get(item)?.item.title ?? [],
    );
    const [, kind = "", id = ""] = /^(\w+):(\d+)$/.exec(source) ?? [];
    const number = Number(id);
    const list = kind === "tasks" && isId(number) ? directory.todolist(listId(number)) : null;
    const project = kind === "events" && isId(number) ? directory.project(projectId(number)) : null;
    const where =
      list?.title ?? (project ? say("edits.eventsOf", { project: project.title }) : source);
    return { source, where, missing, total, asks: needsPerson && !releasedAt, titles };
  });
}
