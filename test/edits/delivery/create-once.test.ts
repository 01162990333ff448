import { describe, expect, it } from "vitest";
import { personId } from "../../../src/domain/ids.ts";
import { fail, ok, type Result } from "../../../src/domain/result.ts";
import { createOnce, mayBeOf } from "../../../src/edits/delivery/create-once.ts";
import { ClaimLeases } from "../../../src/edits/delivery/settle.ts";
import type { OpenRequest } from "../../../src/store/journal/attempts.ts";
import type { Call } from "../../../src/upstream/client.ts";
import type { Failure } from "../../../src/upstream/failure.ts";
import { handClock, testStore } from "../../support/test-store.ts";

const lost = { kind: "unknown-outcome", message: "lost", request: "POST /x" } as const;
const refused = { kind: "refused", status: 403, message: "no", request: "POST /x" } as const;

const label = { edit: null, act: "label", what: "label:fresh" } as const;

/** A label that is created again and again; `shown`: what the service shows, if anything. */
function freshLabel() {
  const leases = new ClaimLeases<number>();
  const clock = handClock("2026-11-20T12:00:00Z");
  const { attempts } = testStore(clock);
  const state = { shown: null as number | null, sent: 0 };
  const attempt = (send: (call: Call) => Result<number, Failure>) =>
    createOnce<number>({
      ...label,
      word: "label",
      attempts,
      clock,
      call: { priority: "edit" },
      keep: (note) => leases.keep(note),
      known: () => [7],
      look: () => Promise.resolve(ok(state.shown)),
      send(call) {
        state.sent += 1;
        return Promise.resolve(send(call));
      },
    });
  return { attempts, clock, state, attempt };
}

const unanswered = (call: Call) => {
  call.onUnanswered?.({ waited: Temporal.Duration.from({ seconds: 2 }), hasFailed: true });
  return fail(lost);
};

describe("createOnce() result", () => {
  it("is what was made, and is looked for until that is stored", async () => {
    const { attempt, attempts, state } = freshLabel();
    expect(await attempt(() => ok(1))).toEqual(ok(1));
    state.shown = 1;
    expect(await attempt(() => ok(2))).toEqual(ok(1));
    expect(state.sent).toBe(1);
    attempts.done("label:fresh");
    expect(attempts.open("label:fresh")).toBeNull();
  });

  it("waits while the request may be carried out, then is sent once more", async () => {
    const { attempt, clock, state } = freshLabel();
    await attempt(unanswered);
    clock.advance({ seconds: 17 });
    expect(await attempt(() => ok(2))).toMatchObject({ failure: { kind: "unsure" } });
    expect(state.sent).toBe(1);
    clock.advance({ seconds: 1 });
    expect(await attempt(() => ok(2))).toEqual(ok(2));
    expect(state.sent).toBe(2);
  });

  it("is what an earlier request has made", async () => {
    const { attempt, state } = freshLabel();
    await attempt(unanswered);
    state.shown = 3;
    expect(await attempt(() => ok(2))).toEqual(ok(3));
    expect(state.sent).toBe(1);
  });

  it("is sent again at once after a refusal, with a look before", async () => {
    const { attempt, state } = freshLabel();
    expect(await attempt(() => fail(refused))).toEqual(fail({ kind: "failed", failure: refused }));
    expect(await attempt(() => ok(2))).toEqual(ok(2));
    expect(state.sent).toBe(2);
  });

  it("waits after a crash until the request cannot be carried out any more", async () => {
    const { attempt, attempts, clock, state } = freshLabel();
    attempts.leaving({ ...label, known: [7] });
    clock.advance({ minutes: 1 });
    attempts.release();
    clock.advance({ seconds: 179 });
    expect(await attempt(() => ok(2))).toMatchObject({ failure: { kind: "unsure" } });
    expect(state.sent).toBe(0);
    expect(attempts.open("label:fresh")?.known).toEqual(new Set([7]));
  });
});

describe("mayBeOf()", () => {
  const sentAt = Temporal.Instant.from("2026-11-20T12:00:00Z");
  const open: OpenRequest = { sentAt, inFlightUntil: sentAt, known: new Set([7]) };
  const made = { id: 8, byMe: true, creatorId: null, createdAt: sentAt.subtract({ hours: 1 }) };
  it.each([
    ["an hour behind, as the clock may be", made, true],
    ["without a stamp", { ...made, createdAt: null }, true],
    ["known before", { ...made, id: 7 }, false],
    ["of days ago", { ...made, createdAt: sentAt.subtract({ hours: 50 }) }, false],
    ["someone else's", { ...made, byMe: false, creatorId: personId(12) }, false],
    ["the person's own", { ...made, byMe: false, creatorId: personId(11) }, true],
  ])("result for one that is %s", (_what, one, expected) => {
    expect(mayBeOf(open, one, personId(11))).toBe(expected);
  });
});
