import { insist } from "../../src/sandbox/work-outcome.ts";
import { type Ledger, markIn, type Noted, secrecy, titleOf } from "../ledger.ts";
import { itemsOf, type PresentItem } from "../workspace-items.ts";
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
    const kind = random.pick([
      "make",
      "make",
      "change",
      "change",
      "change",
      "assign",
      "remove",
    ] as const);
    if (kind === "make") this.#make();
    else if (kind === "change") this.#change();
    else if (kind === "assign") this.#assign();
    else this.#remove();
  }

  #make(): void {
    const { random, sandbox, reads } = this.#world;
    const { workspace } = sandbox;
    const place = random.pick(workspace.places());
    const mark = this.#ledger.nextMark();
    const isSecret = random.chance(0.2);
    const title = titleOf(mark, { by: "a colleague", before: isSecret ? secrecy : "" });
    const day = dayOf(random.between(0, 60));
    const where = { by: this.#by, project: place.project };
    // Of tasks only whole lists are private.
    const list = isSecret || random.chance(0.5) ? null : random.pick(place.lists);
    const path = listPath({ project: place.project, list });
    reads.changing(path);
    // Who is assigned sees what is private.
    const assigned = isSecret ? [] : this.#someone();
    const event = { title, start: day, all_day: true, private: isSecret, assigned };
    if (list === null) insist(workspace.events.create(where, event));
    else insist(workspace.tasks.create({ ...where, list }, { title, due_date: day, assigned }));
    this.#tell(`makes ${mark}`, { field: "title", mark, before: null, item: null });
  }

  #change(): void {
    const { random, sandbox, reads } = this.#world;
    const item = this.#pick();
    if (!item) return;
    const { events, tasks } = sandbox.workspace;
    const field = random.chance(0.7) ? "title" : "description";
    const mark = this.#ledger.nextMark(field);
    const text = titleOf(mark, { by: "a colleague", before: item.title });
    const body = field === "title" ? { title: text } : { description: text };
    const where = { by: this.#by, project: item.project };
    reads.changing(listOf(item));
    if (item.kind === "event") insist(events.update({ ...where, event: item.id }, body));
    else insist(tasks.update({ ...where, list: item.list, task: item.id }, body));
    const name = markIn(item.title);
    const before = markIn(item[field], field);
    this.#tell(`changes the ${field} of ${name} to ${mark}`, { field, mark, before, item: name });
  }

  /** Assigns somebody else to an item, or nobody. */
  #assign(): void {
    const item = this.#pick();
    if (!item || item.title.includes(secrecy)) return;
    const { sandbox, reads } = this.#world;
    const { events, tasks } = sandbox.workspace;
    const assigned = this.#someone();
    const where = { by: this.#by, project: item.project };
    reads.changing(listOf(item));
    if (item.kind === "event") insist(events.update({ ...where, event: item.id }, { assigned }));
    else insist(tasks.update({ ...where, list: item.list, task: item.id }, { assigned }));
    const who = assigned.length > 0 ? String(assigned) : "nobody";
    this.#world.note("colleague", `assigns ${who} to ${markIn(item.title)}`);
  }

  /** One of those who have programs, or nobody. */
  #someone(): readonly number[] {
    const { random, sandbox } = this.#world;
    const person = random.pick([...sandbox.keys.map(({ personId }) => personId).slice(0, 2), null]);
    return person === null ? [] : [person];
  }

  #remove(): void {
    const item = this.#pick();
    if (!item) return;
    const { events, tasks } = this.#world.sandbox.workspace;
    const where = { by: this.#by, project: item.project };
    this.#world.reads.changing(listOf(item));
    if (item.kind === "event") insist(events.remove({ ...where, event: item.id }));
    else insist(tasks.remove({ ...where, list: item.list, task: item.id }));
    const name = markIn(item.title);
    this.#tell(`deletes ${name}`, { field: "title", mark: null, before: name, item: name });
  }

  get #by(): number {
    return this.#world.sandbox.keys[0]?.personId ?? 0;
  }

  #pick() {
    const items = itemsOf(this.#world.sandbox);
    return items.length === 0 ? null : this.#world.random.pick(items);
  }

  #tell(what: string, wish: Omit<Noted, "actor" | "way">): void {
    this.#world.note("colleague", what);
    this.#ledger.note({ ...wish, actor: "a colleague", way: "service" });
  }
}

/** The address of a list at the service: of events where there is no list of tasks. */
const listPath = ({ project, list }: { readonly project: number; readonly list: number | null }) =>
  `/api/v3/projects/${project}/${list === null ? "events" : `todolists/${list}/tasks`}`;

const listOf = ({ project, kind, list }: PresentItem): string =>
  listPath({ project, list: kind === "event" ? null : list });

/** So many days after the first. */
export const dayOf = (days: number): string =>
  Temporal.PlainDate.from("2027-03-02").add({ days }).toString();
