import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import type { Delivery, Mail } from "../../src/mail/mail.ts";
import { eventually } from "../support/eventually.ts";
import { aNoticeRig } from "./notice-rig.ts";
import { aMailer, ana, anInbox, aPerson } from "./rig.ts";

const silentMailer = (send: (mail: Mail) => Promise<Delivery>) => ({
  send,
  verify: () => Promise.resolve(null),
  close: () => undefined,
});

async function mailedNotices(...reply: Parameters<typeof anInbox>) {
  const inbox = await anInbox(...reply);
  return { inbox, rig: aNoticeRig(aMailer(inbox)) };
}

describe("step() for each parked edit", () => {
  it("mails the editor once, and again only when it is parked again", async () => {
    const { inbox, rig } = await mailedNotices();
    const edit = rig.wish({ patch: { title: "Renamed" } });
    expect(await rig.step()).toBe("idle");
    rig.park();
    expect(await rig.step()).toBe("worked");
    expect(await rig.step()).toBe("idle");
    await eventually("the mail is there", () => inbox.mails[0] ?? null);
    expect(inbox.mails.map(({ to }) => to)).toEqual(["ana@example.com"]);
    expect(rig.events).toMatchObject([{ kind: "sent", edit, person: ana }]);

    rig.clock.advance({ minutes: 5 });
    rig.store.journal.resume(edit);
    expect(await rig.step()).toBe("idle");
    rig.park();
    expect(await rig.step()).toBe("worked");
    expect(await rig.step()).toBe("idle");
    await eventually("the second mail is there", () => inbox.mails[1] ?? null);
    expect(new Set(inbox.mails.map(({ mail }) => mail.messageId)).size).toBe(2);
  });

  it("sends the same Message-ID again after a crash between claim and end", async () => {
    const inbox = await anInbox();
    let first = "";
    const rig = aNoticeRig(
      silentMailer(({ messageId }) => {
        first = messageId;
        return new Promise(() => undefined);
      }),
    );
    rig.wish({ patch: { title: "Renamed" } });
    rig.park();
    void rig.step();
    expect(first).not.toBe("");
    rig.restart(aMailer(inbox));
    expect(await rig.step()).toBe("worked");
    await eventually("the mail is there", () => inbox.mails[0] ?? null);
    expect(inbox.mails[0]?.mail.messageId).toBe(first);
    expect(await rig.step()).toBe("idle");
  });

  it("tries again later when the server cannot accept it, and gives up after three days", async () => {
    let taken = 451;
    const { inbox, rig } = await mailedNotices(() => taken);
    rig.wish({ patch: { title: "Renamed" } });
    rig.park();
    await rig.step();
    expect(rig.events.at(-1)?.kind).toBe("deferred");
    expect(await rig.step()).toBe("idle");
    rig.clock.advance({ seconds: 61 });
    await rig.step();
    expect(rig.events.at(-1)).toMatchObject({ kind: "deferred" });
    rig.clock.advance({ hours: 71, minutes: 57 });
    await rig.step();
    expect(rig.events.at(-1)?.kind).toBe("given-up");
    taken = 250;
    rig.clock.advance({ hours: 2 });
    expect(await rig.step()).toBe("idle");
    expect(inbox.mails).toEqual([]);
  });

  it("begins no mail after an abort", async () => {
    const rig = aNoticeRig(silentMailer(() => Promise.reject(new Error("not to be sent"))));
    rig.wish({ patch: { title: "Renamed" } });
    rig.park();
    const stop = new AbortController();
    stop.abort();
    expect(await rig.step(stop.signal)).toBe("idle");
    expect(rig.events).toEqual([]);
  });
});

describe("step() with nobody to notify", () => {
  it.each([
    ["nobody is known to have made it", null],
    ["the editor is unknown", personId(99)],
    ["the editor has no address", personId(21)],
    ["the editor is suspended", personId(22)],
  ])("sends nothing when %s", async (_what, actor) => {
    const { inbox, rig } = await mailedNotices();
    rig.store.directory.putPeople(
      [
        aPerson({ id: personId(21), name: "Without", email: " " }),
        aPerson({ id: personId(22), name: "Away", suspended: true }),
      ],
      false,
    );
    rig.wish({ patch: { title: "Renamed" }, actor });
    rig.park();
    expect(await rig.step()).toBe("idle");
    expect(inbox.asked).toEqual([]);
  });

  it.each(["resume", "discard"] as const)("sends nothing after %s", async (act) => {
    const { inbox, rig } = await mailedNotices();
    rig.wish({ patch: { title: "Renamed" } });
    rig.store.journal[act](rig.park());
    expect(await rig.step()).toBe("idle");
    expect(inbox.asked).toEqual([]);
  });

  it("sends nothing for an edit that was settled during another mail", async () => {
    const sent: Mail[] = [];
    const rig = aNoticeRig(
      silentMailer((mail) => {
        sent.push(mail);
        rig.store.journal.discard(second);
        return Promise.resolve({ kind: "sent", response: "250" });
      }),
    );
    rig.wish({ patch: { title: "First" } });
    rig.park();
    const second = rig.wish({ patch: { title: "Second" } });
    rig.park();
    await rig.step();
    expect(sent).toHaveLength(1);
  });

  it("sends nothing for what was parked long ago", async () => {
    const { inbox, rig } = await mailedNotices();
    rig.wish({ patch: { title: "Renamed" } });
    rig.park();
    rig.clock.advance({ hours: 73 });
    expect(await rig.step()).toBe("idle");
    expect(inbox.asked).toEqual([]);
  });
});

describe("step() for readers", () => {
  it("sends nothing to people who turned notices off, and goes on when they are on again", async () => {
    const { rig } = await mailedNotices();
    rig.wish({ patch: { title: "Renamed" } });
    rig.park();
    rig.store.mailChoices.turnOff(ana, "notices");
    expect(await rig.step()).toBe("idle");
    rig.store.mailChoices.turnOn(ana, "notices");
    expect(await rig.step()).toBe("worked");
  });

  it.each([
    [5, 5],
    [6, 1],
  ])("reports %i parked edits in %i mails", async (edits, mails) => {
    const { inbox, rig } = await mailedNotices();
    for (let index = 0; index < edits; index += 1) {
      rig.wish({ patch: { title: `Title ${index}` } });
      rig.park();
    }
    await rig.step();
    expect(await rig.step()).toBe("idle");
    await eventually("the mails are there", () => (inbox.mails.length >= mails ? true : null));
    expect(inbox.mails).toHaveLength(mails);
    expect(rig.events).toHaveLength(edits);
    expect(new Set(rig.events.map(({ messageId }) => messageId)).size).toBe(mails);
    if (mails === 1) {
      const text = inbox.mails[0]?.mail.text;
      expect(inbox.mails[0]?.mail.subject).toMatch(/^Not saved: 6 edits – /);
      for (const { edit } of rig.events) expect(text).toContain(`edit ${edit} · the workspace`);
    }
  });
});
