import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { faketimeLibrary } from "../clients/programs.ts";
import { install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { mailsIn } from "../support/mails-in.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

const file = (title: string) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Tests//EN",
    "BEGIN:VEVENT",
    `UID:${title}@example.com`,
    "DTSTAMP:20260101T000000Z",
    `SUMMARY:${title}`,
    "DTSTART:20270328T080000Z",
    "DTEND:20270328T090000Z",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");

describe.skipIf(faketimeLibrary === null)("a daemon whose clock is set with faketime", () => {
  it("reminds once, keeps times and applies edits: an hour back, over a clock change, a year ahead and back", async () => {
    let aheadMs = 0;
    const now = () => Temporal.Now.instant().add({ milliseconds: aheadMs });
    const sandbox = await testSandbox({ clock: now });
    onTestFinished(() => sandbox.close());
    const by = ownerOf(sandbox);
    const project = sandbox.workspace.places()[0]?.project ?? 0;
    const place = install(sandbox, {
      mail: { from: "d@example.com", directory: "./mail" },
      reminders: { milestones: ["P1D"], at: "09:00" },
      operator: { mail: [] },
    });
    onTestFinished(place.dispose);
    const clockFile = join(place.folder, "clock");
    const set = (to: string) => {
      aheadMs = Math.round(Temporal.Now.instant().until(to).total("milliseconds"));
      writeFileSync(clockFile, `${aheadMs < 0 ? "-" : "+"}${Math.abs(aheadMs) / 1000}\n`);
    };
    set("2027-03-27T07:30:00Z");
    sandbox.workspace.events.create(
      { by, project },
      {
        title: "Launch",
        start: "2027-03-28",
        end: "2027-03-28",
        all_day: true,
        milestone: true,
        assigned: [by],
      },
    );
    const daemon = await serve(place, {
      ready: false,
      env: {
        LD_PRELOAD: faketimeLibrary ?? "",
        FAKETIME_TIMESTAMP_FILE: clockFile,
        FAKETIME_NO_CACHE: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      },
    });
    onTestFinished(() => daemon.stop("SIGKILL").then(() => undefined));
    await eventually("it has read everything", async () =>
      Object(await (await daemon.ask("/readyz")).json()).fresh === true ? true : null,
    );
    const folder = join(place.folder, "mail");
    const mails = () =>
      mailsIn(folder).flatMap(({ name, octets }) => (octets.includes("Launch") ? [name] : []));
    const events = () => sandbox.workspace.events.list({ by, project }, { view: "all" });
    const edit = async (title: string) => {
      const answer = await daemon.ask(`/api/edits?project=${project}`, {
        method: "POST",
        headers: { "content-type": "text/calendar" },
        body: file(title),
      });
      expect(answer.status).toBe(202);
      const arrived = await eventually(`${title} arrives`, () => {
        const found = events().filter((event) => event.title === title);
        return found.length > 0 ? found : null;
      });
      // Ten o'clock in summer time, whatever the machine's clock says.
      expect(arrived.map(({ start, end }) => [start, end])).toEqual([
        ["2027-03-28 10:00", "2027-03-28 11:00"],
      ]);
    };
    await edit("before");
    expect(mails()).toEqual([]);
    set("2027-03-27T08:05:00Z");
    await eventually("the reminder is written", () => (mails().length > 0 ? true : null));
    const [first] = mails();
    for (const [name, to] of [
      ["back an hour", "2027-03-27T07:05:00Z"],
      ["over nine once more", "2027-03-27T08:10:00Z"],
      ["over the change of clocks", "2027-03-28T01:30:00Z"],
      ["a year ahead", "2028-03-28T06:00:00Z"],
      ["a year back", "2027-03-28T06:05:00Z"],
    ] as const) {
      set(to);
      await edit(name);
      expect([name, mails()]).toEqual([name, [first]]);
    }
    expect(events().map(({ title }) => title)).toHaveLength(7);
    expect((await daemon.ask("/healthz")).status).toBe(200);
  }, 120_000);
});
