import { expect, it } from "vitest";
import { forgetOld } from "../../src/edits/upkeep.ts";
import { drainRig } from "./delivery/drain-rig.ts";
import { calendar, vevent } from "./rig.ts";

it("forgetOld() result when an edit ended 90 days ago: it goes, not a day earlier", async () => {
  const rig = await drainRig();
  const { uid } = await rig.event();
  rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
  await rig.drainAll();
  rig.clock.advance({ hours: 24 * 89 });
  expect(forgetOld(rig)).toBe(0);
  rig.clock.advance({ hours: 24 * 1, seconds: 1 });
  expect(forgetOld(rig)).toBe(1);
  expect(rig.states()).toEqual([]);
  expect(rig.store.view.findUid(uid)?.item.title).toBe("Renamed");
});
