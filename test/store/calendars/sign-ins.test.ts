import { expect, it } from "vitest";
import { personId } from "../../../src/domain/ids.ts";
import { storeRig } from "../rig.ts";

const [ann, bob] = [personId(11), personId(12)];

it("appPasswords.set() keeps only a person's new password, with its time", () => {
  const { store, clock } = storeRig();
  expect(store.appPasswords.get(ann)).toBeNull();
  store.appPasswords.set(ann, { salt: "a", digest: "b" });
  clock.advance({ hours: 1 });
  store.appPasswords.set(ann, { salt: "c", digest: "d" });
  store.appPasswords.set(bob, { salt: "e", digest: "f" });
  expect(store.appPasswords.get(ann)).toEqual({ salt: "c", digest: "d", createdAt: clock() });
  expect(store.appPasswords.list()).toEqual([ann, bob]);
  expect([store.appPasswords.clear(ann), store.appPasswords.clear(ann)]).toEqual([true, false]);
  expect(store.appPasswords.list()).toEqual([bob]);
});
