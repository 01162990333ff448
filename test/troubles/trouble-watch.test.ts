import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import { loggedTrouble, troubleReport, troubleTiming } from "../../src/domain/trouble.ts";
import { type Trouble, troubleKinds } from "../../src/domain/trouble-kinds.ts";
import { createTroubleWatch, type TroubleEvent } from "../../src/troubles/trouble-watch.ts";
import { handClock, testDirectory, testStore } from "../support/test-store.ts";

const unreachable = (problem = "connect ECONNREFUSED"): Trouble => ({
  kind: "service-unreachable",
  problem,
});

/** A watch over the test's facts, on a database that outlives it. */
function aWatch() {
  const clock = handClock("2026-11-24T08:00:00Z");
  const file = join(testDirectory(), "dayferry.sqlite");
  let store = testStore(clock, file);
  const said: string[] = [];
  const state: { present: readonly Trouble[]; unsure: boolean } = { present: [], unsure: false };
  const start = () =>
    createTroubleWatch({
      store,
      clock,
      find: () => ({ present: state.present, isUnsure: () => state.unsure }),
      onEvent({ kind, trouble: one }: TroubleEvent) {
        const { trouble, what } = loggedTrouble(one, kind);
        said.push(`${kind} ${trouble}: ${what}`);
      },
    });
  let watch = start();
  return {
    clock,
    said,
    state,
    look: () => watch.look(),
    held: () => watch.held().map(({ trouble, since }) => [trouble.kind, since.toString()]),
    episodes: () =>
      store.troubles.open().map(({ identity, since }) => [identity, since.toString()]),
    restart: () => {
      store.close();
      store = testStore(clock, file);
      watch = start();
    },
  };
}

describe("TroubleWatch", () => {
  it("reports the beginning once and the end once, whatever the facts are in between", () => {
    const { clock, said, state, look } = aWatch();
    state.present = [unreachable()];
    look();
    clock.advance({ minutes: 1 });
    state.present = [unreachable("it answers 503")];
    look();
    state.present = [];
    look();
    clock.advance({ minutes: 5 });
    look();
    look();
    expect(said).toEqual([
      "begun service-unreachable: the service cannot be reached or is failing: connect ECONNREFUSED",
      "over service-unreachable: the service responds again",
    ]);
  });

  it("treats recurring trouble as one that began with the first", () => {
    const { clock, said, state, look, episodes } = aWatch();
    for (let turn = 0; turn < 20; turn++) {
      state.present = turn % 2 === 0 ? [unreachable()] : [];
      look();
      clock.advance({ minutes: 4 });
    }
    expect(said).toHaveLength(1);
    expect(episodes()).toEqual([["service-unreachable", "2026-11-24T08:00:00Z"]]);
  });

  it("continues after a restart without a new beginning", () => {
    const { clock, said, state, look, held, restart } = aWatch();
    state.present = [unreachable()];
    look();
    clock.advance({ hours: 1 });
    restart();
    look();
    expect(held()).toEqual([["service-unreachable", "2026-11-24T08:00:00Z"]]);
    expect(said).toHaveLength(1);
  });

  it("does not read silence as the end while nothing could have been reported", () => {
    const { clock, said, state, look, restart } = aWatch();
    state.present = [unreachable()];
    look();
    restart();
    state.present = [];
    state.unsure = true;
    look();
    clock.advance({ hours: 2 });
    look();
    expect(said).toHaveLength(1);
    state.unsure = false;
    look();
    clock.advance({ minutes: 5 });
    look();
    expect(said).toHaveLength(2);
  });

  it("starts counting the end again when the clock was set back", () => {
    const { clock, said, state, look } = aWatch();
    state.present = [unreachable()];
    look();
    state.present = [];
    look();
    clock.set("2026-11-24T06:00:00Z");
    look();
    clock.advance({ minutes: 5 });
    look();
    expect(said).toHaveLength(2);
  });
});

describe("troubleWords()", () => {
  it("say in one sentence what is wrong and what helps", () => {
    const since = Temporal.Instant.from("2026-11-24T08:00:00Z");
    expect(troubleReport({ trouble: { kind: "key-refused", person: null }, since })).toMatchObject({
      id: "key-refused",
      verdict: "broken",
      sentence:
        "The service refuses the account's key: syncing is paused, and edits wait → put a valid key into service.apiKeyFile, which is loaded within seconds; pending edits are kept.",
    });
    const problem = "the disk is full, so that nothing can be stored; make room, and all goes on";
    expect(troubleReport({ trouble: { kind: "storage-failing", problem }, since })).toMatchObject({
      what: "the disk is full, so that nothing can be stored",
      remedy: "make room, and all goes on",
    });
  });

  it("name no items, people or addresses in a log", () => {
    const problem = "550 <ana@example.com> is unknown here";
    const said = (trouble: Trouble) => Object.values(loggedTrouble(trouble, "begun")).join(": ");
    const person = { id: personId(11), name: "Ana Silva" };
    expect([
      said({ kind: "mail-refused", address: "ana@example.com", problem }),
      said({ kind: "mail-failing", waiting: 2, problem }),
      said({ kind: "key-refused", person }),
      said({
        kind: "edit-frozen",
        edit: 7,
        title: "Ana's salary",
        problem: "Ana's salary differs",
      }),
      said({ kind: "edit-repeated", edit: 8, title: "Ana's salary", problem: "Ana's salary" }),
    ]).toEqual([
      "mail-refused: mail to one address is not taken: 550 <…> is unknown here",
      "mail-failing: 2 mails wait for another try: 550 <…> is unknown here",
      "key-refused:11: the service refuses the key of person 11: this person's edits wait until it is accepted",
      "edit-frozen:7: edit 7 of “…”: see the page Edits",
      "edit-repeated:8: edit 8 of “…”: see the page Edits",
    ]);
  });

  it("allow some minutes of patience for each kind", () => {
    for (const { notifyAfter, overAfter } of troubleKinds.map((kind) => troubleTiming({ kind }))) {
      expect(notifyAfter.total("minutes")).toBeLessThanOrEqual(60);
      expect(overAfter.total("minutes")).toBeLessThanOrEqual(60);
    }
  });
});
