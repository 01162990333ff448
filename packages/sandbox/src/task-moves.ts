import type { InList, InTask } from "./access-checks.ts";
import type { Fields } from "./fields.ts";
import type { TaskRecord } from "./records.ts";
import { RefusedError, refuse } from "./refusal.ts";
import { knownPeople, type Setting, stampNow } from "./setting.ts";
import { newWork } from "./work-item.ts";
import { workflow } from "./workflow.ts";

interface Request {
  readonly fields: Fields;
  readonly setting: Setting;
}

/** True if a PUT names another project or task list than the task's own. */
export function isMove(fields: Fields, found: InTask): boolean {
  const project = fields.id("project");
  const list = fields.id("list_id");
  return (
    (project !== undefined && project !== found.project.id) ||
    (list !== undefined && list !== found.list.id)
  );
}

/**
 * The task in its new place, not yet stored. Everything moves along unless `move_people` or `move_dates` is false; values of
 * custom fields are dropped when the project changes, because fields belong to a project.
 */
export function movedTask(found: InTask, request: Request): InTask {
  const { fields } = request;
  const withPeople = fields.flag("move_people") ?? true;
  const withDates = fields.flag("move_dates") ?? true;
  const target = findTarget(found, request);
  const { task } = found;
  const moved: TaskRecord = {
    ...task,
    project: target.project.id,
    list: target.list.id,
    stage: target.stage ?? task.stage,
    assigned: withPeople ? task.assigned : [],
    startOn: withDates ? task.startOn : null,
    dueOn: withDates ? task.dueOn : null,
    customFields: target.project.id === task.project ? task.customFields : {},
  };
  return { ...target, task: moved };
}

/** Stores a copy of the task in the requested place, with what the body's flags select. */
export function copiedTask(found: InTask, request: Request): InTask {
  const { fields, setting } = request;
  const { store } = setting;
  const title = fields.title("title") ?? found.task.title;
  const named = fields.ids("assigned");
  const people = fields.flag("copy_assignees") === true ? found.task.assigned : [];
  const dates = fields.flag("copy_dates") === true;
  const custom = fields.flag("copy_custom_fields") === true;
  const comments = fields.flag("copy_comments") === true;
  const target = findTarget(found, request);
  const now = stampNow(setting);
  return store.transaction(() => {
    const sameProject = target.project.id === found.project.id;
    const task: TaskRecord = {
      ...newWork(target, { id: store.next("work"), title, now }),
      description: found.task.description,
      assigned: named === undefined ? people : knownPeople(setting, named),
      startOn: dates ? found.task.startOn : null,
      dueOn: dates ? found.task.dueOn : null,
      ticket: String(store.next("tickets")),
      rrule: null,
      stage: target.stage ?? workflow.stages[0].id,
      customFields: custom && sameProject ? found.task.customFields : {},
    };
    store.tasks.put(task);
    for (const it of comments ? store.comments.of(found.task.id) : [])
      store.comments.put({
        ...it,
        id: store.next("comments"),
        project: task.project,
        list: task.list,
        task: task.id,
      });
    return { ...target, task };
  });
}

function findTarget(
  found: InTask,
  { fields, setting }: Request,
): InList & { readonly stage: number | undefined } {
  const named = fields.id("list_id");
  const stage = fields.id("stage");
  if (stage !== undefined && !workflow.stages.some((it) => it.id === stage))
    fields.refuse(`stage ${stage} is none of the workflow`);
  if (fields.problem !== null) return refuse(400, fields.problem);

  const ownList = named === undefined ? found.list : setting.store.todolists.get(named);
  const project = fields.id("project") ?? ownList?.project ?? found.project.id;
  const list = ownList?.id ?? named ?? 0;
  const place = { by: found.person.id, project, list };
  try {
    return { ...setting.access.list(place, "write"), stage };
  } catch (error) {
    // The path was valid; the body names something that does not exist.
    if (error instanceof RefusedError && error.status === 404)
      return refuse(400, `list_id or project: ${error.message}`);
    throw error;
  }
}
