import type { ServiceId } from "../domain/ids.ts";

/** A task whose comments or history are to be read. */
export interface DueTask {
  readonly task: ServiceId;
  /** Time of its last change: milliseconds since 1970. */
  readonly changedAt: number;
  /** Hash of its state in its list. */
  readonly mark: number;
}

/**
 * Tasks to read, most recently changed first. After a first sync these are all tasks, so the heap stores three numbers per task
 * in columns.
 */
export class DueTasks {
  readonly #places = new Map<ServiceId, number>();
  readonly #tasks: ServiceId[] = [];
  readonly #changedAt: number[] = [];
  readonly #marks: number[] = [];

  /** Adds a task, or moves it. */
  put(due: DueTask): void {
    this.delete(due.task);
    this.#rise(this.#tasks.length, due);
  }

  get(task: ServiceId): DueTask | null {
    const at = this.#places.get(task);
    return at === undefined ? null : this.#at(at);
  }

  first(): DueTask | null {
    return this.#at(0);
  }

  delete(task: ServiceId): void {
    const at = this.#places.get(task);
    if (at === undefined) return;
    this.#places.delete(task);
    const last = this.#at(this.#tasks.length - 1);
    this.#tasks.pop();
    this.#changedAt.pop();
    this.#marks.pop();
    if (last && last.task !== task) this.#rise(this.#sink(at, last), last);
  }

  #at(place: number): DueTask | null {
    const task = this.#tasks[place];
    if (task === undefined) return null;
    return { task, changedAt: this.#timeAt(place), mark: this.#marks[place] ?? 0 };
  }

  #timeAt(place: number): number {
    return this.#changedAt[place] ?? Number.NEGATIVE_INFINITY;
  }

  #set(place: number, { task, changedAt, mark }: DueTask): void {
    this.#places.set(task, place);
    this.#tasks[place] = task;
    this.#changedAt[place] = changedAt;
    this.#marks[place] = mark;
  }

  /** Moves entries above a free slot down while they changed earlier than `due`, which is stored where that ends. */
  #rise(free: number, due: DueTask): void {
    let place = free;
    while (place > 0) {
      const above = this.#at((place - 1) >> 1);
      if (!above || above.changedAt >= due.changedAt) break;
      this.#set(place, above);
      place = (place - 1) >> 1;
    }
    this.#set(place, due);
  }

  /** Moves entries below a free slot up while they changed later than `due`; returns the slot that is free then. */
  #sink(free: number, due: DueTask): number {
    let place = free;
    for (;;) {
      const left = 2 * place + 1;
      const later = this.#timeAt(left + 1) > this.#timeAt(left) ? left + 1 : left;
      const below = this.#at(later);
      if (!below || below.changedAt <= due.changedAt) return place;
      this.#set(place, below);
      place = later;
    }
  }
}
