import { describe, expect, it } from "vitest";
import { started } from "./day-mails-rig.ts";
import { ana, aPerson, aTask, ben, cleo, everyKind, recipients } from "./rig.ts";

describe("step() chooses readers:", () => {
  it("nobody before the workspace was first read", async () => {
    let swept = false;
    const { inbox, rig, mailer } = await started("2026-11-23T09:00:00Z", { swept: () => swept });
    rig.put(aTask());
    await rig.run();
    rig.advance({ hours: 2 });
    rig.restart(mailer);
    await rig.run();
    expect(rig.nextAt()).toBeNull();
    expect(inbox.asked).toEqual([]);
    swept = true;
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
  });

  it("after a restart, only once this process has read the workspace, or ten minutes later", async () => {
    let swept = true;
    const { inbox, rig, mailer } = await started("2026-11-20T09:00:00Z", { swept: () => swept });
    await rig.run();
    swept = false;
    rig.put(aTask());
    rig.set("2026-11-23T09:00:00Z");
    rig.restart(mailer);
    for (let minutes = 0; minutes < 9; minutes += 1) {
      rig.advance({ minutes: 1 });
      await rig.run();
    }
    expect(inbox.asked).toEqual([]);
    rig.advance({ minutes: 1 });
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
  });

  it("each at their chosen times, until they choose the configured ones again", async () => {
    const { inbox, rig } = await started("2026-11-15T12:00:00Z");
    const times = {
      milestones: [],
      tasks: [Temporal.Duration.from({ weeks: 1 }), Temporal.Duration.from({ hours: 2 })],
      at: Temporal.PlainTime.from("16:00"),
      digestAt: null,
    };
    rig.put(aTask({ assigned: [ana, ben] }));
    await rig.run();
    rig.store.personReminders.choose(ben, times);
    const sent: string[] = [];
    for (let hours = 0; hours < 24 * 11; hours += 1) {
      const now = Temporal.Instant.from("2026-11-15T13:00:00Z").add({ hours }).toString();
      rig.set(now);
      const before = inbox.mails.length;
      await rig.run();
      for (const { to } of inbox.mails.slice(before)) sent.push(`${now} ${to}`);
    }
    expect(sent).toEqual([
      "2026-11-17T15:00:00Z ben@example.com",
      "2026-11-23T09:00:00Z ana@example.com",
      "2026-11-24T13:00:00Z ben@example.com",
      "2026-11-25T09:00:00Z ana@example.com",
      "2026-11-25T15:00:00Z ben@example.com",
    ]);
    rig.store.personReminders.forget(ben);
    expect(rig.store.personReminders.of(ben)).toBeNull();
  });

  it("both of two people with one address, and nobody twice for a new address", async () => {
    const { inbox, rig } = await started("2026-11-23T09:00:00Z");
    const shared = "team@example.com";
    rig.store.directory.putPeople(
      [
        aPerson({ id: ana, name: "Ana", email: shared }),
        aPerson({ id: ben, name: "Ben", email: shared }),
      ],
      false,
    );
    rig.put(aTask({ assigned: [ana, ben] }));
    await rig.run();
    expect(recipients(inbox)).toEqual([shared, shared]);
    rig.store.directory.putPeople([aPerson({ id: ben, name: "Ben", email: "b@b.example" })], false);
    await rig.run();
    expect(inbox.mails).toHaveLength(2);
  });

  it("nobody who is excluded from this kind or turned it off, until it is turned on", async () => {
    const { inbox, rig } = await started("2026-11-23T09:00:00Z", {
      wishes: (person) => ({ ...everyKind, tasks: person !== ben }),
    });
    rig.put(aTask({ assigned: [ana, ben, cleo] }));
    rig.store.mailChoices.turnOff(ana, "tasks");
    rig.store.mailChoices.turnOff(cleo, "all");
    await rig.run();
    expect(inbox.asked).toEqual([]);
    rig.store.mailChoices.turnOn(ana, "tasks");
    await rig.run();
    expect(recipients(inbox)).toEqual(["ana@example.com"]);
  });
});
