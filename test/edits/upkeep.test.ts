import { atOnce } from "@dayferry/event-loop";
import { expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import { forgetOld } from "../../src/edits/upkeep.ts";
import { noItem } from "../../src/store/mails/ledger.ts";
import { drainRig, withEvent } from "./delivery/drain-rig.ts";
import { calendar, vevent } from "./rig.ts";

it("forgets an edit 90 days after it ended, not a day earlier", async () => {
  const { rig, uid } = await withEvent(drainRig());
  rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
  await rig.drainAll();
  rig.clock.advance({ hours: 24 * 89 });
  expect(atOnce(forgetOld(rig))).toBe(0);
  rig.clock.advance({ hours: 24 * 1, seconds: 1 });
  expect(atOnce(forgetOld(rig))).toBe(1);
  expect(rig.states()).toEqual([]);
  expect(rig.store.view.findUid(uid)?.item.title).toBe("Renamed");
});

it("forgets old mails, except for each person's last digest", async () => {
  const rig = await drainRig();
  const { ledger } = rig.store;
  const day = (occurrence: string) =>
    ({ kind: "digest", item: noItem, occurrence, lead: "", person: personId(11) }) as const;
  for (const on of ["2026-08-01", "2026-08-02"]) ledger.leaveEmpty(day(on), `<${on}@x>`);
  rig.clock.advance({ hours: 24 * 91 });
  atOnce(forgetOld(rig));
  expect(ledger.get(day("2026-08-01"))).toBeNull();
  expect(ledger.get(day("2026-08-02"))).toMatchObject({ state: "empty" });
});
