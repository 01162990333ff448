import { expect, it } from "vitest";
import { readEditQuery } from "../../../src/edits/actions/edit-query.ts";
import { zone } from "../../support/items.ts";
import { acceptRig } from "../rig.ts";

const read = (query: Parameters<typeof readEditQuery>[0]) =>
  readEditQuery(query, { directory: acceptRig().store.directory, zone });

it("a query takes numbers, names and words, and ignores empty values", () => {
  expect(read({})).toEqual({ ok: true, value: {} });
  expect(read({ state: " ", person: "" })).toEqual({ ok: true, value: {} });
  expect(
    read({ state: "waiting,confirmed", person: "björn", project: "trade fair", before: "7" }),
  ).toEqual({
    ok: true,
    value: { states: ["parked", "held", "confirmed"], actor: 12, project: 2002, before: 7 },
  });
  expect(read({ person: "account", channel: "link", item: "Call" })).toEqual({
    ok: true,
    value: { actor: null, channel: "link", item: "Call" },
  });
  const since = read({ since: "2026-11-24" });
  expect(since.ok && since.value.since?.toString()).toBe("2026-11-23T23:00:00Z");
});

it.each([
  [{ state: "done" }, /^state: "done" is not a state/],
  [{ person: "Zoe" }, /^person: there is none/],
  [{ project: "Zoo" }, /^project: there is none/],
  [{ channel: "fax" }, /^channel/],
  [{ since: "yesterday" }, /^since/],
  [{ before: "x" }, /^before/],
])("a query names the parameter it cannot read: %j", (query, reason) => {
  const answer = read(query);
  expect(answer.ok ? "" : answer.failure).toMatch(reason);
});
