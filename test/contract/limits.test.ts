import type { When } from "@dayferry/ical";
import { expect, test } from "vitest";
import { labelId } from "../../src/domain/ids.ts";
import type { Patch } from "../../src/domain/patch.ts";
import { edit, expectRefused, startPair, worked } from "./pair.ts";

const when: When = {
  kind: "dates",
  start: Temporal.PlainDate.from("2026-12-01"),
  end: Temporal.PlainDate.from("2026-12-02"),
};
const patch: Patch = { title: "Once", when };

test("an unknown key is refused with 403", async () => {
  const { upstream } = await startPair({ client: { apiKey: "nobody" } });
  expectRefused(await upstream.labels.list(edit), 403);
});

test("a POST with a lost response is sent once, and its result can be looked up", async () => {
  for (const kind of ["drop-after", "hang-after", "cut"] as const) {
    const { upstream, sandbox, project } = await startPair({ endsHangs: true });
    sandbox.faults.add({ kind, method: "POST" });
    const created = await upstream.events.create({ projectId: project, patch }, edit);
    expect(created).toMatchObject({ ok: false, failure: { kind: "unknown-outcome" } });
    const found = worked(await upstream.events.list({ projectId: project, view: "all" }, edit));
    expect(found.items).toHaveLength(1);
    expect(found.items[0]).toMatchObject({ title: "Once", byMe: true });
    const posts = sandbox.requests.entries().filter((entry) => entry.method === "POST");
    expect(posts).toHaveLength(1);
  }
});

test("PUT and DELETE are repeated after a lost response and succeed", async () => {
  const { upstream, sandbox, project } = await startPair();
  const event = worked(await upstream.events.create({ projectId: project, patch }, edit));
  if (event.id === null) throw new Error("no id");
  const place = { projectId: project, id: event.id };
  sandbox.faults.add({ kind: "drop-after", method: "PUT" });
  const updated = worked(
    await upstream.events.update({ ...place, patch: { title: "Twice" } }, edit),
  );
  expect(updated.title).toBe("Twice");
  sandbox.faults.add({ kind: "drop-after", method: "DELETE" });
  expect(await upstream.events.delete(place, edit)).toEqual({ ok: true, value: null });
  expectRefused(await upstream.events.get(place, edit), 404);
});

test("a list that is HTML, truncated or of another shape is never read as empty", async () => {
  const { upstream, sandbox, project } = await startPair();
  await upstream.events.create({ projectId: project, patch }, edit);
  const query = { projectId: project, view: "all" } as const;
  const faults = [
    { kind: "html" },
    { kind: "cut", plain: true },
    { kind: "replace", body: {} },
    { kind: "replace", body: null },
  ] as const;
  for (const fault of faults) {
    sandbox.faults.add(fault);
    expect(await upstream.events.list(query, edit)).toMatchObject({
      ok: false,
      failure: { kind: "unreadable" },
    });
  }
  sandbox.faults.add({ kind: "cut" });
  expect(worked(await upstream.events.list(query, edit)).items).toHaveLength(1);
});

test("reads survive a few failures of the service", async () => {
  const { upstream, sandbox } = await startPair();
  sandbox.faults.add({ kind: "status", status: 502, body: "<h1>Bad gateway</h1>" });
  sandbox.faults.add({ kind: "drop-before" });
  sandbox.faults.add({ kind: "status", status: 500 });
  expect((await upstream.labels.list(edit)).ok).toBe(true);
  sandbox.faults.add({ kind: "status", status: 503, times: 4, body: { message: "maintenance" } });
  expect(await upstream.labels.list(edit)).toMatchObject({
    ok: false,
    failure: { kind: "unavailable", status: 503, message: "maintenance" },
  });
});

test("client and sandbox agree on the quota: no 429 while it is used up", async () => {
  const perMs = 600;
  const { upstream, sandbox } = await startPair({
    sandbox: { quota: { requests: 25, perMs } },
    client: { quota: { requests: 25, per: Temporal.Duration.from({ milliseconds: perMs }) } },
  });
  const calls = Array.from({ length: 90 }, (_, index) =>
    index % 9 === 0
      ? upstream.labels.create({ name: `Label ${index}` }, edit)
      : upstream.labels.get(labelId(1 + (index % 3)), { priority: "sweep" }),
  );
  await Promise.all(calls);
  const entries = sandbox.requests.entries();
  expect(entries).toHaveLength(90);
  expect(entries.filter((entry) => entry.status === 429)).toEqual([]);
  expect(sandbox.requests.maxInWindow(perMs)).toBeLessThanOrEqual(25);
  expect(upstream.gate.state()).toMatchObject({ sent: 90, rateLimited: 0, share: 25 });
});

test("a POST that hit the limit is sent again when allowed", async () => {
  const { upstream, sandbox, project } = await startPair({
    sandbox: { quota: { requests: 2, perMs: 700 } },
  });
  const calls = [1, 2, 3].map((number) =>
    upstream.events.create({ projectId: project, patch: { ...patch, title: `E${number}` } }, edit),
  );
  const results = await Promise.all(calls);
  expect(results.every((result) => result.ok)).toBe(true);
  const found = worked(await upstream.events.list({ projectId: project, view: "all" }, edit));
  expect(found.items.map((event) => event.title).toSorted()).toEqual(["E1", "E2", "E3"]);
  expect(sandbox.requests.entries().some((entry) => entry.status === 429)).toBe(true);
});
