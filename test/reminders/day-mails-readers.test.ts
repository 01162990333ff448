import { describe, expect, it } from "vitest";
import { started } from "./day-mails-rig.ts";
import { ana, aPerson, aTask, ben, cleo, everyKind, recipients } from "./rig.ts";

describe("step() knows whom to tell", () => {
  it("nobody before the workspace was read for the first time", async () => {
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

  it("after a restart only once this process has read it, or ten minutes later", async () => {
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

  it("each of two people with one address, and nobody twice for a new address", async () => {
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

  it("nobody who is to do without this kind, or has turned it off, until it is turned on", async () => {
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
