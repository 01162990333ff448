import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EventHookConfig } from "../../src/config/config.ts";
import { hookEvents } from "../../src/domain/hook-event.ts";
import { listId, projectId } from "../../src/domain/ids.ts";
import { createSeal } from "../../src/domain/sealed-text.ts";
import { hookWords } from "../../src/edits/actions/describe.ts";
import { createEventWebhooks } from "../../src/people/event-webhooks.ts";
import { createEventHooks, type HookMessageEvent } from "../../src/reminders/event-hooks.ts";
import { aProject, aTodolist, days } from "../support/items.ts";
import { aReceiver } from "../support/receiver.ts";
import { handClock, testStore } from "../support/test-store.ts";
import { ana, anEvent, aTask, ben, people, putEvent } from "./rig.ts";

async function hookRig(hook: Partial<EventHookConfig> = {}) {
  const receiver = await aReceiver();
  const clock = handClock("2026-11-20T08:00:00Z");
  const store = testStore(clock);
  store.directory.putPeople(people, true);
  store.directory.putProjects([aProject(2001, "Website"), aProject(2002, "Fair")], true);
  store.directory.putTodolists(null, [aTodolist(3001), aTodolist(3002, { private: true })], true);
  const events: HookMessageEvent[] = [];
  const signal = new AbortController().signal;
  const configured: EventHookConfig[] = [
    {
      ...{ name: "home", url: receiver.url, format: "json", token: null, secret: "whsec_c2VjcmV0" },
      ...{ events: hookEvents, project: null, person: null },
      ...hook,
    },
  ];
  const seal = createSeal(Buffer.alloc(32, 7), "webhooks for events");
  const webhooks = createEventWebhooks({
    ...{ store, clock, randomBytes, listed: () => configured },
    seal: () => seal,
  });
  const skipped: string[] = [];
  const hooks = createEventHooks({
    ...{ store, clock, publicUrl: "https://calendars.example.com", random: () => 0 },
    words: hookWords(store),
    hooks: webhooks.hooks,
    post: ({ key }, message) => webhooks.post(key, message, signal),
    onEvent: (event) => events.push(event),
    onSkipped: ({ key }) => skipped.push(key),
  });
  const step = () => hooks.step(signal);
  const put = (fields: Parameters<typeof anEvent>[0] = {}) => putEvent(store, fields);
  await step();
  const told = () => receiver.received.map(({ data }) => data);
  return { receiver, clock, store, events, skipped, webhooks, configured, step, put, told };
}

describe("webhooks that are created", () => {
  const wish = { name: "", events: hookEvents, project: null, person: null, secret: null };
  const put = (rig: Awaited<ReturnType<typeof hookRig>>) => {
    rig.put({ title: "Open" });
    rig.put({ id: 503 as never, title: "Theirs", assigned: [ben] });
    rig.put({ id: 502 as never, title: "Hidden", private: true });
  };
  const titles = (rig: Awaited<ReturnType<typeof hookRig>>) =>
    rig.told().map(({ item }) => String(Object(item).title));

  it("receive what happens from their creation on, signed with their secret, until they are deleted", async () => {
    const rig = await hookRig();
    rig.configured.length = 0;
    rig.put({ title: "Earlier" });
    const made = rig.webhooks.create({ ...wish, url: rig.receiver.url, secret: "s3cret" }, null);
    if (!made.ok) throw new Error(made.failure);
    put(rig);
    await rig.step();
    expect(titles(rig).toSorted()).toEqual(["Open", "Theirs"]);
    const [first] = rig.receiver.received;
    const [, t = "", v1] =
      /^t=(\d+),v1=(.+)$/.exec(String(first?.headers["dayferry-signature"])) ?? [];
    const expected = createHmac("sha256", "s3cret").update(`${t}.${first?.body}`).digest("hex");
    expect(v1).toBe(expected);
    const id = String(made.value.hook.id);
    const about = { owner: null, limit: 10 };
    expect(rig.webhooks.deliveries(id, about)).toMatchObject([
      { state: "sent" },
      { state: "sent" },
    ]);
    expect(JSON.stringify(rig.webhooks.list(null))).not.toContain("s3cret");
    expect(rig.webhooks.remove(id, null)).toBe("removed");
    rig.put({ title: "Later" });
    await rig.step();
    expect(rig.receiver.received).toHaveLength(2);
    expect(rig.webhooks.deliveries(id, about)).toBeNull();
  });

  it("are a person's own: only public addresses, what concerns the person, and nobody else's to see", async () => {
    const rig = await hookRig();
    rig.configured.length = 0;
    const local = rig.webhooks.create({ ...wish, url: rig.receiver.url }, ana);
    expect(local).toMatchObject({ ok: false, failure: expect.stringContaining("private network") });
    const made = rig.webhooks.create(
      { ...wish, url: "https://hooks.example.com/a", person: ben },
      ana,
    );
    if (!made.ok) throw new Error(made.failure);
    const { hook } = made.value;
    expect(hook).toMatchObject({ owner: ana, person: ana, host: "hooks.example.com" });
    const id = String(hook.id);
    expect(rig.webhooks.list(ben)).toEqual([]);
    expect(rig.webhooks.remove(id, ben)).toBe("unknown");
    expect(rig.webhooks.deliveries(id, { owner: ben, limit: 1 })).toBeNull();
    expect(rig.webhooks.hooks()).toMatchObject([{ person: ana }]);
  });

  it("are in no backup or database as plain text", async () => {
    const rig = await hookRig();
    rig.webhooks.create(
      { ...wish, url: "https://hooks.example.com/s3cret-path", secret: "k3y" },
      null,
    );
    const [row] = rig.store.eventHooks.list();
    expect(`${row?.address} ${row?.secret}`).not.toMatch(/s3cret-path|k3y/);
  });
});

describe("webhooks for events", () => {
  it("note that changes were skipped which are no longer recorded", async () => {
    const rig = await hookRig();
    rig.receiver.status = 503;
    rig.put();
    await rig.step();
    rig.clock.set("2027-06-01T08:00:00Z");
    rig.put({ title: "No longer recorded" });
    for (const _ of rig.store.pastEdits.prune(rig.clock().add({ seconds: 1 })));
    await rig.step();
    expect(rig.skipped).toEqual(["home"]);
    expect(rig.webhooks.list(null)).toMatchObject([{ skippedAt: rig.clock() }]);
    rig.receiver.status = 200;
    rig.put({ title: "After that" });
    await rig.step();
    expect(rig.told().at(-1)).toMatchObject({ item: { title: "After that" } });
  });

  it("have every member that the automations in docs/home-assistant.md use", async () => {
    const rig = await hookRig();
    rig.put({ milestone: true, reminder: null, when: days("2026-12-01") });
    await rig.step();
    rig.put({ milestone: true, reminder: null, when: days("2026-12-08") });
    await rig.step();
    const slipped = rig.told().at(-1);
    const text = readFileSync(join(import.meta.dirname, "../../docs/home-assistant.md"), "utf8");
    const used = [...text.matchAll(/trigger\.json\.([\w.[\]]+)/g)].map(([, path = ""]) => path);
    expect(used.length).toBeGreaterThan(5);
    for (const path of used) {
      const value = path
        .split(/[.[\]]+/)
        .filter((name) => name !== "")
        .reduce<unknown>((at, name) => Object(at)[name], slipped);
      expect([path, typeof value]).toEqual([path, "string"]);
    }
  });

  it("report, signed, what was created, changed and deleted since they were set up", async () => {
    const rig = await hookRig();
    const key = rig.put();
    expect(await rig.step()).toBe("worked");
    rig.put({ title: "Design talk" });
    await rig.step();
    rig.store.mirror.bury(key);
    await rig.step();
    expect(await rig.step()).toBe("idle");
    const uid = rig.store.mirror.identity(key).uid;
    const item = { uid, kind: "event", project: { id: 2001, title: "Website" } };
    const url = `https://calendars.example.com/calendar/items/${key}`;
    expect(rig.told()).toMatchObject([
      { type: "item.changed", change: "created", item: { ...item, url, title: "Design review" } },
      {
        change: "changed",
        item: { title: "Design talk" },
        changes: [{ name: "Title", from: "Design review", to: "Design talk" }],
      },
      { change: "deleted", item: { uid } },
    ]);
    const [first] = rig.receiver.received;
    expect(first?.headers["webhook-id"]).toBe(first?.data["id"]);
    expect(first?.headers["webhook-signature"]).toMatch(/^v1,/);
    expect(new Set(rig.told().map(({ id }) => id)).size).toBe(3);
  });

  it("report that a milestone slipped, and that an earlier one changed", async () => {
    const rig = await hookRig();
    const milestone = { milestone: true, reminder: null } as const;
    rig.put({ ...milestone, when: days("2026-12-01") });
    await rig.step();
    rig.put({ ...milestone, when: days("2026-12-08") });
    await rig.step();
    rig.put({ ...milestone, when: days("2026-12-02") });
    await rig.step();
    expect(rig.told().map(({ type }) => type)).toEqual([
      "item.changed",
      "milestone.slipped",
      "item.changed",
    ]);
  });

  it("report a parked edit once per parking, and a conflict as such", async () => {
    const rig = await hookRig();
    const key = rig.put();
    await rig.step();
    const { journal } = rig.store;
    const park = (reason: "conflict" | "refused") => {
      const claimed = journal.claimNext();
      if (!claimed) throw new Error("nothing to send");
      const before = anEvent({ title: "Theirs" });
      const clash = reason === "conflict" ? { clash: { before, conflicts: [] } } : {};
      journal.settle(claimed, { kind: "park", reason, problem: "no", ...clash });
    };
    const wish = { channel: "caldav", actor: ana, item: key, action: "update" } as const;
    const id = journal.append({
      ...{ ...wish, base: anEvent(), patch: { title: "Mine" }, newLabels: [], state: "pending" },
    });
    park("refused");
    await rig.step();
    await rig.step();
    journal.resume(id);
    rig.clock.set("2026-11-20T08:05:00Z");
    park("conflict");
    await rig.step();
    const edits = rig.told().filter(({ type }) => String(type).startsWith("edit."));
    expect(edits).toMatchObject([
      { type: "edit.parked", edit: { id, reason: "refused" } },
      { type: "edit.conflict", edit: { id, url: `https://calendars.example.com/edits/${id}` } },
    ]);
  });

  it("repeat what was not received, merged with later changes, and lose nothing", async () => {
    const rig = await hookRig();
    rig.receiver.status = 503;
    rig.put();
    await rig.step();
    rig.put({ title: "Second" });
    rig.put({ id: 502 as never, title: "Other" });
    await rig.step();
    rig.receiver.status = 200;
    rig.clock.set("2026-11-20T09:30:00Z");
    while ((await rig.step()) === "worked");
    const received = rig.told().slice(1);
    const titles = received.map(({ item }) => String(Object(item).title));
    expect(new Set(titles)).toEqual(new Set(["Second", "Other"]));
    expect(await rig.step()).toBe("idle");
  });

  it.each<[string, Partial<EventHookConfig>, readonly string[]]>([
    ["everything public", {}, ["Open", "Theirs"]],
    ["one project", { project: projectId(2002) }, []],
    ["what is assigned to a person, also in private", { person: ana }, ["Hidden", "Open"]],
    ["chosen events only", { events: ["edit.parked"] }, []],
  ])("report %s", async (_what, hook, titles) => {
    const rig = await hookRig(hook);
    rig.put({ title: "Open" });
    rig.put({ id: 502 as never, title: "Hidden", private: true });
    rig.put({ id: 503 as never, title: "Theirs", assigned: [ben] });
    const secret = aTask({ title: "In a private list", listId: listId(3002), assigned: [ben] });
    rig.store.mirror.put(secret, "tasks:3002");
    await rig.step();
    expect(
      rig
        .told()
        .map(({ item }) => String(Object(item).title))
        .toSorted(),
    ).toEqual(titles);
  });
});
