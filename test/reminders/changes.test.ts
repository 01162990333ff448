import { describe, expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import type { Mail } from "../../src/mail/mail.ts";
import { times } from "../support/items.ts";
import { ana, anEvent, aRig, ben, mailedRig, messageIds, type Rig } from "./rig.ts";

describe("step() after changes", () => {
  it("sends only for the new start when an event was moved", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:40:00Z" });
    rig.put(anEvent());
    await rig.run();
    rig.put(anEvent({ when: times("2026-11-24T14:00", "2026-11-24T15:00") }));
    await rig.run("2026-11-24T08:50:00Z");
    expect(inbox.mails).toEqual([]);
    expect(rig.nextAt()).toBe("2026-11-24T12:45:00Z");
    await rig.run("2026-11-24T12:45:00Z");
    expect(inbox.mails).toHaveLength(1);
    expect(inbox.mails[0]?.mail.subject).toContain("13:00–14:00 (Europe/Lisbon)");
  });

  it("reminds again when an event is moved after its mail, but not when it is moved back", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:45:00Z" });
    rig.put(anEvent());
    await rig.run();
    rig.put(anEvent({ when: times("2026-11-24T10:05", "2026-11-24T11:00") }));
    await rig.run("2026-11-24T08:50:00Z");
    expect(inbox.mails).toHaveLength(2);
    rig.put(anEvent());
    await rig.run();
    expect(inbox.mails).toHaveLength(2);
    expect(new Set(messageIds(inbox)).size).toBe(2);
  });

  it("sends nothing for what was completed, deleted, unassigned or lost its reminder", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:40:00Z" });
    const ids = [501, 502, 503, 504].map(serviceId);
    for (const id of ids) rig.put(anEvent({ id, milestone: true }));
    await rig.run();
    const [completed, deleted, unassigned, silent] = ids;
    if (!completed || !deleted || !unassigned || !silent) throw new Error("four ids");
    rig.put(anEvent({ id: completed, milestone: true, completed: true }));
    rig.bury(deleted);
    rig.put(anEvent({ id: unassigned, milestone: true, assigned: [] }));
    rig.put(anEvent({ id: silent, milestone: true, reminder: null }));
    rig.set("2026-11-24T08:45:00Z");
    expect(rig.nextAt()).toBeNull();
    await rig.run();
    expect(inbox.asked).toEqual([]);
  });

  const third = { id: serviceId(503), title: "Third", milestone: true };
  it.each<[string, number, (rig: Rig) => void]>([
    ["nothing happens", 1, () => undefined],
    ["it is completed", 0, (rig) => rig.put(anEvent({ ...third, completed: true }))],
    ["it is deleted", 0, (rig) => rig.bury(third.id)],
    ["it loses its reminder", 0, (rig) => rig.put(anEvent({ ...third, reminder: null }))],
    ["it gets to someone else", 0, (rig) => rig.put(anEvent({ ...third, assigned: [ben] }))],
    ["its person is suspended", 0, (rig) => rig.suspend(ana)],
    ["its time runs out", 0, (rig) => rig.set("2026-11-24T20:45:01Z")],
    [
      "it is moved away",
      0,
      (rig) => rig.put(anEvent({ ...third, when: times("2026-11-25T10:00", null) })),
    ],
    [
      "it is moved to where it is due as well, once",
      1,
      (rig) => rig.put(anEvent({ ...third, when: times("2026-11-24T10:05", null) })),
    ],
    [
      "it is reminded of earlier, once",
      1,
      (rig) => rig.put(anEvent({ ...third, reminder: Temporal.Duration.from({ minutes: 20 }) })),
    ],
  ])("reads an item again just before sending: when %s, Ana gets %i", async (_name, count, act) => {
    const sent: Mail[] = [];
    const rig = aRig({
      now: "2026-11-24T08:50:00Z",
      mailer: {
        // While the first mails are under way, something happens to the third.
        send: (mail) => {
          if (sent.length === 0) act(rig);
          sent.push(mail);
          return Promise.resolve({ kind: "sent", response: "250" });
        },
        verify: () => Promise.resolve(null),
        close: () => undefined,
      },
    });
    for (const id of [501, 502]) rig.put(anEvent({ id: serviceId(id), milestone: true }));
    rig.put(anEvent(third));
    await rig.run();
    const got = sent.filter(({ to, subject }) => to.name === "Ana" && subject.includes("Third"));
    expect(got).toHaveLength(count);
  });

  it("follows more changes at once than it reads one by one", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:40:00Z" });
    rig.put(anEvent());
    await rig.run();
    rig.store.together(() => {
      for (let round = 0; round < 1100; round++) rig.put(anEvent({ title: `Round ${round}` }));
      rig.put(anEvent({ title: "Last", assigned: [ben] }));
    });
    await rig.run("2026-11-24T08:45:00Z");
    expect(inbox.mails.map(({ to, mail }) => `${to} ${mail.subject}`)).toEqual([
      "ben@example.com Reminder: Last – Tue 24 Nov 2026, 10:00–11:00 (Europe/Berlin)",
    ]);
  });
});
