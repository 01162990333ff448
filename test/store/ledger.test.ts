import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import type { MailKey } from "../../src/store/ledger.ts";
import { anEvent } from "../support/items.ts";
import { storeRig } from "./rig.ts";

function ledgerRig() {
  const rig = storeRig();
  const key: MailKey = {
    item: rig.put(anEvent(1)),
    occurrence: "2026-11-23T09:00:00Z",
    lead: "PT15M",
    person: personId(11),
  };
  return { ...rig, key, ledger: rig.store.ledger };
}

describe("claim()", () => {
  it("claim() result when the mail is new, left by a crash, sent", () => {
    const { ledger, key } = ledgerRig();
    expect(ledger.claim(key, "<one>")).toBe(true);
    // Nobody settled it: the process must have ended in between.
    expect(ledger.claim(key, "<another>")).toBe(true);
    expect(ledger.get(key)).toMatchObject({ state: "claimed", messageId: "<one>", attempts: 2 });
    ledger.sent(key);
    expect(ledger.claim(key, "<one>")).toBe(false);
    expect(ledger.get(key)).toMatchObject({ state: "sent", problem: null });
  });

  it("claim() result when the mail was deferred: only once it is due", () => {
    const { ledger, key, clock } = ledgerRig();
    ledger.claim(key, "<one>");
    const notBefore = Temporal.Instant.from("2026-11-20T12:05:00Z");
    ledger.deferred(key, { notBefore, problem: "450 greylisted" });
    expect(ledger.claim(key, "<one>")).toBe(false);
    expect(ledger.state()).toEqual({
      sent: 0,
      deferred: 1,
      rejected: 0,
      problem: "450 greylisted",
    });
    clock.set("2026-11-20T12:04:59.9Z");
    expect(ledger.claim(key, "<one>")).toBe(false);
    clock.set("2026-11-20T12:05:00.1Z");
    expect(ledger.claim(key, "<one>")).toBe(true);
  });

  it("claim() result when the mail was rejected: never again", () => {
    const { ledger, key, clock } = ledgerRig();
    ledger.claim(key, "<one>");
    ledger.rejected(key, "550 no such user");
    clock.advance({ hours: 24 * 30 });
    expect(ledger.claim(key, "<one>")).toBe(false);
    expect(ledger.state()).toEqual({
      sent: 0,
      deferred: 0,
      rejected: 1,
      problem: "550 no such user",
    });
  });

  it.each([
    ["person", { person: personId(12) }],
    ["lead", { lead: "PT30M" }],
    ["start", { occurrence: "2026-11-24T09:00:00Z" }],
  ])("claim() result when only the %s differs: another mail", (_name, change) => {
    const { ledger, key } = ledgerRig();
    ledger.claim(key, "<one>");
    ledger.sent(key);
    expect(ledger.get({ ...key, ...change })).toBeNull();
    expect(ledger.claim({ ...key, ...change }, "<two>")).toBe(true);
  });

  it("claim() result when a twin's mail was sent before the item was adopted: it is not sent again", () => {
    const { ledger, conceive, put, store } = ledgerRig();
    const { key: born } = conceive(anEvent(9));
    const creation = store.journal.claimNext();
    const twin = put(anEvent(9));
    const mail = {
      item: twin,
      occurrence: "2026-11-23T09:00:00Z",
      lead: "PT15M",
      person: personId(11),
    };
    ledger.claim(mail, "<one>");
    ledger.sent(mail);
    if (creation) store.journal.confirm(creation, anEvent(9));
    expect(ledger.claim({ ...mail, item: born }, "<one>")).toBe(false);
  });
});
