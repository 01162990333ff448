import ICAL from "ical.js";
import { describe, expect, it } from "vitest";
import type { Mailer } from "../../src/mail/mail.ts";
import { createInvitations, type InvitationEvent } from "../../src/reminders/invitations.ts";
import { times } from "../support/items.ts";
import { readBack } from "../support/read-back.ts";
import { handClock, testStore } from "../support/test-store.ts";
import {
  aMailer,
  ana,
  anEvent,
  anInbox,
  ben,
  berlin,
  everyKind,
  type Inbox,
  people,
  putEvent,
  type Reply,
} from "./rig.ts";

/** A minute and a second: changes within a minute are merged. */
const merged = { seconds: 61 };

async function invitationRig({ reply, mailer }: { reply?: Reply; mailer?: Mailer } = {}) {
  const inbox = await anInbox(reply);
  const clock = handClock("2026-11-20T08:00:00Z");
  const store = testStore(clock);
  store.directory.putPeople(people, true);
  const project = { id: anEvent().projectId, title: "Website", description: null, color: null };
  store.directory.putProjects([{ ...project, archived: false, members: [] }], true);
  const events: InvitationEvent[] = [];
  let isSwept = true;
  const invitations = createInvitations({
    ...{ store, clock, zone: berlin, perMinute: 1000, webUrl: null, random: () => 0 },
    mailer: mailer ?? aMailer(inbox),
    from: { name: "Dayferry", address: "dayferry@example.com" },
    wishes: () => everyKind,
    choiceUrl: ({ choice }) => `https://calendars.example.com/unsubscribe/${choice}`,
    swept: () => isSwept,
    onEvent: (event) => events.push(event),
  });
  const step = () => invitations.step(new AbortController().signal);
  const put = (fields: Parameters<typeof anEvent>[0] = {}) => putEvent(store, fields);
  /** Lets a minute pass, and sends. */
  const settle = async () => {
    await step();
    clock.set(clock().add(merged).toString());
    while ((await step()) === "worked");
  };
  store.mailChoices.turnOn(ana, "invitations");
  const sweep = (swept: boolean) => {
    isSwept = swept;
  };
  return { inbox, clock, store, events, step, settle, put, sweep };
}

/** What a mail program receives: the calendar as a part and as an attachment, and its contents. */
function calendarsIn({ mails }: Inbox) {
  return mails.map(({ to, mail }) => {
    const parts = mail.attachments.filter(({ mimeType }) => /calendar|ics/.test(mimeType));
    const texts = parts.map(({ content }) => Buffer.from(content as ArrayBuffer).toString());
    const text = (texts[0] ?? "").replaceAll(/\r?\n/g, "\r\n");
    expect(new Set(texts).size).toBe(1);
    const calendar = new ICAL.Component(ICAL.parse(text));
    const event = calendar.getFirstSubcomponent("vevent");
    const value = (name: string) => String(event?.getFirstPropertyValue(name) ?? "");
    const [read] = readBack(text).values();
    return {
      ...{ to, subject: mail.subject ?? "", text, read },
      method: String(calendar.getFirstPropertyValue("method")),
      headers: parts.map(({ method }) => method),
      sequence: Number(value("sequence")),
      status: value("status"),
      organizer: value("organizer"),
      attendee: event?.getFirstProperty("attendee")?.toICALString() ?? "",
    };
  });
}

describe("invitations", () => {
  it("go to assigned people who chose them, as a request that calendars accept", async () => {
    const rig = await invitationRig();
    rig.put({ assigned: [ana, ben], description: "Bring <b>prints</b>" });
    await rig.settle();
    const [first, ...others] = calendarsIn(rig.inbox);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      to: "ana@example.com",
      subject: expect.stringMatching(/^Invitation: Design review, Tue 24 Nov 2026/),
      method: "REQUEST",
      status: "CONFIRMED",
      organizer: "mailto:dayferry@example.com",
      attendee: "ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=FALSE;CN=Ana:mailto:ana@example.com",
      read: {
        uid: `event-501@${rig.store.meta.installation}`,
        summary: "Design review",
        start: "2026-11-24T09:00:00Z",
        alarm: null,
      },
    });
    expect(first?.text).toContain("METHOD:REQUEST");
    const [mail] = rig.inbox.mails;
    expect(mail?.mail.text).toContain("Replies to this invitation are ignored");
    expect(mail?.mail.headers.find(({ key }) => key === "list-unsubscribe")?.value).toBe(
      "<https://calendars.example.com/unsubscribe/invitations>",
    );
  });

  it("have the event's reminder as an alarm only for people who chose that, and are sent again when they do", async () => {
    const rig = await invitationRig();
    rig.put({ reminder: Temporal.Duration.from({ minutes: 30 }) });
    await rig.settle();
    rig.store.mailChoices.turnOn(ana, "alarms");
    await rig.settle();
    await rig.settle();
    const texts = calendarsIn(rig.inbox).map(({ text }) => text);
    expect(texts).toHaveLength(2);
    expect(texts[0]).not.toContain("VALARM");
    expect(texts[1]).toMatch(
      /ATTENDEE(.|\r\n)*BEGIN:VALARM(.|\r\n)*TRIGGER:-PT30M(.|\r\n)*END:VALARM\r\nEND:VEVENT/,
    );
  });

  it("are one message for the changes of a minute, with a higher SEQUENCE and the same UID", async () => {
    const rig = await invitationRig();
    rig.put();
    await rig.settle();
    rig.put({ title: "Design talk" });
    await rig.step();
    rig.put({ title: "Design talk", when: times("2026-11-25T10:00", "2026-11-25T11:00") });
    await rig.settle();
    const [first, second, ...others] = calendarsIn(rig.inbox);
    expect(others).toEqual([]);
    expect(second).toMatchObject({
      subject: expect.stringMatching(/^Updated invitation: Design talk, Wed 25 Nov/),
      method: "REQUEST",
      read: { uid: first?.read?.uid, start: "2026-11-25T09:00:00Z" },
    });
    expect(second?.sequence).toBeGreaterThan(first?.sequence ?? 0);
    rig.put({ title: "Design talk", when: times("2026-11-25T10:00", "2026-11-25T11:00") });
    await rig.settle();
    expect(rig.inbox.mails).toHaveLength(2);
  });

  it.each([
    ["the person is no longer assigned", (rig: Rig) => void rig.put({ assigned: [ben] })],
    ["the event is deleted", (rig: Rig) => rig.store.mirror.bury(rig.put())],
  ])("are canceled when %s, and sent again when it returns", async (_what, end) => {
    const rig = await invitationRig();
    rig.put();
    await rig.settle();
    end(rig);
    await rig.settle();
    rig.put();
    await rig.settle();
    const [first, canceled, again, ...others] = calendarsIn(rig.inbox);
    expect(others).toEqual([]);
    expect(canceled).toMatchObject({
      subject: expect.stringMatching(/^Canceled: Design review/),
      ...{ method: "CANCEL", status: "CANCELLED" },
      read: { uid: first?.read?.uid },
    });
    expect(canceled?.sequence).toBeGreaterThan(first?.sequence ?? 0);
    expect(again?.method).toBe("REQUEST");
    expect(again?.sequence).toBeGreaterThan(canceled?.sequence ?? 0);
  });

  it("are not sent for what is over, far ahead, hidden, a task, or not chosen", async () => {
    const rig = await invitationRig();
    rig.put({ when: times("2026-11-19T10:00", "2026-11-19T11:00") });
    rig.put({ id: 502 as never, when: times("2027-03-01T10:00", "2027-03-01T11:00") });
    rig.put({ id: 503 as never, assigned: [ben] });
    await rig.settle();
    expect(rig.inbox.mails).toEqual([]);
    rig.clock.set("2027-01-20T08:00:00Z");
    await rig.settle();
    expect(calendarsIn(rig.inbox).map(({ read }) => read?.uid)).toEqual([
      `event-502@${rig.store.meta.installation}`,
    ]);
  });

  it("are not canceled before the workspace was read, nor after the event, nor by turning them off", async () => {
    const rig = await invitationRig();
    const key = rig.put();
    await rig.settle();
    rig.sweep(false);
    rig.store.mirror.bury(key);
    await rig.settle();
    expect(rig.inbox.mails).toHaveLength(1);
    rig.put();
    rig.sweep(true);
    rig.store.mailChoices.turnOff(ana, "invitations");
    await rig.settle();
    expect(rig.inbox.mails).toHaveLength(1);
    expect(rig.store.invitations.people()).toEqual([]);
    expect(rig.store.mailChoices.offOf(ana)).toContain("invitations");
  });

  it("are repeated with the same Message-ID after an outage, and only once", async () => {
    let code = 451;
    const rig = await invitationRig({ reply: () => code });
    rig.put();
    await rig.settle();
    expect(rig.events).toMatchObject([{ kind: "deferred" }]);
    code = 250;
    rig.clock.set(rig.clock().add({ minutes: 5 }).toString());
    await rig.settle();
    await rig.settle();
    expect(rig.inbox.mails).toHaveLength(1);
    expect(rig.inbox.mails[0]?.mail.messageId).toBe(rig.events[0]?.messageId);
  });
});

type Rig = Awaited<ReturnType<typeof invitationRig>>;
