import { z } from "zod";
import { editId, listId, type PersonId, personId, projectId } from "../domain/ids.ts";
import { fail, ok, type Result, unreachable } from "../domain/result.ts";
import type { EditDescription, EditStory } from "../edits/actions/describe.ts";
import type { Decision, FoundEdit } from "../edits/actions/edit-actions.ts";
import { parkReasonLabel } from "../edits/actions/state-labels.ts";
import { type Acceptance, countEdits } from "../edits/intake/plan-answer.ts";
import { say } from "../texts/say.ts";
import {
  editAnswer,
  planAnswer,
  resolutionPreviewAnswer,
  seriesUndoAnswer,
  storyAnswer,
  undoPreviewAnswer,
} from "./answers.ts";
import { decisionInput, readDecision, readUndoChoices, undoChoices } from "./decision-input.ts";
import {
  anId,
  anyJson,
  aText,
  type Caller,
  callerPerson,
  deciderOf,
  foundOr,
  invalid,
  missing,
  type OperationFailure,
  type OperationModules,
  type Outcome,
  octets,
  operation,
  pathId,
  quoted,
  refused,
} from "./operation.ts";

/** A little over the reader's limit, so that the reader reports what is too large. */
const largestFile = 6_000_000;
/** Takes some ten milliseconds. */
const describedAtOnce = 100;
/** Maximum number of edits listed at once. */
export const mostListed = 500;

const id = pathId("edit", editId);
const person = anId("whose edits these are", personId).optional();
const text = (about: string) => aText(about).optional();

export const applyFile = operation({
  name: "edits apply",
  answer: planAnswer,
  summary: "apply the edits in a calendar file, or preview them",
  note: "Returns the result of each item; edits.md lists the codes.",
  route: "POST /api/edits",
  access: "person",
  canPropose: true,
  body: { member: "file", type: "octets", mediaType: "text/calendar" },
  largest: largestFile,
  input: {
    file: octets("a calendar file"),
    project: anId("where new items go", projectId),
    list: anId("todolist for new tasks", listId).optional(),
    person,
    dryRun: z
      .union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")], {
        error: ({ input }) => say("inputFault.flag", { value: quoted(input) }),
      })
      .default(false),
  },
  status: ({ dryRun }) => (dryRun ? 200 : 202),
  async run({ file, project, list, person = null, dryRun }, { acceptFile, rights, caller }) {
    const sender = callerPerson(caller);
    const destination = { projectId: project, listId: list ?? null };
    const refusal =
      sender !== null && person !== null && person !== sender
        ? say("operationFault.otherPerson", { own: sender, other: person })
        : sender && rights.refusal(sender, destination);
    if (refusal) return fail({ kind: "forbidden", detail: refusal });
    const { channel, program, proposes = false } = caller;
    const acceptance = await acceptFile({
      ...destination,
      bytes: file,
      ...{ channel, program, dryRun, proposed: proposes },
      actor: sender ?? person,
      hides: (uid) => sender !== null && !rights.mayLookAt(sender, uid),
    });
    return accepted(acceptance, dryRun);
  },
});

export const listEdits = operation({
  name: "edits list",
  answer: z.array(editAnswer),
  summary: "list edits, newest first: when, who, what, state",
  note: "`before`: an ID, for older ones. `limit`: at most 500.",
  route: "GET /api/edits",
  access: "person",
  member: "edits",
  input: {
    state: text("only in these states"),
    person: text("only of this person: number, name, or account"),
    project: text("only of this project: number or title"),
    item: text("only of this item: UID, or a part of its title"),
    channel: text("only those from this channel"),
    since: text("only those accepted since a date or time"),
    before: text("only those before this one"),
    limit: z
      .unknown()
      .refine((count) => isCount(Number(count)), {
        error: ({ input }) =>
          say("inputFault.number", { value: quoted(input), most: String(mostListed) }),
      })
      .transform(Number)
      .optional(),
  },
  async run({ limit = mostListed, ...asked }, { editActions, eventLoop, ...context }) {
    const { viewer } = context.caller;
    const { state, project, item, channel, since, before } = asked;
    const owner = viewer.kind === "person" ? String(viewer.person) : asked.person;
    const query = { state, person: owner, project, item, channel, since, before };
    const found = editActions.find(query, { limit, viewer });
    if (!found.ok) return invalid(found.failure);
    const edits: EditDescription[] = [];
    for (const edit of found.value.filter((each) => isEditOpenTo(each, context))) {
      edits.push(edit.describe());
      if (edits.length % describedAtOnce === 0) await eventLoop.share();
    }
    return ok(edits);
  },
});

export const showEdit = operation({
  name: "edits show",
  answer: storyAnswer,
  summary: "one edit, whole",
  route: "GET /api/edits/:id",
  access: "person",
  input: { id },
  run: ({ id }, context) => withEdit(id, context, (edit) => ok(edit)),
});

export const approveEdit = operation({
  name: "edits approve",
  answer: editAnswer,
  summary: "approve a held edit; a person, only what an agent proposed",
  route: "POST /api/edits/:id/approve",
  access: "person",
  input: { id },
  run: ({ id }, context) =>
    withEdit(id, context, ({ proposed }) =>
      proposed || callerPerson(context.caller) === null
        ? decided(id, context.editActions.approve(id, by(context)))
        : fail({ kind: "forbidden", detail: say("operationFault.approval") }),
    ),
});

export const discardEdit = operation({
  name: "edits discard",
  answer: editAnswer,
  summary: "discard an edit that has not reached the service",
  route: "POST /api/edits/:id/discard",
  access: "person",
  input: { id },
  run: ({ id }, context) =>
    withEdit(id, context, () => decided(id, context.editActions.discard(id, by(context)))),
});

/** The displayed version of the workspace that may be overwritten. */
const seen = {
  version: z.string({ error: () => say("inputFault.oneText") }).nullish(),
  force: refused().optional(),
};

export const retryEdit = operation({
  name: "edits retry",
  answer: editAnswer,
  summary: "retry a failed edit",
  note: "To overwrite a change of someone else, send the `version` that `edits show` returns.",
  route: "POST /api/edits/:id/retry",
  access: "person",
  input: { id, ...seen },
  run: ({ id, version = null, force }, context) =>
    withEdit(id, context, () =>
      force === undefined
        ? decided(id, context.editActions.retry(id, version, by(context)))
        : invalid(say("operationFault.force")),
    ),
});

export const resolveEdit = operation({
  name: "edits resolve",
  answer: z.union([editAnswer, resolutionPreviewAnswer]),
  summary: "resolve a conflict of an edit",
  note: 'For example `{"version": "…", "keep": "mine", "fields": {"description": {"text": "…"}}, "dryRun": true}`.',
  route: "POST /api/edits/:id/resolve",
  access: "person",
  body: { member: "decision", type: "json" },
  input: { id, decision: anyJson(decisionInput) },
  run: ({ id, decision }, context) =>
    withEdit(id, context, () => {
      const read = readDecision(decision);
      if (!read.ok) return invalid(read.failure);
      const { zone } = context.caller.viewer;
      const choice = { ...read.value, by: by(context), zone };
      return decided(id, context.editActions.resolve(id, choice));
    }),
});

export const showUndo = operation({
  name: "edits undo-preview",
  answer: undoPreviewAnswer,
  summary: "preview an undo: what it restores, and what has changed since",
  route: "GET /api/edits/:id/undo",
  access: "person",
  input: { id },
  run: ({ id }, context) =>
    withEdit(id, context, () => {
      const { editActions, caller } = context;
      return foundOr(editActions.undoPreview(id, caller.viewer.zone), noEdit(id));
    }),
});

export const undoEdit = operation({
  name: "edits undo",
  answer: editAnswer,
  summary: "undo a confirmed edit, with a new edit that is its inverse",
  note: "`fields`: `back` or `leave` for each field that was changed since, with the `version` of the preview.",
  route: "POST /api/edits/:id/undo",
  access: "person",
  input: {
    id,
    person: anId("who undoes it", personId).optional(),
    ...seen,
    fields: anyJson(undoChoices).optional(),
  },
  run: ({ id, person = null, version = null, force, fields = {} }, context) =>
    withEdit(id, context, () => {
      if (force !== undefined) return invalid(say("operationFault.force"));
      const choices = readUndoChoices({ fields });
      if (!choices.ok) return invalid(choices.failure);
      const actor: PersonId | null = callerPerson(context.caller) ?? person;
      const decider = { ...by(context), actor, choices: choices.value };
      return decided(id, context.editActions.undo(id, decider, version));
    }),
});

export const undoSeries = operation({
  name: "edits undo-series",
  answer: seriesUndoAnswer,
  summary: "undo all edits made from the same repeating item",
  note: "`left` lists edits that could not be undone.",
  route: "POST /api/edits/:id/undo-series",
  access: "person",
  input: { id },
  run: ({ id }, context) =>
    withEdit(id, context, () => {
      const decision = context.editActions.undoSeries(id, by(context));
      if (decision.kind === "unknown") return missing(noEdit(id));
      if (decision.kind === "refused") return fail({ kind: "conflict", detail: decision.reason });
      const { edits, left } = decision;
      return ok({ edits, left });
    }),
});

type Context = Pick<OperationModules, "editActions" | "rights"> & { readonly caller: Caller };

const by = ({ caller }: Context) => deciderOf(caller);

/** The edit, or 404 if it does not exist or the caller cannot see it. */
function withEdit(id: number, context: Context, work: (edit: EditStory) => Outcome): Outcome {
  const edit = context.editActions.show(id, context.caller.viewer.zone);
  return edit && isEditOpenTo(edit, context) ? work(edit) : missing(noEdit(id));
}

/** True if the caller may see and decide about an edit: the admin and its editor. */
export function isEditOpenTo(
  edit: Pick<FoundEdit, "actor" | "item">,
  { rights, caller }: Pick<Context, "rights"> & { readonly caller: Pick<Caller, "viewer"> },
): boolean {
  const person = callerPerson(caller);
  return person === null || (person === edit.actor && rights.mayLookAt(person, edit.item.uid));
}

const noEdit = (id: number): string => say("operationFault.noEdit", { id: String(id) });

const isCount = (count: number): boolean =>
  Number.isInteger(count) && count > 0 && count <= mostListed;

function decided(id: number, decision: Decision): Outcome {
  switch (decision.kind) {
    case "done":
      return ok(decision.edit);
    case "preview":
      return ok(decision.preview);
    case "overwrites":
      return fail(overwriteRefusal(decision));
    case "unclear":
      return invalid(decision.reason);
    case "unknown":
      return missing(noEdit(id));
    case "refused":
      return fail({ kind: "conflict", detail: decision.reason });
    default:
      return unreachable(decision);
  }
}

/** Says what would be overwritten, and how to confirm it. */
function overwriteRefusal({
  edit,
  version,
}: Extract<Decision, { kind: "overwrites" }>): OperationFailure {
  const path = `/api/edits/${edit.id}`;
  const { conflicts, words, choice } = edit;
  return choice
    ? {
        kind: "conflict",
        title: "It would overwrite someone else's changes",
        detail: say("operationFault.keptChanges", {
          conflicts: edit.problem ?? parkReasonLabel("conflict"),
          path,
          body: `{"version": "${version}", "keep": "mine" | "theirs"}`,
        }),
        more: { version, conflicts, words: words.conflicts, choice },
      }
    : {
        kind: "conflict",
        title: "It has changed since the preview",
        detail: say("operationFault.previewChanged", { path, version }),
        more: { version },
      };
}

/** The plan, or what was accepted, even partly; a failure if nothing was. */
function accepted(acceptance: Acceptance, dryRun: boolean): Result<unknown, OperationFailure> {
  if (acceptance.kind === "refused") {
    const { errors } = acceptance;
    return fail({
      kind: errors.some(({ code }) => code === "too-large") ? "too-large" : "unprocessable",
      title: "The calendar file was rejected",
      detail: describeErrors(errors),
      more: { errors },
    });
  }
  const { kind: _, ...plan } = acceptance;
  const { errors } = plan;
  if (dryRun || countEdits(plan) > 0 || errors.length === 0) return ok(plan);
  return fail({
    kind: "unprocessable",
    title: "Nothing could be accepted",
    detail: describeErrors(errors),
    more: plan,
  });
}

function describeErrors(
  errors: readonly { readonly line: number | null; readonly message: string }[],
): string {
  const [first] = errors;
  if (!first) return say("operationFault.nothingToApply");
  const { line, message } = first;
  const what = line === null ? message : say("fileReport.line", { line: String(line), message });
  const count = errors.length - 1;
  return count > 0 ? say("operationFault.andMore", { what, count: String(count) }) : what;
}
