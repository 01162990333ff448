import { expect, it } from "vitest";
import { labelId, projectId, serviceId } from "../../../src/domain/ids.ts";
import { sourceOf } from "../../../src/domain/source.ts";
import { createAccept } from "../../../src/edits/intake/accept.ts";
import type { Journal } from "../../../src/store/journal/journal.ts";
import { anEvent, aTask, days } from "../../support/items.ts";
import { acceptRig, calendar, codes, list, vevent, vtodo, wishes, withItem } from "../rig.ts";

const party = vevent("party@example.com", "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224");
const chore = vtodo("chore@example.com", "SUMMARY:Chore", "DUE;VALUE=DATE:20261224");

it("refuses a damaged file as a whole", () => {
  const rig = acceptRig();
  const cut = calendar(party).replace("END:VCALENDAR", "");
  expect(rig.send(cut)).toMatchObject({ kind: "refused", errors: [{ code: "truncated" }] });
  expect(rig.send("<html>")).toMatchObject({ kind: "refused", errors: [{ code: "html" }] });
  expect(rig.edits()).toEqual([]);
});

it.each([
  ["nothing at all", calendar()],
  ["only a time zone", calendar("BEGIN:VTIMEZONE", "TZID:Nowhere", "END:VTIMEZONE")],
  ["nothing to cancel", calendar("METHOD:CANCEL")],
])("refuses a calendar that holds %s, with the line", (_what, text) => {
  const rig = acceptRig();
  const refused = { kind: "refused", errors: [{ code: "no-items", line: 2, uid: null }] };
  expect(rig.send(`\r\n${text}`)).toMatchObject(refused);
  expect(rig.send(`\r\n${text}`, { dryRun: true })).toMatchObject(refused);
});

it("refuses an unknown project, even for known items", () => {
  const { rig, uid } = withItem(acceptRig(), anEvent(501));
  const request = { projectId: projectId(9999) };
  const refused = { kind: "refused", errors: [{ code: "unknown-project", uid: null }] };
  expect(rig.send(calendar(vevent(uid, "SUMMARY:New")), request)).toMatchObject(refused);
  expect(rig.send(calendar(), request)).toMatchObject(refused);
});

it("accepts what it can, in file order, and names each refusal", () => {
  const rig = acceptRig();
  const event = rig.put(anEvent(501, { title: "A" }));
  const live = rig.put(anEvent(502, { title: "B", milestone: true, when: days("2026-11-23") }));
  const task = rig.put(aTask(601, { title: "C", completed: true }));
  const plan = rig.plan(
    calendar(
      chore,
      vevent(live, "SUMMARY:✓ B"),
      "BEGIN:VJOURNAL",
      "UID:j@example.com",
      "END:VJOURNAL",
      vevent(event, "SUMMARY:A"),
      vevent(task, "SUMMARY:C"),
      vevent(event.replace("501", "777"), "SUMMARY:X"),
      party,
    ),
  );
  expect(plan.items.map(({ action }) => action)).toEqual([
    "refused",
    "complete",
    "unchanged",
    "reopen",
    "refused",
    "create",
  ]);
  expect(plan.items.map(({ kind }) => kind)).toEqual([
    "task",
    "milestone",
    "event",
    "task",
    "event",
    "event",
  ]);
  expect(plan.summary).toEqual({
    update: 0,
    create: 1,
    complete: 1,
    reopen: 1,
    delete: 0,
    unchanged: 1,
    refused: 2,
  });
  expect(plan.errors.map(({ code, uid }) => [code, uid])).toEqual([
    ["no-list", "chore@example.com"],
    ["gone", event.replace("501", "777")],
    ["component", "j@example.com"],
  ]);
});

it("a dry run stores nothing and says of the same items what will be done", () => {
  const { rig, uid } = withItem(acceptRig({ labels: "create" }), aTask(601));
  const gone = rig.put(aTask(602));
  const file = calendar(
    vtodo(uid, "CATEGORIES:Fresh"),
    vtodo(gone, "STATUS:CANCELLED"),
    party,
    chore,
  );
  const revision = rig.store.changes.latest();
  const dry = rig.plan(file, { dryRun: true, listId: list });
  expect(rig.store.changes.latest()).toBe(revision);
  expect(rig.edits()).toEqual([]);
  expect(rig.store.mirror.findUid("party@example.com")).toBeNull();
  expect(rig.woken()).toBe(0);

  const real = rig.plan(file, { listId: list });
  const plain = ({ items }: typeof real) =>
    items.map((item) => ({ ...item, did: null, editId: null }));
  expect(plain(real)).toEqual(plain(dry));
  const said = [dry, real].map(({ items }) => items.map(({ did }) => did));
  expect(said).toEqual([
    [
      'give Task 601 the new label "Fresh"',
      "delete Task 602, due Tue 24 Nov",
      "create the event Party, all day Thu 24 Dec",
      "create the task Chore, due Thu 24 Dec",
    ],
    [
      'gave Task 601 the new label "Fresh"',
      "deleted Task 602, due Tue 24 Nov",
      "created the event Party, all day Thu 24 Dec",
      "created the task Chore, due Thu 24 Dec",
    ],
  ]);
  expect(real.items.map(({ editId }) => editId)).toEqual([1, 2, 3, 4]);
  expect(rig.woken()).toBe(1);
});

it("a second upload of a file changes nothing", () => {
  const { rig, uid } = withItem(acceptRig(), anEvent(501));
  const file = calendar(vevent(uid, "SUMMARY:New"), party, chore);
  rig.plan(file, { listId: list });
  const again = rig.plan(file, { listId: list });
  expect(again.items.map(({ action }) => action)).toEqual(["unchanged", "unchanged", "unchanged"]);
  expect(rig.edits()).toHaveLength(3);
  expect(rig.store.view.ofProject(projectId(2001))).toHaveLength(3);
});

it("a label that is being created makes no second edit", () => {
  const { rig, uid } = withItem(acceptRig({ labels: "create" }), aTask(601));
  const file = calendar(vtodo(uid, "CATEGORIES:Design,Fresh"));
  expect(rig.one(file).action).toBe("update");
  expect(rig.one(file).action).toBe("unchanged");
  const other = rig.one(calendar(vtodo(uid, "CATEGORIES:QA,fresh")));
  expect(wishes(other)).toEqual({ labels: [53, "fresh"] });
});

it.each(["known", "create"] as const)(
  "a label may be named as when the file was downloaded, if %s names are accepted",
  (policy) => {
    const { rig, uid } = withItem(
      acceptRig({ labels: policy }),
      aTask(601, { title: "Write", labels: [labelId(51), labelId(53)] }),
    );
    const file = calendar(vtodo(uid, "SUMMARY:Rewrite", "CATEGORIES:Design,QA"));
    const rename = (name: string) =>
      rig.store.directory.putLabels([{ id: labelId(51), name, color: null }], false);
    rename("Art");
    rename("Artwork");
    expect(wishes(rig.one(file, { dryRun: true }))).toEqual({ title: "Rewrite" });
    const both = calendar(vtodo(uid, "CATEGORIES:artwork,QA,art"));
    expect(rig.one(both, { dryRun: true })).toMatchObject(
      policy === "known"
        ? { action: "refused", problems: [{ code: "unknown-label" }] }
        : { action: "update", changes: [{ field: "labels" }] },
    );
    const bare = rig.put(aTask(602));
    const other = calendar(vtodo(bare, "CATEGORIES:Design"));
    expect(rig.one(other, { dryRun: true }).action).toBe(policy === "known" ? "refused" : "update");
  },
);

it("stores all edits of a file, or none if one cannot be stored", () => {
  const { rig, uid } = withItem(acceptRig(), anEvent(501));
  const { store } = rig;
  let kept = 0;
  const journal: Journal = {
    ...store.journal,
    append(edit) {
      if (++kept === 2) throw new Error("disk full");
      return store.journal.append(edit);
    },
  };
  const accept = createAccept({ ...rig.deps, store: { ...store, journal } });
  const bytes = Buffer.from(calendar(vevent(uid, "SUMMARY:New"), party));
  expect(() => accept({ ...rig.request, bytes })).toThrow("disk full");
  expect(rig.edits()).toEqual([]);
  expect(store.mirror.findUid("party@example.com")).toBeNull();
  expect(rig.woken()).toBe(0);
});

it("changes and deletes an item whose creation is still pending", () => {
  const rig = acceptRig();
  rig.one(calendar(party));
  expect(rig.one(calendar(party.replace("Party", "Feast"))).action).toBe("update");
  const cancelled = calendar(vevent("party@example.com", "STATUS:CANCELLED"));
  expect(rig.one(cancelled).action).toBe("delete");
  expect(codes(rig.one(calendar(party)))).toEqual(["gone"]);
  expect(rig.store.view.findUid("party@example.com")).toBeNull();
});

it("keeps the UID of an item that a sweep found under a UID of its own", () => {
  const rig = acceptRig();
  const item = anEvent(501, { title: "Twin" });
  const key = rig.store.mirror.createIdentity("event", "twin@example.com");
  rig.store.mirror.put(item, sourceOf(item));
  rig.store.mirror.adopt(key, serviceId(501));
  const own = `event-501@${rig.store.meta.installation}`;
  expect(codes(rig.one(calendar(vevent(own, "SUMMARY:New"))))).toEqual(["gone"]);
  rig.store.mirror.put(item, sourceOf(item));
  expect(rig.one(calendar(vevent(own, "SUMMARY:New"))).action).toBe("update");
  expect(rig.edits()).toMatchObject([{ item: key, patch: { title: "New" } }]);
});
