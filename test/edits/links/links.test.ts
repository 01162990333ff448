import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  createLinkSigner,
  type LinkAction,
  type LinkClaim,
} from "../../../src/domain/action-link.ts";
import { feedId, listId, personId, projectId, type ServiceId } from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import { createActionLinks } from "../../../src/edits/links/links.ts";
import { anEvent, aPerson, aProject, aTask, aTodolist, days, zone } from "../../support/items.ts";
import { handClock, testStore } from "../../support/test-store.ts";

type Stored = Item & { readonly id: ServiceId };

const signer = createLinkSigner(createHash("sha256").update("only for tests").digest());
const task = aTask(8, { title: "Write <b>", dueOn: Temporal.PlainDate.from("2026-11-12") });
const milestone = anEvent(9, { milestone: true, when: days("2026-12-01") });

const ana = personId(11);

function linkRig(
  setting: {
    readonly mode?: "apply" | "review";
    readonly private?: "omit" | "busy" | "show";
    readonly item?: Stored;
    readonly readOnly?: boolean;
  } = {},
) {
  const clock = handClock("2026-11-20T12:00:00Z");
  const store = testStore(clock);
  const { directory, mirror, feeds } = store;
  directory.putProjects([aProject(2001, "Website"), aProject(2002, "Trade fair")], true);
  directory.putTodolists(null, [aTodolist(3001), aTodolist(3002, { private: true })], true);
  const feed = feeds.create(projectId(2001), "Website");
  let woken = 0;
  const links = createActionLinks({
    store,
    signer,
    zone,
    clock,
    mode: setting.mode ?? "apply",
    private: setting.private ?? "omit",
    readOnly: new Set(setting.readOnly === true ? [ana] : []),
    onAccepted: () => {
      woken++;
    },
  });
  const put = (item: Stored) => {
    mirror.put(item, "tests");
    const key = mirror.find(item.kind, item.id);
    if (key === null) throw new Error("the mirror has lost the item");
    return key;
  };
  const key = put(setting.item ?? task);
  return {
    clock,
    store,
    links,
    feed,
    key,
    put,
    woken: () => woken,
    link: (action: LinkAction, changes: Partial<LinkClaim> = {}) =>
      signer.sign({
        action,
        item: key,
        feed: feed.id,
        feedVersion: feed.version,
        until: Temporal.PlainDate.from("2027-03-31"),
        ...changes,
      }),
    edits: () => store.journal.list({ limit: 100 }).toReversed(),
    shown: () => store.view.get(key)?.item,
  };
}

describe("look()", () => {
  it("tells title, project, and the day before and after, and changes nothing", () => {
    const { links, link, store, edits } = linkRig();
    const before = store.changes.latest();
    const sight = links.look(link("week"));
    expect(sight).toMatchObject({
      kind: "offer",
      action: "week",
      subject: { title: "Write <b>", kind: "task", project: "Website", completed: false },
    });
    expect(
      sight.kind === "offer" && [sight.subject.day?.toString(), sight.day?.toString()],
    ).toEqual(["2026-11-12", "2026-11-19"]);
    expect(edits()).toEqual([]);
    expect(store.changes.latest()).toBe(before);
  });

  it.each<[string, LinkAction, Stored]>([
    ["done of a completed task", "done", { ...task, completed: true }],
    ["+1 day of a completed task", "day", { ...task, completed: true }],
    ["open again of an open task", "reopen", task],
    ["+1 day of a task without dates", "day", { ...task, dueOn: null }],
    ["done of what is no milestone any more", "done", { ...milestone, milestone: false }],
  ])("look() result for %s: idle", (_what, action, item) => {
    const { links, link, edits } = linkRig({ item });
    expect(links.look(link(action))).toMatchObject({ kind: "idle", action });
    expect(links.follow(link(action), "2026-11-12")).toMatchObject({ kind: "idle" });
    expect(edits()).toEqual([]);
  });

  it.each<[string, string, (rig: ReturnType<typeof linkRig>) => string]>([
    ["was never signed", "unknown", () => "A".repeat(46)],
    ["is nothing", "unknown", () => ""],
    ["names a feed that never was", "revoked", (rig) => rig.link("done", { feed: feedId(99) })],
    [
      "belongs to an earlier address",
      "revoked",
      (rig) => {
        rig.store.feeds.rotate(rig.feed.id);
        return rig.link("done");
      },
    ],
    [
      "belongs to a revoked feed",
      "revoked",
      (rig) => {
        rig.store.feeds.revoke(rig.feed.id);
        return rig.link("done");
      },
    ],
    [
      "is a day too old",
      "expired",
      (rig) => {
        rig.clock.set("2027-03-31T22:00:00Z");
        return rig.link("done");
      },
    ],
    [
      "names a deleted item",
      "gone",
      (rig) => {
        rig.store.mirror.bury(rig.key);
        rig.store.changes.publish(rig.key);
        return rig.link("done");
      },
    ],
    [
      "names an item that went to another project",
      "gone",
      (rig) => {
        rig.put({ ...task, projectId: projectId(2002) });
        rig.store.changes.publish(rig.key);
        return rig.link("done");
      },
    ],
    [
      "names a task of a list that became private",
      "gone",
      (rig) => {
        rig.put({ ...task, listId: listId(3002) });
        rig.store.changes.publish(rig.key);
        return rig.link("done");
      },
    ],
  ])("look() and follow() result when the link %s: void (%s)", (_what, fault, make) => {
    const rig = linkRig();
    const text = make(rig);
    expect(rig.links.look(text)).toEqual({ kind: "void", fault });
    expect(rig.links.follow(text, "2026-11-12")).toEqual({ kind: "void", fault });
    expect(rig.edits()).toEqual([]);
  });

  it("works until midnight of the account's zone on the last day", () => {
    const { links, link, clock } = linkRig();
    clock.set("2027-03-31T21:59:59Z");
    expect(links.look(link("done")).kind).toBe("offer");
  });

  it("tells of private items where feeds show them", () => {
    const { links, link } = linkRig({ private: "show", item: { ...task, listId: listId(3002) } });
    expect(links.look(link("done")).kind).toBe("offer");
  });
});

describe("follow()", () => {
  it("stores one edit with what everybody sees as its base, and wakes the drain", () => {
    const { links, link, edits, shown, woken, key } = linkRig();
    const outcome = links.follow(link("day"), "2026-11-12");
    expect(outcome).toMatchObject({ kind: "stored" });
    expect(edits()).toHaveLength(1);
    expect(edits()[0]).toMatchObject({
      channel: "link",
      actor: null,
      item: key,
      action: "update",
      state: "pending",
      newLabels: [],
    });
    const [edit] = edits();
    expect(edit?.base).toMatchObject({ title: "Write <b>" });
    expect(edit?.patch.dueOn?.toString()).toBe("2026-11-13");
    expect(shown()).toMatchObject({ kind: "task" });
    expect(woken()).toBe(1);
  });

  it.each<[LinkAction, string, Stored]>([
    ["done", "complete", task],
    ["reopen", "reopen", { ...task, completed: true }],
    ["done", "complete", milestone],
    ["week", "update", milestone],
  ])("follow() result of %s: the action is %s", (action, stored, item) => {
    const { links, link, edits } = linkRig({ item });
    const sight = links.look(link(action));
    const day = sight.kind === "offer" ? (sight.subject.day?.toString() ?? "") : "";
    links.follow(link(action), day);
    expect(edits()).toMatchObject([{ action: stored, channel: "link" }]);
  });

  it.each<LinkAction>(["day", "week", "done"])(
    "follow() result when %s is sent twice: the same edit, and one step",
    (action) => {
      const { links, link, edits } = linkRig();
      const first = links.follow(link(action), "2026-11-12");
      expect(links.follow(link(action), "2026-11-12")).toEqual(first);
      expect(edits()).toHaveLength(1);
    },
  );

  it("moves on when the page has shown the new date", () => {
    const { links, link, edits } = linkRig();
    links.follow(link("day"), "2026-11-12");
    links.follow(link("day"), "2026-11-13");
    expect(edits().map(({ patch }) => patch.dueOn?.toString())).toEqual([
      "2026-11-13",
      "2026-11-14",
    ]);
  });

  it.each(["", "2026-11-11", "2026-11-13", "tomorrow"])(
    "follow() result when the page showed %j and not the present day: asks anew, and changes nothing",
    (shown) => {
      const { links, link, edits } = linkRig();
      const outcome = links.follow(link("day"), shown);
      expect(outcome).toMatchObject({ kind: "moved", offer: { action: "day" } });
      expect(outcome.kind === "moved" && outcome.offer.day?.toString()).toBe("2026-11-13");
      expect(edits()).toEqual([]);
    },
  );

  it("asks anew when somebody else has moved the item to the very day that was wished", () => {
    const { links, link, put, edits } = linkRig();
    put({ ...task, dueOn: Temporal.PlainDate.from("2026-11-13") });
    expect(links.follow(link("day"), "2026-11-12")).toMatchObject({ kind: "moved" });
    expect(edits()).toEqual([]);
  });

  it("does it again after the first edit was taken back", () => {
    const { links, link, edits, store } = linkRig();
    const first = links.follow(link("day"), "2026-11-12");
    if (first.kind === "stored") store.journal.discard(first.edit);
    const second = links.follow(link("day"), "2026-11-12");
    expect(second).toMatchObject({ kind: "stored" });
    expect(second).not.toEqual(first);
    expect(edits().map(({ state }) => state)).toEqual(["discarded", "pending"]);
  });

  it("waits once for a person in review mode, and does not wake the drain", () => {
    const { links, link, edits, woken, shown } = linkRig({ mode: "review" });
    const first = links.follow(link("done"), "2026-11-12");
    expect(links.follow(link("done"), "2026-11-12")).toEqual(first);
    expect(edits()).toMatchObject([{ state: "held", action: "complete" }]);
    expect(shown()?.completed).toBe(false);
    expect(woken()).toBe(0);
  });
});

describe("result()", () => {
  it("tells of the edits of links of this item, and of no others", () => {
    const { links, link, store, put } = linkRig();
    const outcome = links.follow(link("day"), "2026-11-12");
    const edit = outcome.kind === "stored" ? outcome.edit : 0;
    expect(links.result(link("done"), edit)).toMatchObject({ id: edit, channel: "link" });
    expect(links.result(link("done"), edit + 1)).toBeNull();
    expect(links.result(link("done"), Number.NaN)).toBeNull();
    expect(links.result("A".repeat(46), edit)).toBeNull();
    const other = put(aTask(10));
    expect(links.result(link("done", { item: other }), edit)).toBeNull();
    const uploaded = store.journal.append({
      channel: "upload",
      actor: null,
      item: other,
      action: "complete",
      base: aTask(10),
      patch: { completed: true },
      newLabels: [],
      state: "pending",
    });
    expect(links.result(link("done", { item: other }), uploaded)).toBeNull();
  });
});

describe("links of mails", () => {
  const address = "https://dates.example";
  function mailed(setting: Parameters<typeof linkRig>[0] = {}) {
    const rig = linkRig(setting);
    const people = (suspended: boolean) =>
      rig.store.directory.putPeople([{ ...aPerson(11, "Ana"), suspended }], true);
    people(false);
    const shown = rig.store.view.get(rig.key);
    if (!shown) throw new Error("the item is shown");
    const made = rig.links.ofMail(shown, { person: ana, address });
    const textOf = (label: string) =>
      made.find((link) => link.label === label)?.url.replace(`${address}/act/`, "") ?? "";
    return { ...rig, made, textOf, people };
  }

  it("ofMail() result: what can be done with the item, in the reader's name", () => {
    const { made, textOf, links, edits } = mailed();
    expect(made.map(({ label }) => label)).toEqual(["Done", "+1 day", "+1 week"]);
    expect(links.look(textOf("+1 day"))).toMatchObject({ kind: "offer", action: "day" });
    const outcome = links.follow(textOf("+1 day"), "2026-11-12");
    expect(outcome.kind).toBe("stored");
    expect(edits()).toMatchObject([{ channel: "link", actor: 11, action: "update" }]);
    const [edit] = edits();
    expect(edit && links.result(textOf("Done"), edit.id)?.id).toBe(edit?.id);
  });

  it("ofMail() result for who may change nothing: no links, and earlier ones are void", () => {
    const { made, links, store, key } = mailed({ readOnly: true });
    expect(made).toEqual([]);
    const text = signer.sign({
      action: "done",
      item: key,
      person: ana,
      until: Temporal.PlainDate.from("2026-12-20"),
    });
    expect(links.look(text)).toEqual({ kind: "void", fault: "revoked" });
    expect(links.follow(text, "2026-11-12").kind).toBe("void");
    expect(store.journal.list({ limit: 10 })).toEqual([]);
  });

  it("look() result when the reader is suspended, cannot see the item, or it is a month later", () => {
    const { links, textOf, people, store, clock, put } = mailed();
    people(true);
    expect(links.look(textOf("Done"))).toEqual({ kind: "void", fault: "revoked" });
    people(false);
    store.directory.putTodolists(null, [aTodolist(3001, { private: true })], true);
    expect(links.look(textOf("Done"))).toEqual({ kind: "void", fault: "gone" });
    put({ ...task, assigned: [ana] });
    expect(links.look(textOf("Done")).kind).toBe("offer");
    clock.set("2026-12-20T22:59:59Z");
    expect(links.look(textOf("Done")).kind).toBe("offer");
    clock.set("2026-12-20T23:00:00Z");
    expect(links.look(textOf("Done"))).toEqual({ kind: "void", fault: "expired" });
  });
});
