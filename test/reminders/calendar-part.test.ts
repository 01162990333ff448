import ICAL from "ical.js";
import ical from "node-ical";
import { describe, expect, it } from "vitest";
import type { Mailbox } from "../../src/mail/mail.ts";
import { writeCalendarPart } from "../../src/reminders/calendar-part.ts";
import { anEvent, aRig, berlin, mailedRig } from "./rig.ts";

/** The calendar part of a mail from this sender, about the event as a store shows it. */
function partFrom(from: Mailbox): string {
  const item = anEvent();
  const rig = aRig({ mailer: nobody, now: "2026-11-24T08:00:00Z" });
  rig.put(item);
  const [shown] = rig.store.view.ofProject(item.projectId);
  if (!shown) throw new Error("the event is not shown");
  return writeCalendarPart(shown, item, {
    hasAlarm: false,
    ...{ method: "PUBLISH", zone: berlin, link: null, from, to: null },
  });
}
const nobody = {
  send: () => Promise.resolve({ kind: "sent", response: "250" } as const),
  verify: () => Promise.resolve(null),
  close: () => undefined,
};

function readOrganizer(calendar: string) {
  const vevent = new ICAL.Component(ICAL.parse(calendar)).getFirstSubcomponent("vevent");
  const all = vevent?.getAllProperties("organizer") ?? [];
  expect(all).toHaveLength(1);
  return { name: all[0]?.getFirstParameter("cn") ?? null, address: all[0]?.getFirstValue() };
}

describe("writeCalendarPart()", () => {
  it.each([
    ["Dayferry", "Dayferry"],
    ["", null],
    ["  ", null],
    ["Reis, Ana: Planung; Berlin", "Reis, Ana: Planung; Berlin"],
    ['The "best" ^ calendar', 'The "best" ^ calendar'],
    ["Zeit\\Plan – Ä 🗓", "Zeit\\Plan – Ä 🗓"],
    ["a\r\nATTENDEE:mailto:evil@example.com", "a ATTENDEE:mailto:evil@example.com"],
    ["a\u2028b\u0000c", "a bc"],
    ["n".repeat(300), "n".repeat(300)],
  ])("names the sender as ORGANIZER when the name is %j", (name, read) => {
    const calendar = partFrom({ name, address: "dayferry@example.com" });
    expect(readOrganizer(calendar)).toEqual({ name: read, address: "mailto:dayferry@example.com" });
    expect(calendar).not.toMatch(/^ATTENDEE/m);
    const lines = calendar.split("\r\n");
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
    const [event] = Object.values(ical.parseICS(calendar)).filter(
      (part) => part?.type === "VEVENT",
    );
    expect(event).toMatchObject({ type: "VEVENT", summary: "Design review" });
  });

  it.each([
    ["day.ferry+mails@example.com", "mailto:day.ferry+mails@example.com"],
    ["a%b&c?d#e/f=g@example.com", "mailto:a%25b%26c%3Fd%23e%2Ff%3Dg@example.com"],
    ["jürgen@bücher.example", "mailto:j%C3%BCrgen@b%C3%BCcher.example"],
    ["a\r\nATTENDEE:b@example.com", "mailto:a%0D%0AATTENDEE%3Ab@example.com"],
    ["half\ud800@example.com", "mailto:half%EF%BF%BD@example.com"],
  ])("writes the address %j as a mailto URI", (address, uri) => {
    const calendar = partFrom({ name: "Dayferry", address });
    expect(readOrganizer(calendar).address).toBe(uri);
    expect(calendar).not.toMatch(/^ATTENDEE/m);
  });

  it("has what a published event must have, and none of what it must not", () => {
    const calendar = partFrom({ name: "Dayferry", address: "dayferry@example.com" });
    const vevent = new ICAL.Component(ICAL.parse(calendar)).getFirstSubcomponent("vevent");
    const names = vevent?.getAllProperties().map(({ name }) => name) ?? [];
    for (const name of ["dtstamp", "dtstart", "organizer", "summary", "uid", "sequence"]) {
      expect(names.filter((known) => known === name)).toEqual([name]);
    }
    for (const name of ["attendee", "request-status", "recurrence-id", "rrule"]) {
      expect(names).not.toContain(name);
    }
  });
});

it("a mail about an event carries its sender as ORGANIZER", async () => {
  const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:45:00Z" });
  rig.put(anEvent());
  await rig.run();
  const part = inbox.mails[0]?.mail.attachments[0];
  const bytes = part?.content ?? "";
  const text = typeof bytes === "string" ? bytes : Buffer.from(new Uint8Array(bytes)).toString();
  expect(part?.method).toBe("PUBLISH");
  expect(text).toMatch(/^ORGANIZER;CN=Dayferry:mailto:dayferry@example\.com$/m);
});
