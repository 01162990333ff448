import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../src/domain/result.ts";
import type { ListElements } from "../../src/upstream/list-elements.ts";
import { readList } from "../../src/upstream/read-list.ts";
import { isObject, type ListReader } from "../../src/upstream/wire.ts";

interface Note {
  readonly id: number;
  readonly text: string;
}

const notes: ListReader<Note> = {
  where: "drawer 1",
  kind: "note",
  read(raw, issues) {
    if (!isObject(raw)) return fail("no object");
    const { id, text } = { id: raw["id"], text: raw["text"] };
    if (typeof id !== "number") return fail("no id");
    if (text === undefined) issues.omitted("text");
    return ok({ id, text: typeof text === "string" ? text : "" });
  },
  keyOf: ({ id }) => id,
};

function read(list: unknown, since: ListElements | null = null) {
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  const body = new TextEncoder().encode(typeof list === "string" ? list : JSON.stringify(list));
  return readList(body, { list: notes, since, pause }).then((snapshot) => ({ snapshot, pauses }));
}

const elementsOf = async (list: unknown) => (await read(list)).snapshot?.elements ?? null;

describe("readList()", () => {
  const first = { id: 1, text: "one" };
  const second = { id: 2, text: "two" };

  it("reads every element when there is nothing to compare with", async () => {
    const { snapshot } = await read([first, second]);
    expect(snapshot).toMatchObject({ items: [first, second], same: 0, gone: null, problems: [] });
    expect(snapshot?.elements?.size).toBe(2);
  });

  it("reads only what differs, in any order", async () => {
    const since = await elementsOf([first, second]);
    const changed = { ...second, text: "other" };
    const { snapshot } = await read([changed, { id: 3, text: "three" }, first], since);
    expect(snapshot).toMatchObject({ items: [changed, { id: 3 }], same: 1, gone: [] });
    expect((await read([first], since)).snapshot).toMatchObject({ items: [], same: 1, gone: [2] });
  });

  it.each([
    ["an element cannot be read", [first, { text: "no id" }]],
    ["an element omits a field", [first, { id: 2 }]],
    ["an id comes twice", [first, second, { ...first, text: "again" }]],
    ["an element comes twice", [first, second, first]],
  ])("reads every element when %s", async (_, list) => {
    const since = await elementsOf([first, second]);
    const [whole, compared] = [await read(list), await read(list, since)];
    expect(whole.snapshot?.gone).toBeNull();
    expect(compared.snapshot).toEqual(whole.snapshot);
    expect(compared.snapshot?.elements).toBeNull();
  });

  it.each([
    ["no list", '{"code":1}'],
    ["a damaged element", '[{"id":1,}]'],
    ["a list that is cut", '[{"id":1}'],
  ])("leaves %s to a complete reading", async (_, body) => {
    expect((await read(body)).snapshot).toBeNull();
  });

  it("leaves what is not UTF-8 to a complete reading", async () => {
    const body = Uint8Array.from(
      [...new TextEncoder().encode('[{"id":1,"text":"')].concat([0xff, 0x22, 0x7d, 0x5d]),
    );
    expect(
      await readList(body, { list: notes, since: null, pause: async () => undefined }),
    ).toBeNull();
  });

  it("pauses while it reads a long list", async () => {
    const long = Array.from({ length: 1000 }, (_, id) => ({ id, text: "x".repeat(1000) }));
    expect((await read(long)).pauses).toBeGreaterThan(10);
  });

  it("together with an earlier list says what a complete reading says", async () => {
    const some = fc.uniqueArray(
      fc.record({ id: fc.integer({ min: 1, max: 12 }), text: fc.string({ maxLength: 3 }) }),
      { selector: ({ id }) => id, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(some, some, async (before, after) => {
        const { snapshot } = await read(after, await elementsOf(before));
        const known = new Map(before.map((note) => [note.id, note]));
        for (const id of snapshot?.gone ?? []) known.delete(id);
        for (const note of snapshot?.items ?? []) known.set(note.id, note);
        expect([...known.values()].toSorted((a, b) => a.id - b.id)).toEqual(
          after.toSorted((a, b) => a.id - b.id),
        );
        expect((snapshot?.same ?? 0) + (snapshot?.items.length ?? 0)).toBe(after.length);
        expect(snapshot?.elements).toEqual(await elementsOf(after));
      }),
    );
  });
});
