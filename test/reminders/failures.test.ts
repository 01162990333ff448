import { describe, expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import type { Delivery, Mail, Mailer } from "../../src/mail/mail.ts";
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
  people,
  type Rig,
  recipients,
} from "./rig.ts";

/** A mailer that is cut off right after the mail has gone out: its outcome is never recorded. */
function crashingAfter(mailer: Mailer): { readonly mailer: Mailer; readonly cut: Promise<void> } {
  let reached = (): void => undefined;
  const cut = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const send = (mail: Mail): Promise<Delivery> =>
    new Promise(() => {
      void mailer.send(mail).finally(reached);
    });
  return { mailer: { ...mailer, send }, cut };
}

describe("step() when a delivery fails", () => {
  it("repeats a mail with the same Message-ID after a crash between claim and mark", async () => {
    const inbox = await anInbox();
    const mailer = aMailer(inbox);
    const crashing = crashingAfter(mailer);
    const rig = aRig({ mailer: crashing.mailer, now: "2026-11-24T08:45:00Z" });
    rig.put(anEvent());
    void rig.step();
    await crashing.cut;
    rig.restart(mailer);
    rig.advance({ minutes: 1 });
    await rig.run();
    expect(inbox.mails).toHaveLength(2);
    expect(new Set(messageIds(inbox)).size).toBe(1);
    expect(messageIds(inbox)[0]).toMatch(
      new RegExp(`^<[0-9a-f]{32}@${rig.store.meta.installation}>$`),
    );
    rig.restart(mailer);
    await rig.run();
    expect(inbox.mails).toHaveLength(2);
  });

  it("defers with growing pauses, then sends", async () => {
    let busy = true;
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:45:00Z", ticks: false }, () =>
      busy ? 451 : 250,
    );
    rig.put(anEvent());
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      await rig.run();
      const last = rig.events.at(-1);
      if (last?.kind !== "deferred") throw new Error(`not deferred: ${last?.kind}`);
      const now = attemptedAt(rig);
      waits.push(last.againAt.since(now).total("minutes"));
      expect(last.problem).toContain("451");
      expect(await rig.step()).toBe("idle");
      rig.set(last.againAt.toString());
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(rig.store.ledger.state()).toMatchObject({ deferred: 1, sent: 0 });
    busy = false;
    rig.restart();
    await rig.run();
    expect(inbox.mails).toHaveLength(1);
    expect(rig.store.ledger.state()).toMatchObject({ deferred: 0, sent: 1 });
  });

  it("sends all that found no server as soon as one mail is accepted", async () => {
    const inbox = await anInbox();
    const real = aMailer(inbox);
    let isOut = true;
    const send = (mail: Mail): Promise<Delivery> =>
      isOut
        ? Promise.resolve({ kind: "deferred", code: null, message: "connect ECONNREFUSED" })
        : real.send(mail);
    const mailer: Mailer = { ...real, send };
    const rig = aRig({ mailer, now: "2026-11-24T08:45:00Z", ticks: false });
    rig.put(anEvent({ assigned: [ana, ben] }));
    const waits: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      await rig.run();
      const next = Temporal.Instant.from(rig.nextAt() ?? "");
      waits.push(attemptedAt(rig).until(next).total("seconds"));
      rig.set(next.toString());
    }
    expect(waits).toEqual([15, 30, 60, 60]);
    rig.put(anEvent({ id: serviceId(2), title: "Later", assigned: [cleo] }));
    await rig.run();
    isOut = false;
    rig.set(rig.nextAt() ?? "");
    await rig.run();
    expect(inbox.mails).toHaveLength(3);
  });

  it("says in whole seconds when a deferred mail may go again", async () => {
    let busy = true;
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:45:00.250Z" }, () =>
      busy ? 421 : 250,
    );
    rig.put(anEvent());
    await rig.run();
    busy = false;
    expect(rig.nextAt()).toBe("2026-11-24T08:46:01Z");
    rig.set("2026-11-24T08:46:00.900Z");
    expect(await rig.step()).toBe("idle");
    rig.set("2026-11-24T08:46:01Z");
    expect(await rig.step()).toBe("worked");
    expect(inbox.mails).toHaveLength(1);
  });

  it("gives up when it would be too late", async () => {
    const { rig } = await mailedRig({ now: "2026-11-24T08:45:00Z", catchUp: "PT2M" }, () => 451);
    rig.put(anEvent());
    await rig.run();
    await rig.run("2026-11-24T08:46:30Z");
    expect(rig.events.map(({ kind }) => kind)).toEqual(["deferred", "given-up"]);
    expect(rig.nextAt()).toBeNull();
    const state = rig.store.ledger.state();
    expect(state).toMatchObject({ deferred: 0, rejected: 1 });
    expect(state.problem).toContain("given up");
  });

  it("records a refused recipient, does not ask again, and serves the others", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:45:00Z" }, (address) =>
      address.startsWith("ben@") ? 550 : 250,
    );
    rig.put(anEvent({ assigned: people.map(({ id }) => id) }));
    await rig.run();
    rig.restart();
    rig.advance({ hours: 1 });
    await rig.run();
    expect(recipients(inbox)).toEqual(["ana@example.com", "cleo@example.com"]);
    expect(inbox.asked.filter((address) => address.startsWith("ben@"))).toHaveLength(1);
    expect(rig.events.find(({ kind }) => kind === "rejected")).toMatchObject({ person: ben });
    expect(rig.store.ledger.state()).toMatchObject({ sent: 2, rejected: 1 });
  });

  it("serves the others when an address is invalid or a mail cannot be handed over", async () => {
    const inbox = await anInbox();
    const through = aMailer(inbox);
    const send = (mail: Mail): Promise<Delivery> => {
      if (mail.to.name === "Ben") throw new Error("cannot be made");
      return through.send(mail);
    };
    const rig = aRig({ mailer: { ...through, send }, now: "2026-11-24T08:45:00Z" });
    const broken = aPerson({ id: ana, name: "Ana", email: "ana@example.com\r\nBcc: x@y.z" });
    rig.store.directory.putPeople([broken], false);
    rig.put(anEvent({ assigned: people.map(({ id }) => id) }));
    await rig.run();
    expect(recipients(inbox)).toEqual(["cleo@example.com"]);
    const kinds = new Map(rig.events.map(({ person, kind }) => [person, kind]));
    expect([kinds.get(ana), kinds.get(ben), kinds.get(cleo)]).toEqual([
      "rejected",
      "deferred",
      "sent",
    ]);
  });

  it("rejects when the database fails, after every mail under way has ended", async () => {
    const inbox = await anInbox();
    const through = aMailer(inbox);
    const rig = aRig({
      mailer: {
        ...through,
        send: async (mail) => {
          const delivery = await through.send(mail);
          rig.store.close();
          return delivery;
        },
      },
      now: "2026-11-24T08:45:00Z",
    });
    rig.put(anEvent());
    await expect(rig.step()).rejects.toThrow();
    rig.restart(through);
    await rig.run();
    expect(new Set(messageIds(inbox)).size).toBe(1);
  });
});

function attemptedAt(rig: Rig): Temporal.Instant {
  const key = rig.events.at(-1)?.item;
  if (key === undefined || key === null) throw new Error("nothing was attempted");
  const mail = {
    kind: "reminder",
    item: key,
    occurrence: "2026-11-24T09:00:00Z",
    lead: "PT15M",
    person: ana,
  } as const;
  const row = rig.store.ledger.get(mail);
  if (!row) throw new Error("the mail is not in the ledger");
  return row.claimedAt;
}
