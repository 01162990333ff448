import { describe, expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import {
  aMailer,
  anEvent,
  anInbox,
  aRig,
  aTask,
  ben,
  leads,
  type Rig,
  type RigOptions,
  recipients,
  subjects,
} from "./rig.ts";

/** Whether the workspace was read since each leap, by their order; immediately while `prompt`. */
interface Reading {
  readonly leaps: boolean[];
  prompt: boolean;
}

/** Mails of a process that has read the workspace, at eight o'clock; the reminder of `anEvent` is due at 08:45. */
async function awake(options: Partial<RigOptions> = {}) {
  const inbox = await anInbox();
  const reading: Reading = { leaps: [], prompt: true };
  const rig = aRig({
    mailer: aMailer(inbox),
    now: "2026-11-24T08:00:00Z",
    rereadAll() {
      if (reading.prompt) return () => true;
      const index = reading.leaps.push(false) - 1;
      return () => reading.leaps[index] ?? false;
    },
    ...options,
  });
  await rig.run();
  reading.prompt = false;
  return { inbox, rig, reading };
}

describe("step() after the clock leapt forward, as after a suspend", () => {
  it.each([
    ["completed", (rig: Rig) => rig.put(anEvent({ milestone: true, completed: true }))],
    ["deleted", (rig: Rig) => rig.bury(serviceId(501))],
    ["reassigned", (rig: Rig) => rig.put(anEvent({ assigned: [ben] }))],
  ])("does not remind the first person of what was %s meanwhile", async (_what, change) => {
    const { inbox, rig, reading } = await awake();
    rig.put(anEvent({ milestone: true }));
    await rig.run();
    rig.set("2026-11-24T08:50:00Z");
    expect(await rig.step()).toBe("idle");
    expect(rig.nextAt()).toBeNull();
    rig.advance({ minutes: 1 });
    await rig.run();
    expect(inbox.asked).toEqual([]);

    change(rig);
    reading.leaps[0] = true;
    await rig.run();
    expect(recipients(inbox)).not.toContain("ana@example.com");
  });

  it("reminds late, once, of what is still true", async () => {
    const { inbox, rig, reading } = await awake();
    rig.put(anEvent());
    await rig.run("2026-11-24T08:50:00Z");
    rig.advance({ seconds: 5 });
    reading.leaps[0] = true;
    await rig.run();
    rig.advance({ seconds: 5 });
    await rig.run();
    expect(subjects(inbox)).toHaveLength(1);
    expect(reading.leaps).toHaveLength(1);
  });

  it("waits at most ten minutes where the service does not respond", async () => {
    const { inbox, rig } = await awake();
    rig.put(anEvent());
    rig.set("2026-11-24T10:00:00Z");
    for (let minutes = 0; minutes < 10; minutes += 1) {
      await rig.run();
      expect(inbox.asked).toEqual([]);
      rig.advance({ minutes: 1 });
    }
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
  });

  it("waits for a reading after the last of several leaps", async () => {
    const { inbox, rig, reading } = await awake();
    rig.put(anEvent());
    await rig.run("2026-11-24T09:00:00Z");
    await rig.run("2026-11-24T09:30:00Z");
    reading.leaps[0] = true;
    await rig.run();
    expect(inbox.asked).toEqual([]);
    reading.leaps[1] = true;
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
  });

  it("loses nothing that was still due when it woke up, however long it waits", async () => {
    const { inbox, rig, reading } = await awake({ catchUp: "PT10M" });
    rig.put(anEvent());
    rig.put(anEvent({ id: serviceId(502), title: "Past it", reminder: minutes(16) }));
    await rig.run("2026-11-24T08:54:30Z");
    rig.advance({ minutes: 2 });
    await rig.run();
    rig.advance({ minutes: 2 });
    reading.leaps[0] = true;
    await rig.run();
    expect(subjects(inbox)).toEqual([expect.stringContaining("Design review")]);
    expect(rig.store.ledger.state()).toMatchObject({ sent: 1, deferred: 0, rejected: 0 });
  });

  it("says nothing of a day that is over", async () => {
    const { inbox, rig, reading } = await awake({ mails: { events: false, tasks: leads("P0D") } });
    rig.put(aTask());
    await rig.run("2026-11-24T23:59:00Z");
    rig.advance({ minutes: 2 });
    reading.leaps[0] = true;
    await rig.run();
    expect(inbox.asked).toEqual([]);
  });

  it("sends the digest whose time it slept through", async () => {
    const at = Temporal.PlainTime.from("09:30");
    const { inbox, rig, reading } = await awake({
      catchUp: "PT10M",
      mails: { events: false, digest: { at, weekday: null } },
    });
    rig.put(aTask());
    await rig.run("2026-11-24T09:39:00Z");
    rig.advance({ minutes: 2 });
    await rig.run();
    rig.advance({ minutes: 2 });
    expect(inbox.asked).toEqual([]);
    reading.leaps[0] = true;
    await rig.run();
    expect(recipients(inbox)).toEqual(["ana@example.com"]);
  });

  it("begins no further mail when the leap happens during one", async () => {
    const sent: string[] = [];
    const { rig, reading } = await awake({
      mailer: {
        send({ to }) {
          sent.push(to.address);
          reading.prompt = false;
          if (sent.length === 1) rig.advance({ hours: 1 });
          return Promise.resolve({ kind: "sent", response: "250" });
        },
        verify: () => Promise.resolve(null),
        close: () => undefined,
      },
    });
    rig.put(...[501, 502, 503, 504].map((id) => anEvent({ id: serviceId(id) })));
    reading.prompt = true;
    await rig.run("2026-11-24T08:45:00Z");
    expect(sent).toHaveLength(1);
    rig.bury(serviceId(504));
    reading.leaps[0] = true;
    await rig.run();
    expect(sent).toHaveLength(3);
  });

  it("goes on when looks are minutes apart, as after a slow mail", async () => {
    const { inbox, rig, reading } = await awake();
    rig.put(anEvent());
    for (const now of ["08:02:50", "08:05:40", "08:08:30"]) {
      rig.set(`2026-11-24T${now}Z`);
      await rig.run();
    }
    rig.put(anEvent({ reminder: minutes(55) }));
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
    expect(reading.leaps).toEqual([]);
  });

  it("goes on at once when the clock is set back, and waits again when it is corrected", async () => {
    const { inbox, rig, reading } = await awake();
    rig.put(anEvent());
    await rig.run("2026-11-20T08:00:00Z");
    expect(reading.leaps).toEqual([]);
    rig.put(anEvent({ id: serviceId(502), reminder: minutes(4 * 24 * 60 + 60) }));
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
    await rig.run("2026-11-24T08:46:00Z");
    expect(inbox.mails).toHaveLength(1);
    expect(reading.leaps).toEqual([false]);
    reading.leaps[0] = true;
    await rig.run();
    expect(recipients(inbox)).toEqual(["ana@example.com", "ana@example.com"]);
  });

  it("waits at most ten minutes more when the clock is set back while it waits", async () => {
    const { inbox, rig } = await awake();
    rig.put(anEvent());
    await rig.run("2026-11-24T10:00:00Z");
    rig.advance({ minutes: 5 });
    await rig.run();
    await rig.run("2026-11-24T08:50:00Z");
    expect(inbox.asked).toEqual([]);
    for (let minutes = 0; minutes < 10; minutes += 1) {
      rig.advance({ minutes: 1 });
      await rig.run();
    }
    expect(inbox.mails).toHaveLength(1);
  });
});

it("step() after a restart loses nothing while it waits", async () => {
  let swept = true;
  const { inbox, rig } = await awake({ catchUp: "PT10M", swept: () => swept });
  rig.put(anEvent());
  swept = false;
  rig.set("2026-11-24T08:53:00Z");
  rig.restart();
  await rig.run();
  rig.advance({ minutes: 2 });
  await rig.run();
  rig.advance({ minutes: 2 });
  expect(inbox.asked).toEqual([]);
  swept = true;
  await rig.run();
  expect(recipients(inbox)).toEqual(["ana@example.com"]);
});

const minutes = (count: number) => Temporal.Duration.from({ minutes: count });
