import { atOnce } from "@dayferry/event-loop";
import { describe, expect, it } from "vitest";
import type { Edit } from "../../../src/domain/edit.ts";
import { personId } from "../../../src/domain/ids.ts";
import { noticeKey } from "../../../src/store/mails/ledger.ts";
import { anEvent } from "../../support/items.ts";
import { storeRig } from "../rig.ts";

const asMail = (messageId: string) => ({ messageId, address: "ana@example.com" });

function noticesRig(actor: number | null = 11) {
  const rig = storeRig();
  const item = rig.put(anEvent(1));
  const id = rig.store.journal.append({
    channel: "caldav",
    actor: actor === null ? null : personId(actor),
    item,
    action: "update",
    base: anEvent(1),
    patch: { title: "Renamed" },
    newLabels: [],
    state: "pending",
  });
  function park(): Edit {
    const edit = rig.store.journal.claimNext();
    if (!edit) throw new Error("nothing to claim");
    rig.store.journal.settle(edit, { kind: "park", reason: "refused", problem: "no" });
    const parked = rig.store.journal.get(id);
    if (!parked) throw new Error("the edit is gone");
    return parked;
  }
  return { ...rig, id, park };
}

describe("open()", () => {
  it("lists unreported parked edits of known editors", () => {
    const { store, park, id } = noticesRig();
    expect(store.notices.open()).toEqual([]);
    const key = noticeKey(park());
    expect(store.notices.open().map((edit) => edit.id)).toEqual([id]);
    store.notices.claim(key, asMail("<one>"));
    expect(store.notices.open()).toHaveLength(1);
    const notBefore = Temporal.Instant.from("2026-11-20T12:05:00Z");
    store.notices.deferred(key, { notBefore, problem: "450 busy" });
    expect(store.notices.open()).toHaveLength(1);
    store.notices.sent(key);
    expect(store.notices.open()).toEqual([]);
  });

  it("omits edits of unknown editors", () => {
    const { store, park } = noticesRig(null);
    park();
    expect(store.notices.open()).toEqual([]);
  });

  it("lists another notice when the edit was parked again", () => {
    const { store, park, clock, id } = noticesRig();
    const first = noticeKey(park());
    store.notices.claim(first, asMail("<one>"));
    store.notices.sent(first);
    clock.advance({ minutes: 1 });
    store.journal.resume(id);
    expect(store.notices.open()).toEqual([]);
    clock.advance({ minutes: 1 });
    const second = noticeKey(park());
    expect(second.parkedAt).not.toBe(first.parkedAt);
    expect(store.notices.open()).toHaveLength(1);
    expect(store.notices.get(first)?.state).toBe("sent");
    expect(store.notices.get(second)).toBeNull();
  });
});

describe("claim()", () => {
  it("accepts a new notice and one left by a crash, and no sent one", () => {
    const { store, park } = noticesRig();
    const key = noticeKey(park());
    expect(store.notices.claim(key, asMail("<one>"))).toBe(true);
    expect(store.notices.claim(key, asMail("<one>"))).toBe(true);
    expect(store.notices.get(key)).toMatchObject({ attempts: 2, messageId: "<one>" });
    store.notices.sent(key);
    expect(store.notices.claim(key, asMail("<one>"))).toBe(false);
  });

  it("counts as a mail, and ends with its edit", () => {
    const { store, park, id, clock } = noticesRig();
    const key = noticeKey(park());
    store.notices.claim(key, asMail("<one>"));
    store.notices.rejected(key, { problem: "550 unknown", code: 550 });
    expect(store.ledger.state()).toMatchObject({
      sent: 0,
      deferred: 0,
      rejected: 1,
      problem: "550 unknown",
    });
    store.journal.discard(id);
    clock.advance({ hours: 1 });
    expect(atOnce(store.pastEdits.prune(clock()))).toBe(1);
    expect(store.notices.get(key)).toBeNull();
    expect(store.ledger.state().rejected).toBe(0);
  });
});
