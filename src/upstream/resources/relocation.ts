import type { Relocation, TaskCopy, TaskMove } from "./tasks.ts";

/**
 * The body that copies a task. Project and list are always named, so that a copy within a list is no special case.
 * Source: service-api.md, Copy body.
 */
export function writeCopy(wish: TaskCopy): Record<string, unknown> {
  return present({ ...common(wish), copy_dates: wish.copyDates, copy_task: wish.id });
}

/** The body that moves a task. Source: service-api.md, Move body. */
export function writeMove(wish: TaskMove): Record<string, unknown> {
  return present({
    ...common(wish),
    move_people: wish.movePeople,
    move_dates: wish.moveDates,
    proof_comment: wish.proofComment,
    completed: wish.completed,
    move_task: true,
    id: wish.id,
  });
}

function common(wish: Relocation) {
  return {
    title: wish.title,
    project: wish.targetProjectId ?? wish.projectId,
    list_id: wish.targetListId ?? wish.listId,
    stage: wish.stage,
    assigned: wish.assigned,
    copy_assignees: wish.copyAssignees,
    copy_custom_fields: wish.copyCustomFields,
    copy_comments: wish.copyComments,
  };
}

const present = (body: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
