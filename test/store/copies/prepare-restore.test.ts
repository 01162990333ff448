import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type ItemKey, listId, personId, projectId, serviceId } from "../../../src/domain/ids.ts";
import { prepareRestore } from "../../../src/store/copies/prepare-restore.ts";
import { anEvent, aTask } from "../../support/items.ts";
import { handClock, migrations, testDirectory, testStore } from "../../support/test-store.ts";

/** The store of a backup at `file`, and the name of the database that it replaces. */
function aBackup() {
  const clock = handClock("2026-11-20T12:00:00Z");
  const [file, newer] = [join(testDirectory(), "a.sqlite"), join(testDirectory(), "b.sqlite")];
  return { clock, file, newer, before: testStore(clock, file) };
}

it("prepareRestore() releases the edits of a task whose move waited in the backup", () => {
  const { clock, file, before } = aBackup();
  before.mirror.put(aTask(601), "tasks:3001");
  const item = before.mirror.find("task", aTask(601).id);
  if (item === null) throw new Error("the task was not put");
  const base = aTask(601);
  const place = { projectId: projectId(2001), listId: listId(3003) };
  const by = { channel: "caldav", actor: null, newLabels: [], state: "pending" } as const;
  const move = before.journal.append({ ...by, item, action: "update", base, patch: { place } });
  before.close();
  const [madeAt, now] = [clock(), clock().add({ hours: 1 })];
  prepareRestore(file, { migrations, epoch: "next", now, madeAt, quota: 25, replaced: null });
  clock.advance({ hours: 1 });
  const store = testStore(clock, file);
  expect(store.journal.get(move)).toMatchObject({ state: "claimed", sentAt: madeAt });
  expect(store.unanswered.ofItem(item)).toEqual([]);
});

it("prepareRestore() gives creations sent since the backup time to be carried out", () => {
  const { clock, file, newer, before } = aBackup();
  const [sent, unsent] = ["sent@example.com", "unsent@example.com"].map((uid) => {
    const base = { ...aTask(601), id: null };
    const item = before.mirror.createIdentity("task", uid);
    const by = { channel: "caldav", actor: null, newLabels: [], state: "pending" } as const;
    return before.journal.append({ ...by, item, action: "create", base, patch: { title: uid } });
  });
  if (!sent || !unsent) throw new Error("there are two edits");
  before.close();
  copyFileSync(file, newer);
  clock.advance({ minutes: 10 });
  const sentAt = clock();
  const since = testStore(clock, newer);
  const { patch, item } = since.journal.get(sent) ?? expect.fail("the edit is gone");
  since.attempts.leaving({ edit: sent, act: "create", item, patch });
  since.close();
  clock.advance({ seconds: 30 });
  const now = clock();
  const common = { migrations, now, madeAt: now.subtract({ minutes: 5 }), quota: 25 };
  prepareRestore(file, { ...common, epoch: "next", replaced: newer });
  const store = testStore(clock, file);
  const landings = [sent, unsent].map((edit) => store.journal.get(edit)?.inFlightUntil);
  expect(landings).toEqual([sentAt.add({ minutes: 3 }), now]);
  store.close();
  prepareRestore(file, { ...common, epoch: "second", replaced: null });
  const blind = testStore(clock, file);
  expect(blind.journal.get(unsent)?.inFlightUntil).toEqual(now.add({ minutes: 3 }));
});

it("prepareRestore() takes over creations sent since the backup without an answer", () => {
  const { clock, file, newer, before } = aBackup();
  before.mirror.put(aTask(601, { title: "Before" }), "tasks:3001");
  before.close();
  copyFileSync(file, newer);
  clock.advance({ minutes: 10 });
  const since = testStore(clock, newer);
  const former = since.mirror.find("task", aTask(601).id) ?? expect.fail("it was not put");
  since.mirror.bury(former);
  const base = { ...aTask(601), id: null };
  const by = { channel: "caldav", actor: null, newLabels: [], state: "pending" } as const;
  const creation = (item: ItemKey, title: string) =>
    since.journal.append({
      ...{ ...by, item, action: "create", base, patch: { title }, recreates: item === former },
    });
  const [fresh, unsent] = ["fresh@example.com", "unsent@example.com"].map((uid) =>
    since.mirror.createIdentity("task", uid),
  );
  if (!fresh || !unsent) throw new Error("there are two items");
  const sent = [creation(former, "Again"), creation(fresh, "Fresh")];
  creation(unsent, "Unsent");
  for (const edit of sent) {
    const { patch, item } = since.journal.get(edit) ?? expect.fail("the edit is gone");
    since.attempts.leaving({ edit, act: "create", item, patch });
  }
  since.close();
  const now = clock();
  const common = {
    migrations,
    epoch: "next",
    now,
    madeAt: now.subtract({ minutes: 5 }),
    quota: 25,
  };
  expect(prepareRestore(file, { ...common, replaced: newer }).newerEdits).toBe(1);
  const store = testStore(clock, file);
  for (const edit of sent)
    expect(store.journal.get(edit)).toMatchObject({ state: "claimed", sentAt: now });
  const shown = [former, fresh, unsent].map((item) => store.view.get(item)?.item.title ?? null);
  expect(shown).toEqual(["Again", "Fresh", null]);
  expect(store.mirror.find("task", aTask(601).id)).toBeNull();
});

it("prepareRestore() knows each item under its new and its former numbers", () => {
  const { clock, file, before } = aBackup();
  before.mirror.put(aTask(601, { title: "One" }), "tasks:3001");
  before.mirror.put(aTask(601, { title: "Two" }), "tasks:3001");
  const key = before.mirror.find("task", aTask(601).id);
  if (key === null) throw new Error("the task was not put");
  const by = { channel: "caldav", actor: personId(11), newLabels: [], state: "held" } as const;
  const about = {
    item: key,
    action: "update",
    base: aTask(601),
    patch: { title: "Mine" },
  } as const;
  const edit = before.journal.append({ ...by, ...about });
  const octets = { component: "VTODO", uid: "a@example.com", raw: "", rendered: "" } as const;
  const object = {
    ...octets,
    item: key,
    body: Buffer.from("as put"),
    agent: "",
    actor: personId(11),
  };
  before.heldObjects.put({ edit, name: "a.ics", object: { ...object, stale: false } });
  before.absences.notice(key, "tasks:3001");
  before.close();
  const [madeAt, now] = [clock(), clock().add({ hours: 1 })];
  prepareRestore(file, { migrations, epoch: "next", now, madeAt, quota: 25, replaced: null });
  const store = testStore(clock, file);
  const item = store.mirror.find("task", aTask(601).id);
  if (item === null) throw new Error("the task is gone");
  const { sequence } = store.mirror.identity(item);
  const titles = [0, 1, sequence].map(
    (number) => store.view.shownAs(item, { sequence: number, modifiedAt: null }, null)?.title,
  );
  expect(titles).toEqual(["One", "Two", "Two"]);
  expect(store.absences.unconfirmed(0, 9)).toEqual([item]);
  // It is served with the new number, and not as it was put.
  expect(store.heldObjects.get(edit)?.row?.stale).toBe(true);
});

it("prepareRestore() knows by its actual kind what a waiting creation has made", () => {
  const { clock, file, newer, before } = aBackup();
  // A subtask whose task does not exist yet becomes a task.
  const item = before.mirror.createIdentity("task", "sub@example.com");
  before.close();
  copyFileSync(file, newer);
  const since = testStore(clock, newer);
  since.mirror.clearServiceId(item, "subtask");
  since.mirror.adopt(item, serviceId(601));
  since.close();
  const [madeAt, now] = [clock(), clock().add({ hours: 1 })];
  prepareRestore(file, { migrations, epoch: "next", now, madeAt, quota: 25, replaced: newer });
  const store = testStore(clock, file);
  expect(store.mirror.find("subtask", serviceId(601))).toBe(item);
});

it("prepareRestore() knows what was shown, deleted and made again since the backup", () => {
  const { clock, file, newer, before } = aBackup();
  before.mirror.put(aTask(601, { title: "One" }), "tasks:3001");
  const below = aTask(603, { kind: "subtask", parentId: aTask(601).id });
  before.mirror.put(below, "subtasks:601");
  const item = before.mirror.find("task", aTask(601).id) ?? expect.fail("it was not put");
  const by = { channel: "caldav", actor: null, newLabels: [], state: "pending" } as const;
  const deletion = before.journal.append({
    ...{ ...by, item, action: "delete", base: aTask(601), patch: {} },
    notBefore: clock().add({ hours: 1 }),
  });
  before.close();
  copyFileSync(file, newer);
  clock.advance({ hours: 2 });
  const since = testStore(clock, newer);
  const claimed = since.journal.claimNext() ?? expect.fail("nothing can be claimed");
  since.journal.confirm(claimed, null);
  since.mirror.clearServiceId(item, "task");
  since.mirror.adopt(item, serviceId(602));
  since.mirror.put(aTask(602, { title: "Two" }), "tasks:3001");
  const { sequence } = since.mirror.identity(item);
  since.close();
  const [madeAt, now] = [clock().subtract({ hours: 1 }), clock()];
  prepareRestore(file, { migrations, epoch: "next", now, madeAt, quota: 25, replaced: newer });
  const store = testStore(clock, file);
  expect(store.journal.get(deletion)?.state).toBe("confirmed");
  expect(store.mirror.find("task", serviceId(602))).toBe(item);
  expect(store.view.ofProject(below.projectId).map(({ key }) => key)).not.toContain(
    store.mirror.find("subtask", below.id),
  );
  expect(store.view.shownAs(item, { sequence, modifiedAt: null }, null)?.title).toBe("Two");
});

it("prepareRestore() knows what a move begun since the backup had found", () => {
  const { clock, file, newer, before } = aBackup();
  const base = anEvent(501, { title: "One" });
  before.mirror.put(base, "events:2001");
  const item = before.mirror.find("event", base.id) ?? expect.fail("it was not put");
  const place = { projectId: projectId(2002), listId: null };
  const by = { channel: "caldav", actor: null, newLabels: [], state: "pending" } as const;
  const move = before.journal.append({ ...by, item, action: "update", base, patch: { place } });
  before.close();
  copyFileSync(file, newer);
  const since = testStore(clock, newer);
  const claimed = since.journal.claimNext() ?? expect.fail("nothing can be claimed");
  since.journal.replacing(claimed.id, anEvent(501, { title: "Two" }));
  since.close();
  const now = clock();
  prepareRestore(file, { migrations, epoch: "next", now, madeAt: now, quota: 25, replaced: newer });
  expect(testStore(clock, file).journal.get(move)?.before?.title).toBe("Two");
});

it("prepareRestore() raises SEQUENCE above that of octets that a program stored since", () => {
  const { clock, file, newer, before } = aBackup();
  before.mirror.put(aTask(601), "tasks:3001");
  const item = before.mirror.find("task", aTask(601).id) ?? expect.fail("it was not put");
  before.close();
  copyFileSync(file, newer);
  const since = testStore(clock, newer);
  const raw = "BEGIN:VTODO\nSEQUENCE:5000\nEND:VTODO";
  const by = { uid: "x", rendered: "", stale: true, actor: personId(11), agent: "" };
  since.objects.putBody({ ...by, item, component: "VTODO", raw, body: Buffer.from(raw) });
  const shown = since.objects.mostShown({ item, component: "VTODO" }) ?? 0;
  since.close();
  const now = clock();
  prepareRestore(file, { migrations, epoch: "next", now, madeAt: now, quota: 25, replaced: newer });
  expect(shown).toBeGreaterThan(5000);
  expect(testStore(clock, file).mirror.identity(item).sequence).toBeGreaterThan(shown);
});
