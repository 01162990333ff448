import { describe, expect, it } from "vitest";
import { revision } from "../../../src/domain/ids.ts";
import { drainRig, withEvent } from "../delivery/drain-rig.ts";
import { calendar, vevent } from "../rig.ts";
import { withClash } from "./clash-rig.ts";

type Rig = Pick<Awaited<ReturnType<typeof drainRig>>, "editActions">;

const told = ({ editActions }: Rig, id = 1, zone?: string): readonly string[] =>
  editActions.show(id, zone)?.story.map(({ what }) => what) ?? [];

describe("the history of an edit", () => {
  it("lists each step: accepted, shown, read, merged, sent, confirmed and fetched", async () => {
    const { rig, uid } = await withClash("event");
    rig.wish(uid, { title: "Mine" });
    await rig.there(uid, { description: "Theirs" });
    await rig.drained();
    const feed = rig.store.feeds.ensure(rig.project, "Website");
    if (!feed) return expect.fail("the project has no feed");
    const visit = { program: "Google", agent: "Google-Calendar-Importer", visits: 1, gaps: [] };
    const holds = { etag: "x", revision: revision(9), modifiedAt: rig.clock() };
    const fetch = { ...visit, ...holds, firstAt: rig.clock(), lastAt: rig.clock() };
    rig.store.feedFetches.put(feed.id, [fetch], 10);
    expect(told(rig)).toEqual([
      expect.stringMatching(/^Accepted from .* by Thunderbird, and stored$/),
      "Read from the workspace",
      "Sent, merged with someone else's changes: Description",
      expect.stringMatching(/^Confirmed by the service in 0\.1 s$/),
      "Shown in feeds and calendars",
      "Fetched by Google with the feed Website",
    ]);
  });

  it("counts retries, and says that a lost creation was found", async () => {
    const rig = await drainRig();
    rig.sandbox.faults.add({ method: "POST", kind: "drop-after" });
    rig.send(calendar(vevent("new@example.com", "SUMMARY:Launch", "DTSTART:20261201T090000Z")));
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    const steps = rig.editActions.show(1)?.story ?? [];
    expect(steps.map(({ what }) => what)).toContainEqual(
      expect.stringMatching(
        /^Found in the workspace, confirmed .*: an earlier request had been carried out$/,
      ),
    );
    expect(steps.filter(({ times }) => times > 1).length).toBeGreaterThan(0);
    expect(rig.workspaceEvents()).toHaveLength(1);
  });

  it("says that the item was moved, and shows problems along the way", async () => {
    const { rig, uid } = await withClash("task");
    rig.wish(uid, { title: "Mine" });
    await rig.there(uid, { place: { projectId: rig.otherProject, listId: rig.farList } });
    await rig.drained();
    expect(told(rig)).toEqual(
      expect.arrayContaining([
        "Not found in its list; searching every list",
        "Found in the list it was moved to",
      ]),
    );
  });
});

describe("decisions in the history", () => {
  const curl = { channel: "upload", actor: null, program: "curl/8.14.1" } as const;

  it("name an approval, a discard and an undo, and by which way they came", async () => {
    const { rig, uid } = await withEvent(drainRig({ mode: "review" }));
    const page = { channel: "dashboard", actor: rig.owner } as const;
    const who = `Person ${rig.owner}`;
    rig.send(calendar(vevent(uid, "SUMMARY:One")));
    expect(told(rig).at(-1)).toBe(
      "Waiting for approval: until then it is visible only to its editor and not in the workspace",
    );
    rig.editActions.approve(1, page);
    expect(told(rig)).toContain("Waited for approval");
    await rig.drainAll();
    expect(told(rig)).toContain(`${who} approved it, on the page`);
    rig.editActions.undo(1, { channel: "cli", actor: null });
    expect(told(rig)).toContain("The admin requested an undo, by the command line: edit 2");
    rig.editActions.discard(2, { channel: "link", actor: null });
    expect(told(rig, 2)).toContain("Someone with a link discarded it, by a link");
  });

  it("name a retry and a resolved conflict", async () => {
    const { rig, uid } = await withClash("event");
    rig.wish(uid, { title: "Mine" });
    await rig.there(uid, { title: "Theirs" });
    await rig.drained();
    const version = rig.editActions.show(1)?.conflictVersion ?? null;
    expect(rig.editActions.retry(1, version, curl).kind).toBe("done");
    expect(told(rig)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Decided by the admin, by curl: Title becomes Mine/),
        "The admin requested a retry, by curl",
      ]),
    );
  });
});

it("leaves overwriting someone else's change to the admin in review mode", async () => {
  const { rig, id, uid } = await withEvent(drainRig({ mode: "review" }));
  rig.send(calendar(vevent(uid, "SUMMARY:Mine")));
  rig.editActions.approve(1);
  rig.sandbox.workspace.events.update({ ...rig.by, event: id }, { title: "Theirs" });
  await rig.drainAll();
  const version = rig.editActions.show(1)?.choice?.version ?? null;
  const decision = { version, picks: { keep: "mine", fields: {} }, dryRun: false } as const;
  const byPerson = rig.editActions.resolve(1, {
    ...decision,
    by: { channel: "dashboard", actor: rig.owner },
  });
  expect(byPerson).toMatchObject({ kind: "refused", reason: expect.stringContaining("admin") });
  expect(
    rig.editActions.resolve(1, { ...decision, by: { channel: "dashboard", actor: null } }).kind,
  ).toBe("done");
});
