import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { PersonId } from "../../src/domain/ids.ts";
import type { Person } from "../../src/domain/item.ts";
import { createPasswords } from "../../src/people/passwords.ts";
import { roomy, type Stage, stage } from "./support/stage.ts";

type Json = readonly { readonly id: number }[];

/** A workspace with known people, and a clock that can be set ahead. */
async function known() {
  let ahead = Temporal.Duration.from({ minutes: 0 });
  const it = await stage({ quota: roomy, now: () => Temporal.Now.instant().add(ahead) });
  await it.sweep();
  const people = it.store.directory.people();
  const [somebody] = people;
  if (!somebody || people.length < 4) throw new Error("the sandbox has too few people");
  return {
    it,
    people,
    somebody,
    later: (minutes: number) => {
      ahead = ahead.add({ minutes });
    },
  };
}

/** Changes every answer of the people's look-up, from now on. */
function answer(it: Stage, change: (named: Json) => Json): void {
  it.sandbox.faults.clear();
  it.sandbox.faults.add({
    kind: "transform",
    path: /\/people$/,
    times: 1000,
    transform: (json) => (Array.isArray(json) ? change(json) : json),
  });
}
const without = (it: Stage, ...gone: readonly Person[]): void =>
  answer(it, (named) => named.filter(({ id }) => !gone.some((one) => Number(one.id) === id)));
const whole = (it: Stage): void => answer(it, (named) => named);

const ids = (it: Stage): readonly PersonId[] => it.store.directory.people().map(({ id }) => id);
const gaps = (it: Stage) =>
  it.store.sources.all().find(({ name }) => name === "people")?.failure ?? null;

describe("a person missing from the list of people", () => {
  it("stays after one response, and can sign in", async () => {
    const { it, somebody } = await known();
    const passwords = createPasswords({ store: it.store, randomBytes });
    const password = passwords.issue(somebody.id);
    without(it, somebody);
    await it.sweep();
    expect(ids(it)).toContain(somebody.id);
    expect(passwords.check(String(somebody.id), password)?.id).toBe(somebody.id);
    expect(gaps(it)).toContain(`person ${somebody.id} (${somebody.name}) is no longer listed`);

    whole(it);
    await it.sweep();
    expect(gaps(it)).toBeNull();
  });

  it("stays within five minutes, and is gone after a later response", async () => {
    const { it, somebody, later } = await known();
    const passwords = createPasswords({ store: it.store, randomBytes });
    const password = passwords.issue(somebody.id);
    without(it, somebody);
    await it.sweep();
    await it.sweep();
    later(4);
    await it.sweep();
    expect(ids(it)).toContain(somebody.id);
    later(1);
    await it.sweep();
    expect(ids(it)).not.toContain(somebody.id);
    expect(it.store.directory.personNames().get(somebody.id)).toBe(somebody.name);
    expect(passwords.check(String(somebody.id), password)).toBeNull();

    whole(it);
    await it.sweep();
    expect(ids(it)).toContain(somebody.id);
    expect(passwords.check(String(somebody.id), password)?.id).toBe(somebody.id);
  });

  it.each([
    ["names them", (named: Json) => named],
    ["names them and somebody without an id", (named: Json) => [...named, { id: Number.NaN }]],
    ["names nobody", () => []],
    ["lacks most", (named: Json) => named.slice(0, 1)],
  ])("is counted again after a response in between that %s", async (_what, between) => {
    const { it, people, later } = await known();
    const last = people.at(-1);
    if (!last) throw new Error("nobody is known");
    without(it, last);
    await it.sweep();
    later(6);
    answer(it, between);
    await it.sweep();
    expect(ids(it)).toEqual(people.map(({ id }) => id));
    later(6);
    without(it, last);
    await it.sweep();
    expect(ids(it)).toContain(last.id);
    later(6);
    await it.sweep();
    expect(ids(it)).not.toContain(last.id);
  });

  it("stays while responses are incomplete or missing", async () => {
    const { it, people, somebody, later } = await known();
    without(it, somebody);
    await it.sweep();
    later(6);
    answer(it, (named) => [...named.slice(1), { id: Number.NaN }]);
    await it.sweep();
    later(6);
    it.sandbox.faults.clear();
    it.sandbox.faults.add({ kind: "html", path: /\/people$/, times: 9 });
    await it.sweep();
    expect(ids(it)).toEqual(people.map(({ id }) => id));
  });

  it("is counted again if the clock is set back", async () => {
    const { it, somebody, later } = await known();
    later(60);
    without(it, somebody);
    await it.sweep();
    later(-60);
    await it.sweep();
    later(4);
    await it.sweep();
    expect(ids(it)).toContain(somebody.id);
    later(1);
    await it.sweep();
    expect(ids(it)).not.toContain(somebody.id);
  });

  it("cannot sign in at once if the service says that they are suspended", async () => {
    const { it, somebody } = await known();
    const passwords = createPasswords({ store: it.store, randomBytes });
    const password = passwords.issue(somebody.id);
    answer(it, (named) =>
      named.map((one) => (one.id === Number(somebody.id) ? { ...one, suspended: true } : one)),
    );
    await it.sweep();
    expect(passwords.check(String(somebody.id), password)).toBeNull();
  });
});

describe("many people missing from the list", () => {
  it.each([
    ["nobody", 0],
    ["one of them", 1],
  ])("stay until a person agrees if it names %s, however often", async (_whom, named) => {
    const { it, people, later } = await known();
    const total = people.length;
    answer(it, (all) => all.slice(0, named));
    for (const minutes of [0, 6, 60]) {
      later(minutes);
      await it.sweep();
    }
    expect(ids(it)).toEqual(people.map(({ id }) => id));
    expect(gaps(it)).toContain(`${total - named} of ${total} known people`);
    expect(it.store.brakes.all()).toMatchObject([
      { source: "people", missing: total - named, total, needsPerson: true },
    ]);

    expect(it.store.brakes.release("people")).toBe(true);
    await it.sweep();
    expect(it.store.directory.people()).toHaveLength(named);
  });

  it("are free again if they come back", async () => {
    const { it, people } = await known();
    answer(it, () => []);
    await it.sweep();
    whole(it);
    await it.sweep();
    expect(it.store.directory.people()).toEqual(people);
    expect(it.store.brakes.all()).toEqual([]);
  });
});
