import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fault } from "@dayferry/sandbox";
import { expect, it, onTestFinished } from "vitest";
import { troubleWords } from "../../src/domain/trouble.ts";
import { zonesLike } from "../../src/troubles/zones-like.ts";
import { untilHung } from "../support/eventually.ts";
import { modulesOn } from "../support/modules.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";
import { layDatabase } from "../support/test-store.ts";

const title = "Dayferry time zone probe (deleted at once)";

/** A daemon's modules that assume the service to be in `configured`, while it is in `actual`. */
async function rig({
  configured,
  actual = configured,
  now = "2026-11-22T21:00:00Z",
}: {
  readonly configured: string;
  readonly actual?: string;
  readonly now?: string;
}) {
  const sandbox = await testSandbox({ timeZone: actual });
  const folder = mkdtempSync(join(tmpdir(), "dayferry-zone-"));
  layDatabase(folder);
  const modules = modulesOn(sandbox, {
    folder,
    config: { service: { timeZone: configured } },
    clock: () => Temporal.Instant.from(now),
  });
  onTestFinished(async () => {
    await modules.close();
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const [first, second] = sandbox.workspace.places().map(({ project }) => project);
  if (first === undefined || second === undefined) throw new Error("two projects are needed");
  const by = ownerOf(sandbox);
  const add = (project: number, fields: object) =>
    sandbox.workspace.events.create(
      { by, project },
      { start: "2027-03-01", all_day: true, ...fields },
    );
  const left = () =>
    [first, second].flatMap((project) => {
      const listed = sandbox.workspace.events.list({ by, project }, { view: "all" });
      return listed.map((event) => event.title);
    });
  const fail = (fault: Fault) => sandbox.faults.add(fault);
  const probe = () => modules.probeZone(untilHung());
  return { modules, probe, add, left, fail, first, second };
}

it.each([
  ["Europe/Berlin", "2026-11-22T21:00:00Z"],
  ["Europe/Berlin", "2026-07-15T09:00:00Z"],
  ["America/New_York", "2026-10-31T23:00:00Z"],
  ["Australia/Adelaide", "2026-01-15T12:00:00Z"],
  ["Australia/Lord_Howe", "2026-11-22T21:00:00Z"],
  ["Asia/Kolkata", "2026-11-22T21:00:00Z"],
  ["Pacific/Apia", "2026-12-31T23:00:00Z"],
])("probeZone() finds %s at %s right, and leaves nothing", async (configured, now) => {
  const { probe, left, modules } = await rig({ configured, now });
  expect(await probe()).toEqual({
    ending: { kind: "right", zone: configured },
    removed: 0,
    left: null,
  });
  expect(left()).toEqual([]);
  expect(modules.store.troubles.reported()).toEqual([]);
});

it.each([
  // The same time in winter, another in summer; and the other way round.
  ["Europe/Berlin", "Africa/Algiers", ["+01:00", "+01:00"], "Africa/Algiers"],
  ["Africa/Algiers", "Europe/Berlin", ["+01:00", "+02:00"], "Europe/Berlin"],
  ["Europe/Berlin", "Europe/Athens", ["+02:00", "+03:00"], "Europe/Athens"],
  ["Asia/Kolkata", "Asia/Kathmandu", ["+05:45", "+05:45"], "Asia/Kathmandu"],
  ["Europe/Berlin", "America/St_Johns", ["-03:30", "-02:30"], "America/St_Johns"],
  ["Europe/London", "Australia/Adelaide", ["+10:30", "+09:30"], "Australia/Adelaide"],
  ["UTC", "Pacific/Auckland", ["+13:00", "+12:00"], "Pacific/Auckland"],
])("probeZone() finds for %s, where the account is in %s: at %j, as in %s", async (...row) => {
  const [configured, actual, offsets, zone] = row;
  const { probe, left, modules } = await rig({ configured, actual });
  const { ending, ...rest } = await probe();
  if (ending.kind !== "mismatch") throw new Error(ending.kind);
  expect(rest).toEqual({ removed: 0, left: null });
  expect(ending.trouble).toMatchObject({ zone: configured, offsets });
  expect(ending.trouble.zones).toContain(zone);
  const { what, remedy } = troubleWords(ending.trouble);
  expect(what).toContain(`the account is not in ${configured}; its clocks are at ${offsets[0]}`);
  expect(what).toContain(zone);
  expect(remedy).toContain("service.timeZone");
  expect(left()).toEqual([]);
  expect(modules.store.troubles.reported()).toEqual([ending.trouble]);
});

it("probeZone() withdraws the trouble once the zone is right", async () => {
  const { probe, modules } = await rig({ configured: "Europe/Berlin" });
  const trouble = { kind: "zone-mismatch", zone: "UTC", sent: "a", answered: "b" } as const;
  modules.store.troubles.report(trouble);
  expect((await probe()).ending.kind).toBe("right");
  expect(modules.store.troubles.reported()).toEqual([]);
});

it("probeZone() removes what a killed probe left, and nothing else", async () => {
  const { probe, add, left, first, second } = await rig({ configured: "Europe/Berlin" });
  add(first, { title, private: true });
  add(first, { title, private: true });
  add(first, { title, private: false });
  add(first, { title: `${title} of mine`, private: true });
  expect(await probe()).toMatchObject({ ending: { kind: "right" }, removed: 2, left: null });
  expect(left()).toEqual([title, `${title} of mine`]);
  expect(second).not.toBe(first);
});

it("probeZone() reports what could not be deleted, and the next one removes it", async () => {
  const { probe, left, fail } = await rig({ configured: "Europe/Berlin" });
  fail({ kind: "status", method: "DELETE", status: 403 });
  const told = await probe();
  expect(told.ending.kind).toBe("right");
  expect(told.left).toMatch(/^the private event \d+ of project \d+, “Dayferry time zone probe/);
  expect(left()).toEqual([title]);
  expect(await probe()).toMatchObject({ ending: { kind: "right" }, removed: 1, left: null });
  expect(left()).toEqual([]);
});

it("probeZone() makes no further event while an earlier one cannot be deleted", async () => {
  const { probe, add, left, fail, first } = await rig({ configured: "Europe/Berlin" });
  add(first, { title, private: true });
  fail({ kind: "status", method: "DELETE", status: 403 });
  expect(await probe()).toMatchObject({
    ending: { kind: "unproved" },
    left: expect.stringContaining("could not be deleted"),
  });
  expect(left()).toEqual([title]);
});

it.each<[string, Fault]>([
  ["the connection broke", { kind: "drop-after", method: "POST" }],
  ["it cannot be read", { kind: "cut", method: "POST", plain: true }],
  ["it is another one", { kind: "replace", method: "POST", body: { ok: true } }],
])("probeZone() removes an event whose creation got no answer, as %s", async (_why, fault) => {
  const { probe, left, fail } = await rig({ configured: "Europe/Berlin" });
  fail(fault);
  expect(await probe()).toMatchObject({ ending: { kind: "unproved" }, left: null });
  expect(left()).toEqual([]);
});

it("probeZone() uses another project when the key may not create events, and says so in the end", async () => {
  const { probe, left, fail, first } = await rig({ configured: "Europe/Berlin" });
  fail({ kind: "status", method: "POST", path: new RegExp(`/${first}/`), status: 403 });
  expect((await probe()).ending.kind).toBe("right");
  fail({ kind: "status", method: "POST", status: 403, times: 2 });
  const { ending } = await probe();
  expect(ending).toMatchObject({
    kind: "unproved",
    why: expect.stringContaining("the key may not create events in project"),
    remedy: expect.stringContaining("a key that may create events"),
  });
  expect(left()).toEqual([]);
});

/** The event of an answer with other times. */
const timesOf = (change: (text: string) => string | null) => (json: unknown) => {
  const event: Readonly<Record<string, unknown>> = Object(json);
  return { ...event, start: change(String(event.start)), end: change(String(event.end)) };
};

it.each<[string, (json: unknown) => unknown, string]>([
  ["with seconds", timesOf((text) => `${text}:00`), "right"],
  ["with a T", timesOf((text) => text.replace(" ", "T")), "right"],
  [
    "with its offset",
    timesOf((text) => `${text.replace(" ", "T")}:00${/-07-/.test(text) ? "+02:00" : "+01:00"}`),
    "right",
  ],
  ["without an end", (json) => ({ ...Object(json), end: null }), "unproved"],
  [
    "as whole days",
    (json) => ({ ...timesOf((text) => text.slice(0, 10))(json), all_day: true }),
    "unproved",
  ],
  ["in words", timesOf(() => "at noon"), "unproved"],
])("probeZone() reads an answer %s", async (_form, transform, kind) => {
  const { probe, left, fail } = await rig({ configured: "Europe/Berlin" });
  fail({ kind: "transform", method: "GET", path: /events\/\d+$/, transform });
  expect(await probe()).toMatchObject({ ending: { kind }, left: null });
  expect(left()).toEqual([]);
});

it("zonesLike() names no zone for clocks of no zone", () => {
  const instant = Temporal.Instant.from("2027-01-15T11:00:00Z");
  const clock = (text: string) => [{ instant, clock: Temporal.PlainDateTime.from(text) }];
  expect(zonesLike(clock("2027-01-15T12:01"))).toEqual({ offsets: [], zones: [] });
  expect(zonesLike(clock("2027-01-17T12:00"))).toEqual({ offsets: [], zones: [] });
  expect(zonesLike(clock("2027-01-15T12:15"))).toEqual({ offsets: ["+01:15"], zones: [] });
  expect(zonesLike([])).toEqual({ offsets: [], zones: [] });
});
