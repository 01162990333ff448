import { expect, it } from "vitest";
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

it("notes and endings are stored once disk space is available again, each once", () => {
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

it("a claim is given up if storing fails for another reason", () => {
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

it("throws errors that are not the disk's", () => {
  const leases = new ClaimLeases<number>();
  expect(() =>
    leases.keep(() => {
      throw new Error("broken");
    }),
  ).toThrow("broken");
});

it("an earlier note that still waits is stored first", () => {
  const { stored, store, makeRoom } = smallStore();
  const leases = new ClaimLeases<number>();
  leases.keep(store("lost"));
  makeRoom();
  leases.keep(store("ended"));
  expect(stored).toEqual(["lost", "ended"]);
});

it("a note's own error is thrown once and does not block others", () => {
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

it("a claim is lost unless its step is running", () => {
  const leases = new ClaimLeases<number>();
  leases.begin(1);
  expect([leases.isLost(1), leases.isLost(2)]).toEqual([false, true]);
});
