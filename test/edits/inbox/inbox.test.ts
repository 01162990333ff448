import { expect, it } from "vitest";
import { describeFile, readAccepted } from "../../../src/edits/inbox/plan-text.ts";
import { inLanguage } from "../../../src/texts/say.ts";
import { anEvent } from "../../support/items.ts";
import { calendar, vevent, withItem } from "../rig.ts";
import { born, inboxRig } from "./inbox-rig.ts";

it("applies a file, and moves it to done with the report of the command line", async () => {
  const { rig, uid } = withItem(inboxRig(), anEvent(1, { title: "Review" }));
  const text = calendar(
    vevent(uid, "SUMMARY:Review, moved", "LOCATION:Room 5"),
    vevent("new-1@example.com", "SUMMARY:Kick-off", "DTSTART;VALUE=DATE:20270401"),
  );
  const twin = withItem(inboxRig(), anEvent(1, { title: "Review" }));
  const uploaded = describeFile(
    { file: "website/plan.ics", answer: readAccepted(twin.rig.plan(text)) },
    false,
  );
  rig.drop("website/plan.ics", text);
  await rig.settle();

  expect(rig.edits().map(({ channel, actor, action }) => [channel, actor, action])).toEqual([
    ["inbox", null, "update"],
    ["inbox", null, "create"],
  ]);
  expect(rig.files("website")).toEqual([]);
  expect(rig.files("done")).toEqual(["website/plan.ics", "website/plan.ics.report.txt"]);
  const report = rig.report("done/website/plan.ics");
  expect(report).toBe(uploaded);
  expect(report).toContain("accepted as edit 1: renamed Review to Review, moved");
  expect(report).toMatch(/line 7: LOCATION .*no field for a place/);
  expect(rig.store.inboxFiles.all()).toEqual([]);
  expect(rig.inbox().state()).toMatchObject({
    problem: null,
    waiting: 0,
    last: { file: "website/plan.ics", target: "done/website/plan.ics" },
  });
  expect(rig.events).toEqual([
    { kind: "finished", file: "website/plan.ics", target: "done/website/plan.ics" },
  ]);
  expect(rig.woken()).toBe(1);
});

it("moves a file to refused, with the reason, if the service cannot store a time", async () => {
  const rig = inboxRig();
  const late = vevent("late@example.com", "SUMMARY:Late", "DTSTART:20261025T013000Z");
  rig.drop("2001/late.ics", calendar(late));
  await rig.settle();
  expect(rig.files("refused")).toEqual(["2001/late.ics", "2001/late.ics.report.txt"]);
  expect(rig.report("refused/2001/late.ics")).toMatch(/the second 2026-10-25 02:30/);
  expect(rig.edits()).toEqual([]);
});

it("writes the report in the current language", async () => {
  const rig = inboxRig();
  rig.drop("2001/new.ics", born("new@example.com"));
  rig.drop("2001/gone.ics", calendar(vevent("gone@example.com", "STATUS:CANCELLED")));
  await inLanguage(
    () => "de",
    () => rig.settle(),
  );
  expect(rig.report("done/2001/new.ics")).toMatch(/^ {2}angenommen als Änderung 1: /m);
  expect(rig.report("refused/2001/gone.ics")).toContain("Es ist nichts zu löschen");
});

it("waits until a file is no longer written, and longer for a truncated one", async () => {
  const rig = inboxRig();
  const whole = born("slow@example.com");
  rig.drop("2001/slow.ics", whole.slice(0, 60));
  await rig.look();
  rig.drop("2001/slow.ics", whole.slice(0, 100));
  await rig.settle(400);
  expect(rig.inbox().rest().total("milliseconds")).toBe(250);
  await rig.settle(600);
  await rig.settle(5000);
  expect(rig.files("refused")).toEqual([]);
  expect(rig.inbox().state().waiting).toBe(1);
  rig.drop("2001/slow.ics", whole);
  await rig.settle();
  expect(rig.files("done")).toEqual(["2001/slow.ics", "2001/slow.ics.report.txt"]);
  expect(rig.inbox().rest().total("milliseconds")).toBe(5000);
  expect(rig.edits()).toHaveLength(1);
});

it("refuses a file that stays truncated, with its line", async () => {
  const rig = inboxRig();
  rig.drop("2001/cut.ics", born("cut@example.com").slice(0, 100));
  await rig.settle();
  expect(rig.files("refused")).toEqual([]);
  await rig.settle(11_000);
  expect(rig.report("refused/2001/cut.ics")).toMatch(/refused: line \d+: the file ends inside/);
});

it.each([
  ["not UTF-8", Buffer.from([0x42, 0xff, 0xfe, 0x41]), "not UTF-8"],
  ["a web page", "<html>sign in</html>", "a web page"],
  ["too large", Buffer.alloc(5_000_001, 65), "more than the 5000000 allowed"],
  ["no calendar", "hello", "no BEGIN:VCALENDAR"],
  ["without items", calendar(), "line 1: the calendar has no VEVENT and no VTODO"],
])("refuses a file that is %s, with the reason", async (_what, content, reason) => {
  const rig = inboxRig();
  rig.drop("2001/bad.ics", content);
  await rig.settle();
  expect(rig.report("refused/2001/bad.ics")).toContain(`refused: `);
  expect(rig.report("refused/2001/bad.ics")).toContain(reason);
});

it("names UID, line and reason of everything it refuses or leaves aside", async () => {
  const rig = inboxRig();
  rig.drop(
    "2001/mixed.ics",
    calendar(
      vevent("good@x", "SUMMARY:Good", "DTSTART;VALUE=DATE:20270401"),
      vevent("weekly@x", "SUMMARY:Weekly", "DTSTART:20270401T100000Z", "RRULE:FREQ=WEEKLY"),
      "BEGIN:VJOURNAL\r\nUID:diary@x\r\nEND:VJOURNAL",
    ),
  );
  await rig.settle();
  const report = rig.report("done/2001/mixed.ics");
  expect(report).toMatch(/refused event "Weekly" \(UID weekly@x\)\n {4}line \d+: RRULE/);
  expect(report).toMatch(/refused: line \d+: VJOURNAL is ignored.*\(UID diary@x\)/);
});

it("moves a file without changes to done", async () => {
  const { rig, uid } = withItem(inboxRig(), anEvent(1, { title: "Review" }));
  rig.drop("same.ics", calendar(vevent(uid, "SUMMARY:Review")));
  await rig.settle();
  expect(rig.report("done/same.ics")).toContain("1 unchanged");
  expect(rig.edits()).toEqual([]);
});

it("keeps both files if the same name comes again, each with its report", async () => {
  const rig = inboxRig();
  for (const title of ["One", "Two", "Three"]) {
    rig.drop("2001/x.ics", born(`${title}@x`, title));
    await rig.settle();
  }
  expect(rig.files("done").filter((name) => name.endsWith(".ics"))).toEqual([
    "2001/x.20261120T120000Z-2.ics",
    "2001/x.20261120T120000Z.ics",
    "2001/x.ics",
  ]);
  expect(rig.report("done/2001/x.20261120T120000Z-2.ics")).toContain("Three");
  expect(rig.files("done")).toHaveLength(6);
});

it("holds edits in review mode, and says so in the report", async () => {
  const rig = inboxRig({ mode: "review" });
  rig.drop("2001/x.ics", born("x@example.com"));
  await rig.settle();
  expect(rig.edits().map(({ state }) => state)).toEqual(["held"]);
  expect(rig.files("done")).toContain("2001/x.ics");
});

it("waits until the workspace was read for the first time", async () => {
  const rig = inboxRig();
  rig.knows(false);
  rig.drop("2001/x.ics", born("x@example.com"));
  await rig.settle();
  await rig.settle();
  expect(rig.edits()).toEqual([]);
  rig.knows(true);
  await rig.settle();
  expect(rig.edits()).toHaveLength(1);
});
