import { z } from "zod";
import {
  folderId,
  labelId,
  listId,
  type PersonId,
  personId,
  projectId,
  serviceId,
} from "../domain/ids.ts";
import { fail, unreachable } from "../domain/result.ts";
import {
  type ActionFailure,
  type Answer,
  describeActionFailure,
  type OnBehalf,
} from "../edits/workspace/action-failure.ts";
import type { ServiceActions } from "../edits/workspace/service-actions.ts";
import { say } from "../texts/say.ts";
import { commentAnswer, fileAnswer, labelAnswer, placedTaskAnswer } from "./answers.ts";
import {
  anId,
  aText,
  type Caller,
  type OperationFailure,
  type OperationModules,
  type Outcome,
  octets,
  operation,
  pathId,
} from "./operation.ts";

const person = anId("on whose behalf", personId).optional();
/** What all operations of the service have in common. */
const ofService = {
  access: "admin",
  isSlow: true,
  isOffered: ({ workspace }: Pick<OperationModules, "workspace">) => workspace !== null,
} as const;

const folder = {
  project: anId("the project", projectId),
  folder: anId("the folder (default: the project's home folder)", folderId).optional(),
};
const largestFile = 100 * 1024 * 1024;

export const listFiles = operation({
  ...ofService,
  name: "files list",
  answer: z.array(fileAnswer),
  summary: "list the files of a folder",
  route: "GET /api/files",
  member: "files",
  input: { ...folder, person },
  run: ({ person, ...place }, context) =>
    asked(context, person, ({ files, by }) => files.list(placeOf(place), by)),
});

export const uploadFile = operation({
  ...ofService,
  name: "files upload",
  answer: z.array(fileAnswer),
  summary: "upload a file into a folder",
  route: "POST /api/files",
  member: "files",
  body: { member: "content", type: "octets", mediaType: "application/octet-stream" },
  largest: largestFile,
  input: {
    ...folder,
    person,
    name: aText("its name in the workspace").min(1, { error: () => say("inputFault.text") }),
    type: aText("its media type").default("application/octet-stream"),
    content: octets("the file"),
  },
  run: ({ person, name, type, content, ...place }, context) =>
    asked(context, person, ({ files, by }) =>
      files.upload({ ...placeOf(place), name, type, content }, by),
    ),
});

export const deleteFile = operation({
  ...ofService,
  name: "files delete",
  answer: z.null(),
  summary: "delete a file from a folder",
  route: "DELETE /api/files/:id",
  input: { person, ...folder, id: pathId("file", serviceId) },
  run: ({ person, id, ...place }, context) =>
    asked(context, person, ({ files, by }) => files.delete({ ...placeOf(place), id }, by)),
});

const task = aText("its id or its UID");

export const listComments = operation({
  ...ofService,
  name: "comments list",
  answer: z.array(commentAnswer),
  summary: "list the comments on a task",
  route: "GET /api/tasks/:task/comments",
  member: "comments",
  input: { person, task },
  run: ({ person, task }, context) =>
    asked(context, person, ({ comments, by }) => comments.list(task, by)),
});

export const addComment = operation({
  ...ofService,
  name: "comments add",
  answer: commentAnswer,
  summary: "add a comment to a task",
  route: "POST /api/tasks/:task/comments",
  input: { person, task, text: aText("the comment") },
  run: ({ person, ...comment }, context) =>
    asked(context, person, ({ comments, by }) => comments.add(comment, by)),
});

const place = {
  task,
  list: anId("the todolist where it goes", listId),
  project: anId("the project of that list, if unknown", projectId).optional(),
  title: aText("another title").optional(),
};

export const copyTaskToList = operation({
  ...ofService,
  name: "tasks copy",
  answer: placedTaskAnswer,
  summary: "copy a task into a list, with its people, dates and custom fields",
  route: "POST /api/tasks/:task/copy",
  input: { ...place, person },
  run: ({ person, ...to }, context) =>
    asked(context, person, ({ tasks, by }) => tasks.copy(relocationOf(to), by)),
});

export const moveTaskToList = operation({
  ...ofService,
  name: "tasks move",
  answer: placedTaskAnswer,
  summary: "move a task into another list; it keeps its UID",
  route: "POST /api/tasks/:task/move",
  input: { ...place, person },
  run: ({ person, ...to }, context) =>
    asked(context, person, ({ tasks, by }) => tasks.move(relocationOf(to), by)),
});

const label = pathId("label", labelId);

export const listLabels = operation({
  ...ofService,
  name: "labels list",
  answer: z.array(labelAnswer),
  summary: "every label",
  route: "GET /api/labels",
  member: "labels",
  input: { person },
  run: ({ person }, context) => asked(context, person, ({ labels, by }) => labels.list(by)),
});

export const createLabel = operation({
  ...ofService,
  name: "labels create",
  answer: labelAnswer,
  summary: "a new label",
  route: "POST /api/labels",
  input: { person, name: aText("its name") },
  run: ({ person, name }, context) =>
    asked(context, person, ({ labels, by }) => labels.create(name, by)),
});

export const renameLabel = operation({
  ...ofService,
  name: "labels rename",
  answer: labelAnswer,
  summary: "rename a label",
  route: "POST /api/labels/:id",
  input: { person, id: label, name: aText("its new name") },
  run: ({ person, ...to }, context) =>
    asked(context, person, ({ labels, by }) => labels.rename(to, by)),
});

export const deleteLabel = operation({
  ...ofService,
  name: "labels delete",
  answer: z.null(),
  summary: "delete a label from the account and every task",
  route: "DELETE /api/labels/:id",
  input: { person, id: label },
  run: ({ person, id }, context) =>
    asked(context, person, ({ labels, by }) => labels.delete(id, by)),
});

/** Asks the service, on behalf of the person who is named, if any. */
async function asked(
  { workspace, caller }: Pick<OperationModules, "workspace"> & { readonly caller: Caller },
  person: PersonId | undefined,
  ask: (how: ServiceActions & { readonly by: OnBehalf }) => Answer<unknown>,
): Promise<Outcome> {
  if (!workspace) return fail({ kind: "conflict", detail: say("operationFault.noWorkspace") });
  const { signal, onSent } = caller;
  const by = { person: person ?? null, ...(signal && { signal }), ...(onSent && { onSent }) };
  const answer = await ask({ ...workspace, by });
  return answer.ok ? answer : fail(failureOf(answer.failure));
}

function failureOf(failure: ActionFailure): OperationFailure {
  const detail = describeActionFailure(failure);
  switch (failure.kind) {
    case "unknown":
      return { kind: "missing", detail };
    case "unfit":
      return { kind: "conflict", detail };
    case "failed":
      return { kind: "failed", title: "The service did not carry it out", detail };
    default:
      return unreachable(failure);
  }
}

const placeOf = ({
  project,
  folder,
}: {
  readonly project: ReturnType<typeof projectId>;
  readonly folder?: ReturnType<typeof folderId> | undefined;
}) => ({ projectId: project, folderId: folder ?? null });

const relocationOf = ({
  task,
  list,
  project,
  title,
}: {
  readonly task: string;
  readonly list: ReturnType<typeof listId>;
  readonly project?: ReturnType<typeof projectId> | undefined;
  readonly title?: string | undefined;
}) => ({ task, listId: list, projectId: project ?? null, title: title ?? null });
