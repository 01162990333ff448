import { describe, expect, it } from "vitest";
import { insist } from "../../../src/sandbox/outcome.ts";
import { calendar, vevent } from "../rig.ts";
import { drainRig } from "./drain-rig.ts";

type Rig = Awaited<ReturnType<typeof drainRig>>;

async function rename(rig: Rig, uid: string, titles: readonly string[]) {
  for (const title of titles) {
    rig.send(calendar(vevent(uid, `SUMMARY:${title}`)));
    await rig.drainAll();
    rig.clock.advance({ minutes: 1 });
  }
}

const stubborn = (rig: Rig) =>
  rig.sandbox.faults.add({
    kind: "transform",
    method: "PUT",
    times: 100,
    transform: (json) => Object.assign(json instanceof Object ? json : {}, { title: "Rewritten" }),
  });

const frozenOf = (rig: Rig) => rig.store.pastEdits.frozen().map(({ id }) => Number(id));

describe("step() of an item that will not settle", () => {
  it("freezes after five writes that came back otherwise, and says so", async () => {
    const rig = await drainRig();
    const { uid } = await rig.event();
    stubborn(rig);
    for (const title of ["a", "b", "c", "d", "e", "f"]) {
      rig.send(calendar(vevent(uid, `SUMMARY:${title}`)), { actor: null });
      // The workspace has what the service claims, as after a sweep.
      await rig.step();
      insist(
        rig.sandbox.workspace.events.update(
          { ...rig.by, event: rig.edit().answer?.id ?? 0 },
          { title: "Rewritten" },
        ),
      );
    }
    expect(rig.states()).toEqual([...Array<string>(5).fill("confirmed"), "parked: failed"]);
    expect(rig.edit(6).problem).toMatch(/^frozen: 5 writes/);
    expect(rig.events.at(-1)).toMatchObject({ kind: "frozen", edit: 6 });
    expect(frozenOf(rig)).toEqual([6]);
    expect(rig.requests("PUT")).toHaveLength(5);
  });

  it("stays frozen until a person retries, then counts anew", async () => {
    const rig = await drainRig();
    const { uid } = await rig.event();
    await rename(rig, uid, ["A", "B", "A", "B", "A", "B"]);
    expect(rig.states().at(-1)).toBe("parked: failed");
    rig.clock.advance({ hours: 2 });
    await rename(rig, uid, ["Other"]);
    expect(rig.states().at(-1)).toBe("parked: failed");
    expect(rig.edit(7).problem).toContain("edit 6");
    expect(rig.desk.retry(6)).toMatchObject({ kind: "done" });
    await rig.drainAll();
    expect(rig.edit(6).state).toBe("confirmed");
    rig.desk.retry(7);
    await rig.drainAll();
    expect(frozenOf(rig)).toEqual([]);
    await rename(rig, uid, ["A", "B", "A"]);
    expect(rig.states().slice(-3)).toEqual(["confirmed", "confirmed", "confirmed"]);
  });

  it("leaves people alone who edit an item many different ways", async () => {
    const rig = await drainRig();
    const { uid } = await rig.event();
    await rename(rig, uid, ["1", "2", "3", "4", "5", "6", "7"]);
    expect(new Set(rig.states())).toEqual(new Set(["confirmed"]));
  });

  it("forgets after an hour", async () => {
    const rig = await drainRig();
    const { uid } = await rig.event();
    await rename(rig, uid, ["A", "B", "A", "B", "A"]);
    rig.clock.advance({ hours: 1 });
    await rename(rig, uid, ["B"]);
    expect(new Set(rig.states())).toEqual(new Set(["confirmed"]));
  });

  it("does not hold up other items", async () => {
    const rig = await drainRig();
    const [one, two] = [await rig.event(), await rig.event({ title: "Other" })];
    await rename(rig, one.uid, ["A", "B", "A", "B", "A", "B"]);
    await rename(rig, two.uid, ["A"]);
    expect(rig.states().at(-1)).toBe("confirmed");
  });
});
