import { Random } from "@dayferry/sandbox";
import { describe, expect, it } from "vitest";
import type { Element } from "../../src/sync/all-tasks.ts";
import { TaskPages } from "../../src/sync/task-pages.ts";

const size = 10;

/** An account whose tasks are `all`, in that order. */
class Account {
  all: Element[];
  readonly pages = new TaskPages(size);
  #next: number;

  constructor(count: number) {
    this.all = Array.from({ length: count }, (_, index) => index + 1);
    this.#next = count + 1;
    this.readAll();
  }

  read(page: number): void {
    const elements = this.all.slice(page * size, (page + 1) * size);
    this.pages.note({ page, elements, total: this.all.length });
  }

  readAll(): void {
    for (let page = 0; page < Math.ceil(this.all.length / size); page += 1) this.read(page);
  }

  /** Reads wanted pages until none is left; returns their number. */
  search(): number {
    for (let read = 0; ; read += 1) {
      const { wanted, unread } = this.pages;
      const page = unread ?? wanted;
      if (page === null || this.pages.lost.length > 0) return read;
      this.read(page);
    }
  }

  add(index: number): Element {
    const element = this.#next;
    this.#next += 1;
    this.all.splice(index, 0, element);
    return element;
  }

  remove(index: number): Element {
    return this.all.splice(index, 1)[0] ?? 0;
  }
}

describe("pages of tasks", () => {
  it("know what was never read, and where each task was seen", () => {
    const pages = new TaskPages(size);
    expect([pages.count, pages.unread, pages.known]).toEqual([1, 0, 0]);
    pages.note({ page: 0, elements: [1, -1, 2], total: 25 });
    expect([pages.count, pages.unread, pages.known]).toEqual([3, 1, 3]);
    expect([pages.pageOf(-1), pages.pageOf(7)]).toEqual([0, null]);
    pages.expire();
    expect([pages.unread, pages.pageOf(-1)]).toEqual([0, 0]);
  });

  it("ask for nothing while the total is right", () => {
    const { pages } = new Account(95);
    expect([pages.wanted, pages.lost]).toEqual([null, []]);
  });

  it.each([0, 9, 10, 444, 500, 994])("find a task that is gone from place %i", (index) => {
    const account = new Account(995);
    const gone = account.remove(index);
    account.read(60);
    expect(account.search()).toBeLessThanOrEqual(10);
    expect(account.pages.lost).toEqual([gone]);
    account.pages.forget(gone);
    expect([account.pages.wanted, account.pages.lost]).toEqual([null, []]);
  });

  it.each([0, 5, 100, 555, 995])("find a task that was added at place %i", (index) => {
    const account = new Account(995);
    const come = account.add(index);
    account.read(60);
    expect(account.search()).toBeLessThanOrEqual(10);
    expect(account.pages.pageOf(come)).not.toBeNull();
    expect(account.pages.wanted).toBeNull();
  });

  it("do not miss a task that moved to another page", () => {
    const account = new Account(95);
    const [changed = 0] = account.all.splice(42, 1);
    account.all.unshift(changed);
    account.read(4);
    expect(account.pages.lost).toEqual([]);
    account.readAll();
    expect([account.pages.pageOf(changed), account.pages.lost]).toEqual([0, []]);
  });

  it("end a search that a wrong total started", () => {
    const account = new Account(995);
    const read = (page: number) =>
      account.pages.note({
        page,
        elements: account.all.slice(page * size, (page + 1) * size),
        total: 996,
      });
    read(3);
    let readings = 0;
    for (; account.pages.wanted !== null; readings += 1) read(account.pages.wanted);
    expect(readings).toBeLessThanOrEqual(30);
    expect(account.pages.lost).toEqual([]);
  });

  it("tell an unordered list from one whose tasks have moved", () => {
    const moved = new Account(200);
    moved.all.splice(0, 15);
    moved.readAll();
    expect(moved.pages.scattered).toBe(0);

    const chaotic = new Account(200);
    const random = new Random(3);
    for (let time = 0; time < 3; time += 1) {
      chaotic.all.sort(() => random.next() - 0.5);
      chaotic.read(7);
    }
    expect(chaotic.pages.scattered).toBeGreaterThan(1);
  });

  it("know in the end exactly which tasks exist", () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const random = new Random(seed);
      const below = (end: number) => Math.floor(random.next() * end);
      const account = new Account(20 + below(200));
      const { pages } = account;
      for (let step = 0; step < 30; step += 1) {
        const act = below(4);
        if (act === 0) account.add(below(account.all.length + 1));
        if (act === 1 && account.all.length > 1) account.remove(below(account.all.length));
        if (act === 2) account.all.push(...account.all.splice(below(account.all.length), 1));
        account.read(below(pages.count));
      }
      // Lists are asked until they have said that it is gone.
      for (let round = 0; round < 3; round += 1) {
        account.readAll();
        const there = new Set(account.all);
        for (const element of pages.lost) if (!there.has(element)) pages.forget(element);
      }
      expect(pages.known).toBe(account.all.length);
      expect(account.all.every((element) => pages.pageOf(element) !== null)).toBe(true);
      expect([pages.wanted, pages.lost]).toEqual([null, []]);
    }
  });
});
