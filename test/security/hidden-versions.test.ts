import { describe, expect, it } from "vitest";
import { listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Store } from "../../src/store/store.ts";
import { calendar, vevent, vtodo } from "../edits/rig.ts";
import { ana, basic, startApp } from "../http/people-rig.ts";
import { startDav } from "../support/dav-server.ts";
import { anEvent, aProject, aTask, aTodolist } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

// An item that Ana may see now was hidden from her before. No channel reveals its former contents: a version that a
// person could not see counts as unknown, whatever number names it.

const website = projectId(2001);
const hush = { title: "Hush", description: "Hush, the merger", assigned: [personId(12)] };
const open = { title: "Open", description: "For everybody", assigned: [] };

interface Way {
  readonly name: string;
  readonly kind: "event" | "task";
  /** The item while it was hidden, when it is shown, and when nothing hides it any more. */
  readonly make: (store: Store) => void;
}

const lists = (store: Store, isPrivate: boolean) =>
  store.directory.putTodolists(
    null,
    [
      aTodolist(3001),
      aTodolist(3002, { private: isPrivate }),
      aTodolist(3003, { projectId: projectId(2002) }),
    ],
    true,
  );

const ways: readonly Way[] = [
  {
    name: "an event that was private",
    kind: "event",
    make({ mirror }) {
      mirror.put(anEvent(7, { ...hush, private: true }), "events:2001");
      mirror.put(anEvent(7, open), "events:2001");
    },
  },
  {
    name: "a task of a private list that was moved",
    kind: "task",
    make({ mirror }) {
      mirror.put(aTask(7, { ...hush, listId: listId(3002) }), "tasks:3002");
      mirror.put(aTask(7, open), "tasks:3001");
    },
  },
  {
    name: "a task of a closed project that was moved",
    kind: "task",
    make({ mirror }) {
      const far = { projectId: projectId(2002), listId: listId(3003) };
      mirror.put(aTask(7, { ...hush, ...far }), "tasks:3003");
      mirror.put(aTask(7, open), "tasks:3001");
    },
  },
  {
    name: "a task whose list was private",
    kind: "task",
    make(store) {
      store.mirror.put(aTask(7, { ...hush, listId: listId(3002) }), "tasks:3002");
      lists(store, false);
      store.mirror.put(aTask(7, { ...open, listId: listId(3002) }), "tasks:3002");
    },
  },
];

function prepare(store: Store, { kind, make }: Way) {
  store.directory.putProjects(
    [aProject(2001, "Website"), { ...aProject(2002, "Closed"), members: [personId(12)] }],
    true,
  );
  lists(store, true);
  make(store);
  const key = store.mirror.find(kind, serviceId(7));
  const shown = key === null ? null : store.view.get(key);
  if (!shown) throw new Error("the item is not shown");
  return shown;
}

/** What a program that saw an older version sends, with its mark or its SEQUENCE. */
const fileOf = (uid: string, kind: Way["kind"], ...lines: readonly string[]) =>
  kind === "event"
    ? calendar(vevent(uid, ...lines, "DTSTART;VALUE=DATE:20261201"))
    : calendar(vtodo(uid, ...lines, "DUE;VALUE=DATE:20261201"));

const names = [
  ["SEQUENCE", "SEQUENCE:0"],
  ["a mark", "X-DAYFERRY-BASE:0"],
] as const;

describe.each(ways)("$name", (way) => {
  it("is never compared with hidden versions when a file names that version", async () => {
    const rig = await startApp();
    const { uid } = prepare(rig.store, way);
    const authorization = basic("11", rig.passwords.issue(ana));
    const told: string[] = [];
    for (const [, name] of names) {
      for (const dry of ["&dryRun=true", ""]) {
        const answer = await rig.call(`POST /api/edits?project=${website}&list=3001${dry}`, {
          headers: { authorization, "content-type": "text/calendar" },
          body: fileOf(uid, way.kind, "SUMMARY:Mine", name),
        });
        expect([200, 202]).toContain(answer.status);
        told.push(answer.text);
      }
    }
    for (const path of ["/api/edits", "/api/edits/1", "/edits/1"]) {
      told.push((await rig.call(`GET ${path}`, { headers: { authorization } })).text);
    }
    expect(told.join("\n")).toContain("Open");
    expect(told.join("\n")).not.toContain("Hush");
  });

  it("is never compared with hidden versions when a calendar program names that version", async () => {
    const dav = await startDav();
    const { uid, item } = prepare(dav.store, way);
    const slug = item.kind === "event" ? `events-${item.projectId}` : `tasks-${item.listId}`;
    const path = `/dav/calendars/11/${slug}/${uid}.ics`;
    const told: string[] = [];
    for (const [, name] of names) {
      const put = await dav.call(`PUT ${path}`, {
        headers: { "content-type": "text/calendar" },
        body: fileOf(uid, way.kind, "SUMMARY:Mine", name),
      });
      told.push(put.text, (await dav.call(`GET ${path}`)).text);
    }
    const edits = dav.store.journal.list({ limit: 10 });
    told.push(JSON.stringify(edits));
    expect(edits.length).toBeGreaterThan(0);
    expect(told.join("\n")).not.toContain("Hush");
  });

  it("has no hidden version known to people who could not see it, and all known to its people and the admin", () => {
    const store = testStore(handClock("2026-11-21T09:00:00Z"));
    const { key } = prepare(store, way);
    const titles = (reader: number | null) =>
      store.view.history(key, reader === null ? null : personId(reader)).map((it) => it.title);
    expect(titles(11)).toEqual(["Open"]);
    expect(titles(12)).toEqual(["Hush", "Open"]);
    expect(titles(null)).toEqual(["Hush", "Open"]);
    const first = { sequence: 0, modifiedAt: null };
    expect(store.view.shownAs(key, first, personId(11))).toBeNull();
    expect(store.view.shownAs(key, first, personId(12))?.title).toBe("Hush");
  });
});
