import { expect, it } from "vitest";
import { World } from "../../simulator/world.ts";
import { projectId } from "../../src/domain/ids.ts";

// What takes minutes, or depends on durations, in virtual time.

/** A world whose daemon has read everything, with one event of the first project. */
async function inWorld(
  act: (scene: {
    readonly world: World;
    readonly wait: (ms: number) => Promise<void>;
    readonly by: { readonly by: number; readonly project: number };
    readonly event: { readonly id: number };
  }) => Promise<void>,
): Promise<void> {
  const world = new World(1);
  await world.within(async () => {
    await world.open();
    const [place] = world.sandbox.workspace.places();
    const owner = world.sandbox.keys[0]?.personId;
    if (!place || owner === undefined) throw new Error("the sandbox is empty");
    const by = { by: owner, project: place.project };
    const event = world.sandbox.workspace.events.create(by, dayEvent("First"));
    await world.run(() => world.life.modules.sync.ready);
    const wait = (ms: number) => {
      const end = world.time.monotonic() + ms;
      return world.run(() => world.time.monotonic() >= end);
    };
    await act({ world, wait, by, event });
    await world.until(world.close());
  });
}

const dayEvent = (title: string) => ({ title, start: "2027-03-05", all_day: true });

it("reads the service again as soon as its disk is writable", () =>
  inWorld(async ({ world, wait, by }) => {
    const { disk, sandbox } = world;
    const { mirror } = world.life.modules.store;
    const titles = () => mirror.ofSource(`events:${by.project}`).map(({ item }) => item.title);
    disk.trouble = "full";
    sandbox.workspace.events.create(by, dayEvent("Came meanwhile"));
    // By now each list has failed so often that it rests for minutes.
    await wait(600_000);
    expect(titles()).not.toContain("Came meanwhile");
    disk.clear();
    await wait(20_000);
    expect(titles()).toContain("Came meanwhile");
  }));

it("reads an item again before changing it when its answer took seconds", () =>
  inWorld(async ({ world, wait, by, event }) => {
    const { store, acceptFile } = world.life.modules;
    const [uid = ""] = mirrored(world, by.project);
    world.sandbox.faults.add({
      kind: "delay",
      ms: 8000,
      method: "GET",
      path: new RegExp(`/events/${event.id}$`),
    });
    const lines = ["BEGIN:VEVENT", `UID:${uid}`, "SUMMARY:Mine", "END:VEVENT"];
    await world.until(
      acceptFile({
        bytes: Buffer.from(`BEGIN:VCALENDAR\r\n${lines.join("\r\n")}\r\nEND:VCALENDAR\r\n`),
        ...{ channel: "upload", actor: null, projectId: projectId(by.project), listId: null },
        dryRun: false,
      }),
    );
    await wait(4000);
    world.sandbox.workspace.events.update({ ...by, event: event.id }, { title: "Theirs" });
    await wait(60_000);
    const [edit] = store.journal.list({ limit: 1 });
    expect(edit?.conflicts).toMatchObject([{ field: "title", ours: "Theirs", theirs: "Mine" }]);
  }));

const mirrored = (world: World, project: number): readonly string[] => {
  const { mirror } = world.life.modules.store;
  return mirror.ofSource(`events:${project}`).map(({ key }) => mirror.identity(key).uid);
};
