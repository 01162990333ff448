import { type Ledger, markIn, type Noted, secrecy, titleOf } from "../ledger.ts";
import { itemsOf, type PresentItem, projectsOf } from "../workspace-items.ts";
import type { World } from "../world.ts";

/** Somebody who works in the service itself. */
export class Colleague {
  readonly #world: World;
  readonly #ledger: Ledger;

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
  }

  act(): void {
    const { random } = this.#world;
    const dice = random.between(1, 100);
    if (dice <= 1) this.#removeList();
    else if (dice <= 3) this.#changeAccess();
    else this.#work();
  }

  #work(): void {
    const kind = this.#world.random.pick([
      ...(["make", "make", "makeBelow", "change", "change", "change", "change"] as const),
      ...(["tick", "assign", "label", "renameLabel", "hide", "move", "remove"] as const),
    ]);
    if (kind === "make") this.#make();
    else if (kind === "makeBelow") this.#makeBelow();
    else if (kind === "change") this.#change();
    else if (kind === "tick") this.#tick();
    else if (kind === "assign") this.#assign();
    else if (kind === "label") this.#label();
    else if (kind === "renameLabel") this.#renameLabel();
    else if (kind === "hide") this.#hide();
    else if (kind === "move") this.#move();
    else this.#remove();
  }

  #make(): void {
    const { random, sandbox, reads } = this.#world;
    const { workspace } = sandbox;
    const place = random.pick(workspace.places());
    const mark = this.#ledger.nextMark();
    const isSecret = random.chance(0.2);
    const title = titleOf(mark, { by: "a colleague", before: isSecret ? secrecy : "" });
    const day = this.#ledger.nextDay();
    const where = { by: this.#by, project: place.project };
    // Tasks cannot be private, only whole lists.
    const list = isSecret || random.chance(0.5) ? null : random.pick(place.lists);
    reads.changing(listPath({ project: place.project, list }));
    // Assignees see private items.
    const assigned = isSecret ? [] : this.#someone(place.project);
    const milestone = random.chance(0.2);
    const event = { title, start: day, all_day: true, private: isSecret, assigned, milestone };
    if (list === null) workspace.events.create(where, event);
    else workspace.tasks.create({ ...where, list }, { title, due_date: day, assigned });
    this.#tell(`makes ${mark}`, { field: "title", mark, before: null, item: null });
  }

  /** Adds a subtask to a task. */
  #makeBelow(): void {
    const { sandbox, reads } = this.#world;
    const task = this.#pick(({ kind }) => kind === "task");
    if (!task) return;
    const mark = this.#ledger.nextMark();
    const title = titleOf(mark, { by: "a colleague", before: "" });
    const where = { ...this.#at(task), task: task.id };
    reads.changing(`${listOf(task)}/${task.id}/subtasks`);
    const due = this.#ledger.nextDay();
    sandbox.workspace.subtasks.create(where, { title, due_date: due });
    const under = markIn(task.title);
    this.#tell(`makes ${mark} below ${under}`, {
      ...{ field: "title", mark, before: null, item: null, under },
    });
  }

  #change(): void {
    const { random } = this.#world;
    const item = this.#pick();
    if (!item) return;
    const field = random.pick(["title", "title", "title", "description", "date"] as const);
    const mark = this.#ledger.nextMark(field);
    const text = titleOf(mark, { by: "a colleague", before: item.title });
    const dates = item.list === 0 ? { start: mark, end: mark } : { due_date: mark };
    this.#update(item, field === "date" ? dates : { [field]: text });
    const name = markIn(item.title);
    const before = markIn(item[field], field);
    this.#tell(`changes the ${field} of ${name} to ${mark}`, { field, mark, before, item: name });
  }

  #tick(): void {
    const item = this.#pick(({ kind }) => kind !== "event");
    if (!item) return;
    this.#update(item, { completed: !item.completed });
    const state = item.completed ? "open" : "completed";
    this.#world.note("colleague", `sets ${markIn(item.title)} to ${state}`);
  }

  /** Assigns an item to someone else, or to nobody. */
  #assign(): void {
    const item = this.#pick((one) => !one.private && !this.#ledger.isHidden(markIn(one.title)));
    if (!item) return;
    const assigned = this.#someone(item.project);
    this.#update(item, { assigned });
    const who = assigned.length > 0 ? String(assigned) : "nobody";
    this.#world.note("colleague", `assigns ${who} to ${markIn(item.title)}`);
  }

  /** Changes the labels of a task or a subtask. */
  #label(): void {
    const { random, sandbox } = this.#world;
    const item = this.#pick(({ list }) => list !== 0);
    if (!item) return;
    const all = sandbox.workspace.labels.list({ by: this.#by });
    const labels = all.filter(() => random.chance(0.5));
    this.#update(item, { labels: labels.map(({ id }) => id) });
    this.#world.note("colleague", `labels ${markIn(item.title)} ${namesOf(labels)}`);
  }

  /** Renames a label, or creates one while there are few. */
  #renameLabel(): void {
    const { random, sandbox, time } = this.#world;
    const { labels } = sandbox.workspace;
    const all = labels.list({ by: this.#by });
    const name = `label ${Math.floor(time.monotonic())}`;
    if (all.some((one) => one.name === name)) return;
    const label = all.length < 3 ? null : random.pick(all);
    if (label) labels.update({ by: this.#by, label: label.id }, { name });
    else labels.create({ by: this.#by }, { name });
    this.#world.note("colleague", `${label ? `renames ${label.name} to` : "makes"} ${name}`);
  }

  /** Makes a visible event private, under a new name. */
  #hide(): void {
    const item = this.#pick(
      (one) => one.kind === "event" && one.creator === this.#by && !one.private,
    );
    if (!item) return;
    const mark = this.#ledger.nextMark();
    const title = titleOf(mark, { by: "a colleague", before: secrecy });
    this.#update(item, { title, private: true, assigned: [] });
    const before = markIn(item.title);
    this.#tell(`hides ${before} as ${mark}`, { field: "title", mark, before, item: before });
    this.#ledger.hide(mark);
  }

  /** Moves a task to another list, possibly in another project. */
  #move(): void {
    const { random, sandbox } = this.#world;
    const task = this.#pick(({ kind }) => kind === "task");
    if (!task) return;
    const lists = sandbox.workspace
      .places()
      .flatMap(({ project, lists: all }) => all.map((list) => ({ project, list })))
      .filter(({ list }) => list !== task.list);
    if (lists.length === 0) return;
    const { project, list } = random.pick(lists);
    this.#world.reads.changing(listPath({ project, list }));
    this.#update(task, { move_task: true, project, list_id: list });
    this.#world.note("colleague", `moves ${markIn(task.title)} to list ${list}`);
  }

  #remove(): void {
    const item = this.#pick();
    if (!item) return;
    const { events, tasks, subtasks } = this.#world.sandbox.workspace;
    const { id, kind, parent } = item;
    const where = this.#at(item);
    this.#world.reads.changing(listOf(item));
    if (kind === "task") tasks.remove({ ...where, task: id });
    else if (kind === "subtask") subtasks.remove({ ...where, task: parent, subtask: id });
    else events.remove({ ...where, event: id });
    const name = markIn(item.title);
    this.#tell(`deletes ${name}`, { field: "title", mark: null, before: name, item: name });
  }

  #update(item: PresentItem, body: object): void {
    const { events, tasks, subtasks } = this.#world.sandbox.workspace;
    const { id, kind, parent } = item;
    const where = this.#at(item);
    this.#world.reads.changing(listOf(item));
    if (kind === "task") tasks.update({ ...where, task: id }, body);
    else if (kind === "subtask") subtasks.update({ ...where, task: parent, subtask: id }, body);
    else events.update({ ...where, event: id }, body);
  }

  /** One of the people who have programs and see the project, or nobody. */
  #someone(project: number): readonly number[] {
    const { random, sandbox } = this.#world;
    const people = sandbox.keys.slice(0, 2).map(({ personId }) => personId);
    const person = random.pick([...people, null]);
    return person !== null && projectsOf(sandbox, person).has(project) ? [person] : [];
  }

  /** Deletes a list with its content; the last one of a project stays. */
  #removeList(): void {
    const { random, sandbox, reads } = this.#world;
    const { project, lists } = random.pick(sandbox.workspace.places());
    if (lists.length < 2) return;
    const list = random.pick(lists);
    reads.changing(listPath({ project, list }));
    for (const item of itemsOf(sandbox).filter((one) => one.list === list)) {
      const name = markIn(item.title);
      this.#tell(`deletes ${name}, which is in list ${list}`, {
        ...{ field: "title", mark: null, before: name, item: name },
      });
    }
    sandbox.workspace.directory.removeTodolist(list);
    this.#world.hasRegrouped = true;
    this.#world.note("colleague", `deletes list ${list}`);
  }

  /** Removes the second person's access to a project, or restores it. */
  #changeAccess(): void {
    const { random, sandbox } = this.#world;
    const person = sandbox.keys[1]?.personId ?? 0;
    const all = sandbox.workspace.places().map(({ project }) => project);
    const isWhole = all.every((one) => projectsOf(sandbox, person).has(one));
    const taken = isWhole ? random.pick(all) : null;
    const projects = all.filter((one) => one !== taken);
    sandbox.workspace.directory.changePerson(person, { projects });
    this.#world.hasRegrouped = true;
    this.#world.note("colleague", `lets ${person} see ${projects.join(", ")}`);
  }

  get #by(): number {
    return this.#world.sandbox.keys[0]?.personId ?? 0;
  }

  #at({ project, list }: PresentItem) {
    return { by: this.#by, project, list };
  }

  #pick(isFit: (item: PresentItem) => boolean = () => true): PresentItem | null {
    const items = itemsOf(this.#world.sandbox).filter(isFit);
    return items.length === 0 ? null : this.#world.random.pick(items);
  }

  #tell(what: string, wish: Omit<Noted, "actor" | "way">): void {
    this.#world.note("colleague", what);
    this.#ledger.note({ ...wish, actor: "a colleague", way: "service" });
  }
}

/** Path of a list in the service; of the project's events without a task list. */
const listPath = ({ project, list }: { readonly project: number; readonly list: number | null }) =>
  `/api/v3/projects/${project}/${list === null ? "events" : `todolists/${list}/tasks`}`;

const listOf = ({ project, kind, list, parent }: PresentItem): string =>
  kind === "subtask"
    ? `${listPath({ project, list })}/${parent}/subtasks`
    : listPath({ project, list: list === 0 ? null : list });

const namesOf = (labels: readonly { readonly name: string }[]): string =>
  labels.map(({ name }) => name).join(", ") || "nothing";
