import { describe, expect, it } from "vitest";
import { personId } from "../../../src/domain/ids.ts";
import { type MailKey, noItem } from "../../../src/store/mails/ledger.ts";
import { anEvent } from "../../support/items.ts";
import { storeRig } from "../rig.ts";

const asMail = (messageId: string) => ({ messageId, address: "ana@example.com" });

function ledgerRig() {
  const rig = storeRig();
  const key: MailKey = {
    kind: "reminder",
    item: rig.put(anEvent(1)),
    occurrence: "2026-11-23T09:00:00Z",
    lead: "PT15M",
    person: personId(11),
  };
  return { ...rig, key, ledger: rig.store.ledger };
}

describe("claim()", () => {
  it("accepts a new mail and one left by a crash, and no sent one", () => {
    const { ledger, key } = ledgerRig();
    expect(ledger.claim(key, asMail("<one>"))).toBe(true);
    // Nobody settled it: the process must have ended in between.
    expect(ledger.claim(key, asMail("<another>"))).toBe(true);
    expect(ledger.get(key)).toMatchObject({ state: "claimed", messageId: "<one>", attempts: 2 });
    ledger.sent(key);
    expect(ledger.claim(key, asMail("<one>"))).toBe(false);
    expect(ledger.get(key)).toMatchObject({ state: "sent", problem: null });
  });

  it("accepts a deferred mail only once it is due", () => {
    const { ledger, key, clock } = ledgerRig();
    ledger.claim(key, asMail("<one>"));
    const notBefore = Temporal.Instant.from("2026-11-20T12:05:00Z");
    ledger.deferred(key, { notBefore, problem: "450 greylisted" });
    expect(ledger.claim(key, asMail("<one>"))).toBe(false);
    expect(ledger.state()).toMatchObject({
      sent: 0,
      deferred: 1,
      rejected: 0,
      problem: "450 greylisted",
    });
    clock.set("2026-11-20T12:04:59.9Z");
    expect(ledger.claim(key, asMail("<one>"))).toBe(false);
    clock.set("2026-11-20T12:05:00.1Z");
    expect(ledger.claim(key, asMail("<one>"))).toBe(true);
  });

  it("never accepts a rejected mail", () => {
    const { ledger, key, clock } = ledgerRig();
    ledger.claim(key, asMail("<one>"));
    ledger.rejected(key, { problem: "550 no such user", code: 550 });
    clock.advance({ hours: 24 * 30 });
    expect(ledger.claim(key, asMail("<one>"))).toBe(false);
    expect(ledger.state()).toMatchObject({
      sent: 0,
      deferred: 0,
      rejected: 1,
      problem: null,
    });
  });

  it.each<[string, Partial<MailKey>]>([
    ["person", { person: personId(12) }],
    ["kind", { kind: "overdue" }],
    ["item", { item: noItem }],
    ["lead", { lead: "PT30M" }],
    ["start", { occurrence: "2026-11-24T09:00:00Z" }],
  ])("treats a mail with another %s as another mail", (_name, change) => {
    const { ledger, key } = ledgerRig();
    const other = { ...key, ...change };
    ledger.claim(key, asMail("<one>"));
    ledger.sent(key);
    expect(ledger.get(other)).toBeNull();
    expect(ledger.claim(other, asMail("<two>"))).toBe(true);
    ledger.drop(key);
    expect(ledger.get(other)?.state).toBe("claimed");
  });

  it("does not repeat a mail sent for a twin before the item was adopted", () => {
    const { ledger, appendCreation, put, store } = ledgerRig();
    const { key: created } = appendCreation(anEvent(9));
    const creation = store.journal.claimNext();
    const twin = put(anEvent(9));
    const mail: MailKey = {
      kind: "reminder",
      item: twin,
      occurrence: "2026-11-23T09:00:00Z",
      lead: "PT15M",
      person: personId(11),
    };
    ledger.claim(mail, asMail("<one>"));
    ledger.sent(mail);
    if (creation) store.journal.confirm(creation, anEvent(9));
    expect(ledger.claim({ ...mail, item: created }, asMail("<one>"))).toBe(false);
  });
});

describe("unsettled()", () => {
  it("lists claimed and deferred mails, and no dropped or sent ones", () => {
    const { ledger, key } = ledgerRig();
    const keys = [11, 12, 13, 14].map((person) => ({ ...key, person: personId(person) }));
    const [claimed, deferred, dropped, sent] = keys;
    if (!claimed || !deferred || !dropped || !sent) throw new Error("four keys");
    for (const each of keys) ledger.claim(each, asMail(`<${each.person}>`));
    const notBefore = Temporal.Instant.from("2026-11-20T12:05:00Z");
    ledger.deferred(deferred, { notBefore, problem: "busy" });
    ledger.drop(dropped);
    ledger.sent(sent);
    ledger.drop(sent);
    expect(ledger.unsettled().map((row) => [row.key, row.state])).toEqual([
      [claimed, "claimed"],
      [deferred, "deferred"],
    ]);
    expect(ledger.get(sent)?.state).toBe("sent");
    expect(ledger.claim(dropped, asMail("<new>"))).toBe(true);
    expect(ledger.get(dropped)).toMatchObject({ messageId: "<13>", attempts: 2 });
  });

  it("retries a deferred mail whose time was written by a clock that was ahead", () => {
    const { ledger, key, clock } = ledgerRig();
    ledger.claim(key, asMail("<one>"));
    const notBefore = clock().add({ hours: 24 * 365 });
    ledger.deferred(key, { notBefore, problem: "busy" });
    expect(ledger.claim(key, asMail("<one>"))).toBe(true);
    ledger.deferred(key, { notBefore: clock().add({ minutes: 60 }), problem: "busy" });
    expect(ledger.claim(key, asMail("<one>"))).toBe(false);
  });
});

it("digests.lastDigestAt() counts sent and empty digests, not merely claimed ones", () => {
  const { ledger, clock } = ledgerRig();
  const digest = (day: string): MailKey => ({
    kind: "digest",
    item: noItem,
    occurrence: day,
    lead: "",
    person: personId(11),
  });
  const today = Temporal.PlainDate.from("2026-11-24");
  expect(ledger.lastDigestAt(personId(11), today)).toBeNull();
  ledger.leaveEmpty(digest("2026-11-20"), "<a>");
  const emptyAt = clock();
  clock.advance({ hours: 24 });
  ledger.claim(digest("2026-11-21"), asMail("<b>"));
  expect(ledger.lastDigestAt(personId(11), today)).toEqual(emptyAt);
  ledger.sent(digest("2026-11-21"));
  expect(ledger.lastDigestAt(personId(11), today)).toEqual(clock());
  expect(ledger.lastDigestAt(personId(11), Temporal.PlainDate.from("2026-11-21"))).toEqual(emptyAt);
  expect(ledger.lastDigestAt(personId(12), today)).toBeNull();
  expect(ledger.claim(digest("2026-11-20"), asMail("<a>"))).toBe(false);
  ledger.leaveEmpty(digest("2026-11-21"), "<b>");
  expect(ledger.get(digest("2026-11-21"))?.state).toBe("sent");
});

describe("state()", () => {
  it("gives one line for each reason of refused addresses", () => {
    const { ledger, key, clock } = ledgerRig();
    const refuse = (change: Partial<MailKey>, problem: string) => {
      const refused = { ...key, ...change };
      ledger.claim(refused, asMail(`<${problem}>`));
      ledger.rejected(refused, { problem, code: 550 });
    };
    refuse({}, "550 unknown");
    clock.advance({ hours: 1 });
    refuse({ lead: "P1D" }, "550 unknown");
    clock.advance({ hours: 1 });
    refuse({ person: personId(12) }, "550 full");
    expect(ledger.state()).toMatchObject({ rejected: 3, problem: "550 full" });
    const common = { address: "ana@example.com", code: 550 };
    expect(ledger.state().refusals).toEqual([
      { ...common, person: 12, problem: "550 full", mails: 1, at: clock() },
      {
        ...common,
        person: 11,
        problem: "550 unknown",
        mails: 2,
        at: clock().subtract({ hours: 1 }),
      },
    ]);
    clock.advance({ hours: 24 * 8 });
    expect(ledger.state()).toMatchObject({ problem: null, refusals: [{}, {}] });
    clock.advance({ hours: 24 * 30 });
    expect(ledger.state()).toMatchObject({ rejected: 3, refusals: [] });
  });

  it("begunSince() counts each mail once, whatever it contains", () => {
    const { ledger, key, clock } = ledgerRig();
    const start = clock();
    ledger.claim(key, asMail("<one>"));
    ledger.claim({ ...key, lead: "P1D" }, asMail("<one>"));
    clock.advance({ seconds: 30 });
    ledger.claim({ ...key, lead: "P2D" }, asMail("<two>"));
    expect(ledger.begunSince(start.subtract({ seconds: 1 }))).toEqual([start, clock()]);
    expect(ledger.begunSince(start)).toEqual([clock()]);
    clock.set(start.subtract({ hours: 1 }).toString());
    expect(ledger.begunSince(start.subtract({ hours: 2 }))).toEqual([]);
  });

  it("openedAt() keeps the first time", () => {
    const { ledger, clock } = ledgerRig();
    expect(ledger.openedAt()).toBeNull();
    const first = clock();
    ledger.opened();
    clock.advance({ hours: 1 });
    ledger.opened();
    expect(ledger.openedAt()).toEqual(first);
  });
});
