import { expect, it } from "vitest";
import { personId } from "../../../src/domain/ids.ts";
import { mayBeOf } from "../../../src/edits/delivery/create-once.ts";
import type { OpenRequest } from "../../../src/store/journal/attempts.ts";

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
])("recognizes whether an earlier request created an item that is %s", (_what, one, expected) => {
  expect(mayBeOf(open, one, personId(11))).toBe(expected);
});
