import { describe, expect, it } from "vitest";
import { aPerson, aTodolist } from "../../support/items.ts";
import { ana, linkRig, signer, task } from "./links-rig.ts";

describe("links in mails", () => {
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

  it("offer what can be done with the item, in the reader's name", () => {
    const { made, textOf, links, edits } = mailed();
    expect(made.map(({ label }) => label)).toEqual([
      "Done",
      "Due date + 1 day",
      "Due date + 1 week",
    ]);
    expect(links.look(textOf("Due date + 1 day"))).toMatchObject({ kind: "offer", action: "day" });
    const outcome = links.follow(textOf("Due date + 1 day"), "2026-11-12");
    expect(outcome.kind).toBe("stored");
    expect(edits()).toMatchObject([{ channel: "link", actor: 11, action: "update" }]);
    const [edit] = edits();
    expect(edit && links.result(textOf("Done"), edit.id)).toMatchObject({
      value: { id: edit?.id },
    });
  });

  it("are absent for a person without write access, and earlier ones are void", () => {
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

  it("are void if the reader is suspended, cannot see the item, or a month has passed", () => {
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
