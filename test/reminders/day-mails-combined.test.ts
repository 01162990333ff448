import { describe, expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { dates } from "../support/items.ts";
import { started } from "./day-mails-rig.ts";
import { ana, anEvent, aTask, at, ben, subjects } from "./rig.ts";

describe("step() after missed mails", () => {
  const tasks = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      aTask({ id: serviceId(810 + index), title: `Task ${index}`, assigned: [ana, ben] }),
    );

  it.each([
    [5, 10],
    [6, 2],
  ])("combines %i things for each of two people into %i mails", async (count, mails) => {
    const { inbox, rig } = await started("2026-11-23T10:00:00Z");
    rig.put(...tasks(count));
    await rig.run();
    rig.restart();
    rig.advance({ minutes: 30 });
    await rig.run();
    expect(inbox.mails).toHaveLength(mails);
    expect(rig.store.ledger.state().sent).toBe(2 * count);
  });

  it("lists them all, each under the mail's Message-ID", async () => {
    const { inbox, rig } = await started("2026-11-23T10:00:00Z", {
      choiceUrl: ({ person, choice }) => `http://dates.example/unsubscribe/${person}-${choice}`,
    });
    rig.put(...tasks(7));
    rig.put(anEvent({ when: dates("2026-11-23", "2026-11-24"), assigned: [ben] }));
    await rig.run();
    const mail = inbox.mails.find(({ to }) => to === "ben@example.com")?.mail;
    expect(mail?.subject).toMatch(/^8 late reminders: /);
    for (let index = 0; index < 7; index += 1) expect(mail?.text).toContain(`- Task ${index}\n`);
    expect(mail?.text).toContain("- Design review\n  Starts today · Mon 23 Nov 2026 (all day)");
    expect(mail?.text).toContain("https://company.example.com/#/2001/task/811");
    expect(mail?.text).toContain("http://dates.example/unsubscribe/12-all");
    const headers = new Map(mail?.headers.map(({ key, value }) => [key, value]));
    expect(headers.has("list-unsubscribe")).toBe(true);
    expect(headers.has("list-unsubscribe-post")).toBe(false);
    const events = rig.events.filter(({ person }) => person === ben);
    expect(new Set(events.map(({ messageId }) => messageId))).toEqual(
      new Set([mail?.messageId ?? ""]),
    );
    expect(events).toHaveLength(8);
  });

  it("repeats the mail after a crash with what is left, under the same Message-ID", async () => {
    const { inbox, rig, mailer } = await started("2026-11-23T10:00:00Z");
    let first = "";
    rig.restart({
      ...mailer,
      send: ({ messageId }) => {
        first = messageId;
        return new Promise(() => undefined);
      },
    });
    const put = tasks(6).map((task) => ({ ...task, assigned: [ana] }));
    rig.put(...put);
    void rig.step();
    await expect.poll(() => first).not.toBe("");
    rig.restart(mailer);
    rig.put(...put.slice(1).map((task) => ({ ...task, completed: true })));
    rig.put(aTask({ id: serviceId(830), title: "New" }));
    await rig.run();
    expect(inbox.mails.map(({ mail }) => mail.messageId)).toContain(first);
    expect(subjects(inbox)).toEqual([
      "1 late reminder: Task 0",
      "Due tomorrow: New – Tue 24 Nov 2026",
    ]);
    const open = rig.store.ledger.unsettled();
    expect(open).toEqual([]);
  });
});

it("step() begins no more mails per minute than allowed, also after a restart", async () => {
  const { inbox, rig } = await started("2026-11-23T09:00:00Z", { perMinute: 2 });
  const put = Array.from({ length: 5 }, (_, index) => aTask({ id: serviceId(810 + index) }));
  rig.put(...put);
  await rig.run();
  expect(inbox.mails).toHaveLength(2);
  expect(rig.nextAt()).toBe("2026-11-23T09:01:00Z");
  rig.restart();
  rig.set("2026-11-23T09:00:59Z");
  expect(await rig.step()).toBe("idle");
  await rig.run("2026-11-23T09:01:00Z");
  expect(inbox.mails).toHaveLength(4);
  await rig.run("2026-11-23T08:30:00Z");
  await rig.run("2026-11-23T09:02:00Z");
  expect(inbox.mails).toHaveLength(5);
  expect(rig.store.ledger.begunSince(at("2026-11-23T08:00:00Z"))).toHaveLength(5);
});
