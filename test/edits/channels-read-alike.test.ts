import { describe, expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { startDav } from "../support/dav-server.ts";
import { times } from "../support/items.ts";
import { inboxRig } from "./inbox/inbox-rig.ts";
import { acceptRig, calendar, vevent } from "./rig.ts";
import { subscriptionRig, usual } from "./subscription/subscription-rig.ts";

const own = [
  "BEGIN:VTIMEZONE",
  "TZID:tzone://Microsoft/Custom",
  "BEGIN:STANDARD",
  "DTSTART:16010101T020000",
  "RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11",
  "TZOFFSETFROM:-0400",
  "TZOFFSETTO:-0500",
  "END:STANDARD",
  "BEGIN:DAYLIGHT",
  "DTSTART:16010101T020000",
  "RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3",
  "TZOFFSETFROM:-0500",
  "TZOFFSETTO:-0400",
  "END:DAYLIGHT",
  "END:VTIMEZONE",
].join("\r\n");
const inOwnZone = vevent(
  "own@example.com",
  "SUMMARY:Own",
  "DTSTAMP:20261121T080000Z",
  "DTSTART;TZID=tzone://Microsoft/Custom:20270701T100000",
  "DTEND;TZID=tzone://Microsoft/Custom:20270701T110000",
);
const disputed = vevent(
  "disputed@example.com",
  "SUMMARY:Disputed",
  "DTSTAMP:20261121T080000Z",
  "DTSTART;TZID=Europe/Berlin;TZID=Asia/Tokyo:20270701T100000",
);
/** In Berlin, the account's zone. */
const wish = times("2027-07-01T16:00", "2027-07-01T17:00");
const both = /2027-07-01T08:00:00Z to one reader and 2027-07-01T01:00:00Z to another/;

describe("a time zone defined in the file is read, and an ambiguous time is refused, in", () => {
  it("an upload", () => {
    const rig = acceptRig();
    const plan = rig.plan(calendar(own, inOwnZone, disputed), { projectId: projectId(2001) });
    expect(plan.items.map(({ action }) => action)).toEqual(["create", "refused"]);
    expect(plan.errors).toMatchObject([
      { code: "readers-disagree", message: expect.stringMatching(both) },
    ]);
    expect(rig.edits()[0]?.patch).toMatchObject({ when: wish });
  });

  it("a dropped file", async () => {
    const rig = inboxRig();
    rig.drop("2001/both.ics", calendar(own, inOwnZone, disputed));
    await rig.settle();
    expect(rig.edits().map(({ patch }) => patch)).toMatchObject([{ when: wish }]);
    expect(rig.report("done/2001/both.ics")).toMatch(both);
  });

  it("a subscribed calendar", async () => {
    const rig = await subscriptionRig({ options: { new: "create" } });
    await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual));
    await rig.shows(vevent("old@x", "SUMMARY:Old", ...usual), own, inOwnZone, disputed);
    expect(rig.edits().map(({ patch }) => patch)).toMatchObject([{ when: wish }]);
    expect(rig.state().notes).toEqual([expect.stringMatching(both)]);
  });

  it("a CalDAV object", async () => {
    const { call, store } = await startDav();
    const put = (name: string, text: string) =>
      call(`PUT /dav/calendars/11/events-2001/${name}.ics`, {
        headers: { "content-type": "text/calendar" },
        body: calendar(text),
      });
    expect((await put("own", `${own}\r\n${inOwnZone}`)).status).toBe(201);
    expect(store.view.findUid("own@example.com")?.item).toMatchObject({ title: "Own" });
    const refused = await put("disputed", disputed);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("valid-calendar-data");
    expect(refused.text).toMatch(both);
  });
});
