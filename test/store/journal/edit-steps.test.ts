import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import type { Channel } from "../../../src/domain/edit.ts";
import { type EditId, personId, projectId } from "../../../src/domain/ids.ts";
import type { Patch } from "../../../src/domain/patch.ts";
import { leaveCreating } from "../../support/edits.ts";
import { anEvent } from "../../support/items.ts";
import { handClock, testStore } from "../../support/test-store.ts";

function setUp() {
  const clock = handClock("2026-11-20T12:00:00Z");
  const store = testStore(clock);
  function add(
    id: number,
    {
      patch = { title: "Mine" },
      channel = "caldav",
      person = 11,
      project = 2001,
      state = "pending",
    }: {
      readonly patch?: Patch;
      readonly channel?: Channel;
      readonly person?: number | null;
      readonly project?: number;
      readonly state?: "pending" | "held";
    } = {},
  ): EditId {
    const base = anEvent(id, { projectId: projectId(project) });
    store.mirror.put(base, `events:${project}`);
    const item = store.mirror.find("event", base.id);
    if (item === null) throw new Error("the event is not mirrored");
    const actor = person === null ? null : personId(person);
    const edit = { channel, actor, item, base, patch, state } as const;
    return store.journal.append({ ...edit, action: "update", newLabels: [], program: "Test/1" });
  }
  const kinds = (id: EditId) => store.editSteps.of(id).map(({ kind, times }) => `${kind} ${times}`);
  return { store, clock, add, kinds };
}

describe("editSteps.of()", () => {
  it("gives each step once with its count, and starts a new round after a person's decision", () => {
    const { store, clock, add, kinds } = setUp();
    const id = add(1, { state: "held" });
    expect(kinds(id)).toEqual([]);
    store.journal.resume(id);
    for (let nth = 0; nth < 3; nth++) {
      clock.advance({ minutes: 1 });
      const claimed = store.journal.claimNext();
      if (!claimed) return expect.fail("nothing to claim");
      leaveCreating(store, id);
      clock.advance({ seconds: 1 });
      const notBefore = clock();
      store.journal.settle(claimed, { kind: "retry", notBefore, problem: "HTTP 503" });
    }
    expect(kinds(id)).toEqual(["approved 1", "taken-up 3", "sent 3", "postponed 3"]);
    const [, , sent] = store.editSteps.of(id);
    expect([sent?.at.toString(), sent?.lastAt.toString()]).toEqual([
      "2026-11-20T12:01:00Z",
      "2026-11-20T12:03:02Z",
    ]);
    const claimed = store.journal.claimNext();
    if (!claimed) return expect.fail("nothing to claim");
    store.journal.settle(claimed, { kind: "park", reason: "refused", problem: "no such person" });
    clock.advance({ hours: 1 });
    store.journal.resume(id);
    store.journal.claimNext();
    store.journal.release();
    expect(kinds(id).slice(4)).toEqual(["refused 1", "released 1", "taken-up 1", "postponed 1"]);
    expect(store.editSteps.of(id)[4]?.detail).toBe("no such person");
  });

  it("ends with the edit", () => {
    const { store, clock, add, kinds } = setUp();
    const id = add(1);
    store.journal.discard(id, "not wanted");
    expect(kinds(id)).toEqual(["discarded 1"]);
    clock.advance({ hours: 1 });
    expect(atOnce(store.pastEdits.prune(clock()))).toBe(1);
    expect(kinds(id)).toEqual([]);
  });
});

describe("editSearch.find()", () => {
  it("narrows by each filter, newest first", () => {
    const { store, clock, add } = setUp();
    const uid = `event-1@${store.meta.installation}`;
    const first = add(1);
    clock.advance({ hours: 1 });
    const second = add(2, { channel: "upload", person: null, project: 2002 });
    const third = add(3, { patch: { title: "100 % sure_thing" }, person: 12, state: "held" });
    const find = (filter: Parameters<typeof store.editSearch.find>[0], limit = 10) =>
      store.editSearch.find(filter, limit).map(({ id }) => id);
    expect(find({})).toEqual([third, second, first]);
    expect(find({}, 1)).toEqual([third]);
    expect(find({ before: third })).toEqual([second, first]);
    expect(find({ states: ["held", "parked"] })).toEqual([third]);
    expect(find({ actor: null })).toEqual([second]);
    expect(find({ actor: personId(12) })).toEqual([third]);
    expect(find({ project: projectId(2002) })).toEqual([second]);
    expect(find({ channel: "upload" })).toEqual([second]);
    expect(find({ item: uid })).toEqual([first]);
    expect(find({ item: "sure_" })).toEqual([third]);
    expect(find({ item: "event 2" })).toEqual([second]);
    expect(find({ item: "e_e" })).toEqual([]);
    expect(find({ since: clock() })).toEqual([third, second]);
    expect(find({ since: clock(), actor: null, states: ["held"] })).toEqual([]);
  });

  it("keeps the program that sent an edit, if it names one", () => {
    const { store, add } = setUp();
    expect(store.journal.get(add(1))?.program).toBe("Test/1");
  });
});
