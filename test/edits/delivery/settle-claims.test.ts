import { describe, expect, it } from "vitest";
import { ClaimLeases } from "../../../src/edits/delivery/settle.ts";

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

describe("ClaimLeases", () => {
  it("catchUp() result when disk space is available again: notes and endings are stored, each once", () => {
    const { stored, store, makeRoom } = smallStore();
    const leases = new ClaimLeases<number>();
    leases.begin(1);
    leases.keep(store("note"));
    expect(() => leases.end(1, { store: store("ending"), giveUp: never })).toThrow(full);
    expect(() => leases.catchUp()).toThrow(full);
    expect(leases.isLost(1)).toBe(false);
    makeRoom();
    leases.catchUp();
    leases.catchUp();
    expect(stored).toEqual(["note", "ending"]);
    expect(leases.isLost(1)).toBe(true);
  });

  it("end() result when storing fails for another reason: it is given up, later where the disk refuses that", () => {
    const { stored, store, makeRoom } = smallStore();
    const leases = new ClaimLeases<number>();
    leases.begin(1);
    const broken = () => {
      throw new Error("broken");
    };
    expect(() => leases.end(1, { store: broken, giveUp: store("given up") })).toThrow(full);
    makeRoom();
    leases.catchUp();
    expect(stored).toEqual(["given up"]);
  });

  it("keep() throws what is no fault of the disk", () => {
    const leases = new ClaimLeases<number>();
    expect(() =>
      leases.keep(() => {
        throw new Error("broken");
      }),
    ).toThrow("broken");
  });

  it("keep() result when an earlier note still waits: both are stored in their order", () => {
    const { stored, store, makeRoom } = smallStore();
    const leases = new ClaimLeases<number>();
    leases.keep(store("lost"));
    makeRoom();
    leases.keep(store("ended"));
    expect(stored).toEqual(["lost", "ended"]);
  });

  it("catchUp() throws a note's own fault once, and holds up nothing with it", () => {
    const { stored, store, makeRoom } = smallStore();
    const leases = new ClaimLeases<number>();
    let isFull = true;
    leases.keep(() => {
      throw isFull ? full : new Error("broken");
    });
    isFull = false;
    makeRoom();
    expect(() => leases.catchUp()).toThrow("broken");
    leases.keep(store("next"));
    leases.catchUp();
    expect(stored).toEqual(["next"]);
  });

  it("isLost() result when a claim is of a running step, or of none", () => {
    const leases = new ClaimLeases<number>();
    leases.begin(1);
    expect([leases.isLost(1), leases.isLost(2)]).toEqual([false, true]);
  });
});
