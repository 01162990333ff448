import { describe, expect, it } from "vitest";
import { ClaimKeeper } from "../../../src/edits/delivery/attempt.ts";

const full = Object.assign(new Error("no space left"), { code: "ENOSPC", syscall: "write" });

/** A store that is full until told otherwise. */
function smallStore() {
  const stored: string[] = [];
  let isFull = true;
  const store = (what: string) => () => {
    if (isFull) throw full;
    stored.push(what);
  };
  const makeRoom = () => {
    isFull = false;
  };
  return { stored, store, makeRoom };
}

const never = () => {
  throw new Error("given up");
};

describe("ClaimKeeper", () => {
  it("catchUp() result when there is room again: notes and endings are stored, each once", () => {
    const { stored, store, makeRoom } = smallStore();
    const keeper = new ClaimKeeper<number>();
    keeper.begin(1);
    keeper.keep(store("note"));
    expect(() => keeper.end(1, { store: store("ending"), giveUp: never })).toThrow(full);
    expect(() => keeper.catchUp()).toThrow(full);
    expect(keeper.isLost(1)).toBe(false);
    makeRoom();
    keeper.catchUp();
    keeper.catchUp();
    expect(stored).toEqual(["note", "ending"]);
    expect(keeper.isLost(1)).toBe(true);
  });

  it("end() result when storing fails for another reason: it is given up, later where the disk refuses that", () => {
    const { stored, store, makeRoom } = smallStore();
    const keeper = new ClaimKeeper<number>();
    keeper.begin(1);
    const broken = () => {
      throw new Error("broken");
    };
    expect(() => keeper.end(1, { store: broken, giveUp: store("given up") })).toThrow(full);
    makeRoom();
    keeper.catchUp();
    expect(stored).toEqual(["given up"]);
  });

  it("keep() throws what is no fault of the disk", () => {
    const keeper = new ClaimKeeper<number>();
    expect(() =>
      keeper.keep(() => {
        throw new Error("broken");
      }),
    ).toThrow("broken");
  });

  it("keep() result when an earlier note still waits: both are stored in their order", () => {
    const { stored, store, makeRoom } = smallStore();
    const keeper = new ClaimKeeper<number>();
    keeper.keep(store("lost"));
    makeRoom();
    keeper.keep(store("ended"));
    expect(stored).toEqual(["lost", "ended"]);
  });

  it("catchUp() throws a note's own fault once, and holds up nothing with it", () => {
    const { stored, store, makeRoom } = smallStore();
    const keeper = new ClaimKeeper<number>();
    let isFull = true;
    keeper.keep(() => {
      throw isFull ? full : new Error("broken");
    });
    isFull = false;
    makeRoom();
    expect(() => keeper.catchUp()).toThrow("broken");
    keeper.keep(store("next"));
    keeper.catchUp();
    expect(stored).toEqual(["next"]);
  });

  it("isLost() result when a claim is of a running step, or of none", () => {
    const keeper = new ClaimKeeper<number>();
    keeper.begin(1);
    expect([keeper.isLost(1), keeper.isLost(2)]).toEqual([false, true]);
  });
});
