import { describe, expect, it } from "vitest";
import { personId, serviceId } from "../../src/domain/ids.ts";
import { dates, times } from "../support/items.ts";
import {
  aMailer,
  ana,
  anEvent,
  anInbox,
  aPerson,
  aRig,
  ben,
  cleo,
  mailedRig,
  messageIds,
  recipients,
  subjects,
} from "./rig.ts";

describe("step() sends one mail per assigned person", () => {
  it("exactly once over repeated steps and restarts", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:44:59Z", ticks: false });
    rig.put(anEvent({ assigned: [ana, ben] }));
    expect(await rig.step()).toBe("idle");
    expect(rig.nextAt()).toBe("2026-11-24T08:45:00Z");

    rig.set("2026-11-24T08:45:00Z");
    expect(rig.nextAt()).toBe("2026-11-24T08:45:00Z");
    expect(await rig.step()).toBe("worked");
    expect(await rig.step()).toBe("idle");
    rig.restart();
    rig.advance({ minutes: 5 });
    expect(await rig.step()).toBe("idle");
    expect(rig.nextAt()).toBeNull();
    expect(recipients(inbox)).toEqual(["ana@example.com", "ben@example.com"]);
    expect(rig.store.ledger.state()).toMatchObject({ sent: 2, deferred: 0, rejected: 0 });
    expect(rig.events.map(({ kind }) => kind)).toEqual(["sent", "sent"]);
    expect(new Set(messageIds(inbox)).size).toBe(2);
  });

  it("each in their language", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:50:00Z" });
    rig.store.personLanguages.choose(ana, "de");
    rig.store.personLanguages.note(ben, "fr");
    rig.put(anEvent({ assigned: [ana, ben, cleo] }));
    await rig.run();
    expect(subjects(inbox).toSorted()).toEqual([
      expect.stringMatching(/^Erinnerung: .+ – Di\., 24\. Nov\. 2026, 09:00/),
      expect.stringMatching(/^Rappel : .+ – mar\. 24 nov\. 2026, 10:00/),
      expect.stringMatching(/^Reminder: .+ – Tue 24 Nov 2026, 10:00/),
    ]);
  });

  it("while time passes", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:50:00Z" });
    rig.put(anEvent({ assigned: [ana, ben] }));
    expect(await rig.step()).toBe("worked");
    expect(recipients(inbox)).toEqual(["ana@example.com", "ben@example.com"]);
  });

  it("and none to those who cannot receive it", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:50:00Z" });
    rig.store.directory.putPeople(
      [
        aPerson({ id: ana, name: "Ana", suspended: true }),
        aPerson({ id: ben, name: "Ben", email: null }),
        aPerson({ id: cleo, name: "Cleo", email: "  " }),
      ],
      true,
    );
    rig.put(anEvent({ assigned: [ana, ben, cleo, personId(99)] }));
    await rig.run();
    expect(inbox.asked).toEqual([]);
    expect(rig.nextAt()).toBeNull();

    rig.store.directory.putPeople([aPerson({ id: ben, name: "Ben" })], false);
    await rig.run();
    expect(recipients(inbox)).toEqual(["ben@example.com"]);
  });

  it("of private events too, to nobody else", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:50:00Z" });
    rig.put(anEvent({ private: true, creatorId: ben }));
    await rig.run();
    expect(recipients(inbox)).toEqual(["ana@example.com"]);
  });

  it("of whole days and milestones, counted from midnight in the account's zone", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-22T22:59:59Z" });
    const reminder = Temporal.Duration.from({ hours: 24 });
    rig.put(anEvent({ when: dates("2026-11-24", "2026-11-25"), milestone: true, reminder }));
    await rig.run();
    expect(inbox.asked).toEqual([]);
    await rig.run("2026-11-22T23:00:00Z");
    expect(recipients(inbox)).toEqual(["ana@example.com"]);
  });

  it("at the start when the reminder is zero, and across a clock change", async () => {
    const { inbox, rig } = await mailedRig({ now: "2027-03-27T01:30:00Z", catchUp: "PT1H" });
    const when = times("2027-03-28T03:30", null);
    const reminder = Temporal.Duration.from({ hours: 24 });
    rig.put(anEvent({ when, reminder }));
    rig.put(
      anEvent({ id: serviceId(502), when, reminder: Temporal.Duration.from({ minutes: 0 }) }),
    );
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
    rig.set("2027-03-28T01:29:00Z");
    expect(rig.nextAt()).toBe("2027-03-28T01:30:00Z");
    await rig.run("2027-03-28T01:30:00Z");
    expect(inbox.mails).toHaveLength(2);
  });

  it("never when events are turned off", async () => {
    const inbox = await anInbox();
    const rig = aRig({
      mailer: aMailer(inbox),
      now: "2026-11-24T08:50:00Z",
      mails: { events: false },
    });
    rig.put(anEvent());
    expect(await rig.step()).toBe("idle");
    expect(rig.nextAt()).toBeNull();
    expect(inbox.asked).toEqual([]);
  });

  it("in the order in which they fell due, and begins none after an abort", async () => {
    const sent: string[] = [];
    const stop = new AbortController();
    const rig = aRig({
      now: "2026-11-24T08:59:00Z",
      mailer: {
        send: ({ subject }) => {
          sent.push(subject.split(" – ")[0] ?? "");
          if (sent.length === 2) stop.abort();
          return Promise.resolve({ kind: "sent", response: "250" });
        },
        verify: () => Promise.resolve(null),
        close: () => undefined,
      },
    });
    for (const minutes of [10, 20, 30, 40]) {
      const reminder = Temporal.Duration.from({ minutes });
      rig.put(anEvent({ id: serviceId(500 + minutes), title: `${minutes} min`, reminder }));
    }
    expect(await rig.step(stop.signal)).toBe("worked");
    expect(sent).toEqual(["Reminder: 40 min", "Reminder: 30 min"]);
    expect(await rig.step(stop.signal)).toBe("idle");
    await rig.run();
    expect(sent.slice(2)).toEqual(["Reminder: 20 min", "Reminder: 10 min"]);
  });
});

describe("step() catches up", () => {
  it.each([
    ["2026-11-24T20:45:00Z", 1],
    ["2026-11-24T20:45:01Z", 0],
  ])("after an outage until %s with %i mails", async (now, mails) => {
    const { inbox, rig } = await mailedRig({ now, ticks: false });
    rig.put(anEvent());
    await rig.run();
    expect(inbox.mails).toHaveLength(mails);
    if (mails > 0) expect(inbox.mails[0]?.mail.text).toContain("This mail is late");
  });

  it("also where nothing missed is wanted, as a punctual mail takes a moment", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:45:04Z", catchUp: "PT0S" });
    rig.put(anEvent());
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
  });

  it("on a first start with what is ahead, and not with what is over", async () => {
    const inbox = await anInbox();
    const installedAt = "2026-11-24T08:50:00Z";
    const rig = aRig({ mailer: aMailer(inbox), now: installedAt, installedAt });
    const late = { createdAt: Temporal.Instant.from("2026-11-24T08:52:00Z") };
    rig.put(anEvent({ id: serviceId(501), title: "Old" }));
    rig.put(anEvent({ id: serviceId(502), title: "Undated", createdAt: null }));
    rig.put(anEvent({ id: serviceId(503), title: "Old and ahead", reminder: hours(48) }));
    rig.put(anEvent({ id: serviceId(504), title: "Ahead", reminder: hours(0) }));
    rig.set("2026-11-24T08:53:00Z");
    rig.put(anEvent({ id: serviceId(505), title: "Entered since", ...late }));
    const over = times("2026-11-24T09:30", "2026-11-24T09:40");
    rig.put(anEvent({ id: serviceId(506), title: "Entered when over", ...late, when: over }));
    await rig.run();
    expect(subjects(inbox).map((subject) => subject.split(" – ")[0])).toEqual([
      "Reminder: Entered since",
      "Reminder: Old",
      "Reminder: Undated",
    ]);
    expect(rig.nextAt()).toBe("2026-11-24T09:00:00Z");
  });

  it("with an event entered here that the service has not dated yet", async () => {
    const inbox = await anInbox();
    const installedAt = "2026-11-24T08:50:00Z";
    const rig = aRig({ mailer: aMailer(inbox), now: installedAt, installedAt });
    const { id: _id, ...base } = anEvent({ createdAt: null });
    const item = rig.store.mirror.createIdentity("event", "from-a-phone@example.com");
    rig.store.journal.append({
      channel: "caldav",
      actor: null,
      item,
      action: "create",
      base: { ...base, id: null },
      patch: {},
      newLabels: [],
      state: "pending",
    });
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
    expect(inbox.mails[0]?.mail.text).not.toContain("Open:");
  });
});

describe("step() when the clock jumps", () => {
  it("sends nothing twice when it is set back, and loses nothing", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:45:00Z" });
    rig.put(anEvent(), anEvent({ id: serviceId(502), title: "Later", reminder: hours(0) }));
    await rig.run();
    await rig.run("2026-11-23T00:00:00Z");
    await rig.run("2026-11-24T08:45:30Z");
    expect(inbox.mails).toHaveLength(1);
    await rig.run("2026-11-24T09:00:00Z");
    expect(inbox.mails).toHaveLength(2);
  });

  it("skips what lies too far back when it is set forward, and sends it when it is corrected", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:00:00Z" });
    rig.put(anEvent());
    await rig.run("2027-11-24T08:00:00Z");
    expect(inbox.mails).toEqual([]);
    await rig.run("2026-11-24T08:46:00Z");
    expect(inbox.mails).toHaveLength(1);
  });
});

const hours = (count: number) => Temporal.Duration.from({ hours: count });
