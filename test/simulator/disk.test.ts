import { expect, it } from "vitest";
import { World } from "../../simulator/world.ts";

it("reads the service again as soon as its disk can be written", async () => {
  const world = new World(1);
  await world.within(async () => {
    await world.open();
    const { time, sandbox, disk } = world;
    const [place] = sandbox.workspace.places();
    const by = sandbox.keys[0]?.personId;
    if (!place || by === undefined) throw new Error("the sandbox is empty");
    const { mirror } = world.life.rooms.store;
    const list = `events:${place.project}`;
    const titles = () => mirror.ofSource(list).map(({ item }) => item.title);
    const wait = (ms: number) => {
      const end = time.monotonic() + ms;
      return world.run(() => time.monotonic() >= end);
    };
    await world.run(() => world.life.rooms.sync.ready);
    disk.trouble = "full";
    const event = { title: "Came meanwhile", start: "2027-03-05", all_day: true };
    sandbox.workspace.events.create({ by, project: place.project }, event);
    // By now each list has failed so often that it rests for minutes.
    await wait(600_000);
    expect(titles()).not.toContain(event.title);
    disk.clear();
    await wait(20_000);
    expect(titles()).toContain(event.title);
    await world.until(world.close());
  });
});
