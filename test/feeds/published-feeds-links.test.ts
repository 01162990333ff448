import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import { isSealed } from "../../src/domain/sealed-text.ts";
import { createLinkSigner } from "../../src/domain/signed-links.ts";
import { createAccept } from "../../src/edits/intake/accept.ts";
import { readFeedWish } from "../../src/feeds/feed-request.ts";
import { anEvent, aTask, days, zone } from "../support/items.ts";
import { readBack } from "../support/read-back.ts";
import { feedRig, secretIn } from "./rig.ts";

const signer = createLinkSigner(createHash("sha256").update("only for tests").digest());
const address = "https://calendar.example.com";

function linkedRig() {
  const rig = feedRig({ links: { signer, address } });
  rig.put(aTask(1, { title: "Open task", description: "Bring chairs" }));
  rig.put(aTask(2, { completed: true, completedAt: rig.clock() }));
  rig.put(anEvent(3, { milestone: true, when: days("2026-12-01") }));
  rig.put(anEvent(4));
  const accept = createAccept({
    store: rig.store,
    zone,
    policy: { labels: "known", mode: "apply" },
    clock: rig.clock,
    feeds: {
      assignees: true,
      tasks: "due",
      webUrl: "https://work.example.com/#/{project}/{kind}/{id}",
    },
    onAccepted() {},
  });
  return {
    ...rig,
    /** The feed's text of the item with this id. */
    said: (kind: string, id: number) => {
      const found = [...readBack(rig.text()).values()].find(({ uid }) =>
        uid.startsWith(`${kind}-${id}@`),
      );
      if (!found) throw new Error(`the feed has no ${kind} ${id}`);
      return found;
    },
    plan: (text: string) => {
      const project = rig.feeds.list()[0]?.projectId ?? null;
      if (project === null) throw new Error("there is no feed");
      const plan = accept({
        bytes: Buffer.from(text),
        channel: "upload",
        actor: null,
        projectId: project,
        listId: null,
        dryRun: true,
      });
      if (plan.kind === "refused") throw new Error(JSON.stringify(plan.errors));
      return plan;
    },
  };
}

const labelsIn = (description: string): readonly string[] =>
  [...description.matchAll(/^— ([^:]+): https:\/\/calendar\.example\.com\/act\/\S+$/gm)].map(
    ([, label]) => label ?? "",
  );

describe("action links of a feed", () => {
  it("appear for what can be done now, and nowhere else", () => {
    const { said } = linkedRig();
    expect(labelsIn(said("task", 1).description)).toEqual(["Done", "+1 day", "+1 week"]);
    expect(labelsIn(said("task", 2).description)).toEqual(["Open again"]);
    expect(labelsIn(said("event", 3).description)).toEqual(["Done", "+1 day", "+1 week"]);
    expect(labelsIn(said("event", 4).description)).toEqual([]);
  });

  it("are in the language of the feed's person, even after a change", () => {
    const { feeds, store } = linkedRig();
    const ana = personId(11);
    const about = { kind: "person", personId: ana, filter: { assigned: "anyone" } };
    const wish = readFeedWish(about, {
      directory: store.directory,
      viewer: { kind: "admin", zone },
    });
    if (!wish.ok) throw new Error(JSON.stringify(wish.failure));
    const { path } = feeds.create(wish.value);
    const read = () => {
      const feed = feeds.open(secretIn(path));
      const text = feed?.body().toString() ?? "";
      const of = [...readBack(text).values()].find(({ uid }) => uid.startsWith("task-1@"));
      return { etag: feed?.head().etag, labels: labelsIn(of?.description ?? "") };
    };
    const before = read();
    expect(before.labels).toEqual(["Done", "+1 day", "+1 week"]);
    store.personLanguages.choose(ana, "de");
    const after = read();
    expect(after.labels).toEqual(["Erledigt", "+1 Tag", "+1 Woche"]);
    expect(after.etag).not.toBe(before.etag);
  });

  it("are signed for this item, this feed and its present address", () => {
    const { said, feeds, store } = linkedRig();
    const [, text = ""] = /Done: \S+\/act\/(\S+)/.exec(said("task", 1).description) ?? [];
    const claim = signer.read(text);
    expect(claim).toMatchObject({ action: "done", feed: feeds.list()[0]?.id, feedVersion: 1 });
    expect(claim?.until.toString()).toBe("2027-03-31");
    expect(claim && store.view.get(claim.item)?.item.title).toBe("Open task");
  });

  it("are encrypted in the database, and unchanged after a restart", () => {
    const rig = linkedRig();
    const { store, text, feeds } = rig;
    const said = text();
    const [feed] = feeds.list();
    const kept = () => (feed ? store.feeds.fragments(feed.id) : []).map(({ body }) => body);
    expect(kept()).toHaveLength(4);
    for (const body of kept()) expect(body.replaceAll("\r\n ", "")).not.toContain("/act/");
    expect(kept().filter(isSealed)).toHaveLength(3);
    expect(rig.fromScratch()).toBe(said);

    // A link that an earlier version kept open is closed at the next start.
    const [, open = ""] = /(BEGIN:VEVENT\r\nUID:task-1@[\s\S]*?END:VEVENT\r\n)/.exec(said) ?? [];
    const first = feed && store.feeds.fragments(feed.id).find(({ body }) => isSealed(body));
    if (!feed || !first) throw new Error("nothing is closed");
    expect(open.replaceAll("\r\n ", "")).toContain("/act/");
    store.feeds.putFragment(feed.id, { ...first, body: open });
    rig.fromScratch();
    for (const body of kept()) expect(body.replaceAll("\r\n ", "")).not.toContain("/act/");
  });

  it("are absent if the server has no public address", () => {
    const rig = feedRig();
    rig.put(aTask(1));
    expect(rig.text()).not.toContain("/act/");
  });

  it("are absent from private items shown as Busy", () => {
    const rig = feedRig({ links: { signer, address }, options: { private: "busy" } });
    rig.put(anEvent(5, { milestone: true, private: true, when: days("2026-12-01") }));
    expect(rig.text()).toContain("SUMMARY:Busy");
    expect(rig.text()).not.toContain("/act/");
  });

  it("are clickable in HTML, and not part of its text", () => {
    const { put, text } = linkedRig();
    put(aTask(1, { description: "<p>Bring <b>chairs</b></p>" }));
    const unfolded = text().replaceAll("\r\n ", "");
    expect(unfolded).toMatch(/— <a href="https:\/\/calendar\.example\.com\/act\/[\w-]+">Done<\/a>/);
  });

  it("keep ETag, SEQUENCE and every octet from day to day, and change once a quarter", () => {
    const { head, text, clock, said } = linkedRig();
    const [before, body] = [head(), text()];
    for (let count = 0; count < 41; count++) {
      clock.advance({ hours: 24 });
      // The completed task leaves the feed after two weeks, which another test checks.
      if (count < 13) expect(head()).toEqual(before);
    }
    const quarterEnd = head();
    const sequence = said("task", 1).sequence;
    expect(labelsIn(said("task", 1).description)).toHaveLength(3);
    expect(body).toContain(`SEQUENCE:${sequence}\r\n`);
    clock.set("2027-01-01T00:00:00Z");
    expect(head().etag).not.toBe(quarterEnd.etag);
    expect(said("task", 1).sequence).toBe(sequence + 1);
    expect(said("event", 4).sequence).toBe(0);
    const renewed = head();
    clock.set("2027-01-02T12:00:00Z");
    expect(head()).toEqual(renewed);
  });

  it("change with the address, and SEQUENCE rises", () => {
    const { feeds, said } = linkedRig();
    const before = said("task", 1);
    const [feed] = feeds.list();
    if (feed) feeds.rotate(feed.id);
    const after = said("task", 1);
    expect(after.description).not.toBe(before.description);
    expect(after.sequence).toBe(before.sequence + 1);
    const [, text = ""] = /Done: \S+\/act\/(\S+)/.exec(after.description) ?? [];
    expect(signer.read(text)).toMatchObject({ feedVersion: 2 });
    expect(said("event", 4).sequence).toBe(0);
  });

  it("are the same without cached components", () => {
    const rig = linkedRig();
    const body = rig.text();
    expect(rig.fromScratch()).toBe(body);
    expect(rig.text()).toBe(body);
  });
});

describe("a downloaded feed with action links", () => {
  it("contains no edit", () => {
    const { plan, text } = linkedRig();
    for (const item of plan(text()).items) {
      expect(item).toMatchObject({ action: "unchanged", changes: [], problems: [] });
    }
  });

  // How programs and people change the text: cut, quoted, wrapped in markup, with text below, between and above.
  it.each<[string, (description: string) => string, string | null]>([
    ["the links are deleted", (text) => text.split("\n\n— Dayferry —")[0] ?? "", null],
    ["one link is deleted", (text) => text.replace(/\n— \+1 day.*/, ""), null],
    ["a link is another", (text) => text.replaceAll("/act/", "/act/evil"), null],
    ["addresses are written twice", (text) => text.replace(/(https:\S+)/g, "$1 <$1>"), null],
    ["labels are all that is left", (text) => text.replace(/: https:\S+/g, ""), null],
    ["blank lines stand between them", (text) => text.replaceAll("\n", "\n\n"), null],
    ["the block stands twice", (text) => `${text}\n\n${text.slice(text.indexOf("— D"))}`, null],
    ["a line is written below", (text) => `${text}\nand tables`, "Bring chairs\n\nand tables"],
    ["a line is written above", (text) => `Now!\n${text}`, "Now!\nBring chairs"],
    ["all is deleted", () => "", ""],
  ])("contains what a person wrote, and never a link, if %s", (_what, change, expected) => {
    const { said, plan } = linkedRig();
    const { uid, sequence, description } = said("task", 1);
    const written = change(description)
      .replace(/[\\;,]/g, "\\$&")
      .replaceAll("\n", "\\n");
    const [item] = plan(
      [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Tests//EN",
        "BEGIN:VEVENT",
        `UID:${uid}`,
        `SEQUENCE:${sequence}`,
        `DESCRIPTION:${written}`,
        "END:VEVENT",
        "END:VCALENDAR",
        "",
      ].join("\r\n"),
    ).items;
    if (expected === null) expect(item).toMatchObject({ action: "unchanged", changes: [] });
    else {
      const to = expected === "" ? null : expected;
      expect(item?.changes).toEqual([{ field: "description", from: "Bring chairs", to }]);
    }
  });
});
