import { describe, expect, it } from "vitest";
import { aTask } from "../support/items.ts";
import { shownIn, startActs, task } from "./act-rig.ts";

describe("POST /act/<signed>", () => {
  it("acts, and leads to a page with the result and a way to undo it", async () => {
    const { ask, press, link, dueOn, edits } = await startActs();
    const page = await ask(link("week"));
    const pressed = await press(link("week"), shownIn(page.text));
    expect(pressed.status).toBe(303);
    expect(dueOn()).toBe("2026-11-19");
    const location = pressed.headers.get("location") ?? "";
    expect(location).toBe(`${link("week")}/1`);
    const result = await ask(location);
    expect(result.status).toBe(200);
    expect(result.text).toContain(
      "Moved from Thursday, 12 November 2026 to Thursday, 19 November 2026.",
    );
    expect(result.text).toContain("Sending to the service");
    expect(result.text).toContain('<form method="post" action="1/undo"');
    expect(result.text).not.toContain("<script>");
    expect(edits()).toMatchObject([{ channel: "link", state: "pending" }]);
  });

  it("moves the date once if the button is pressed twice", async () => {
    const { press, link, dueOn, edits } = await startActs();
    const answers = await Promise.all([1, 2, 3].map(() => press(link("day"), "2026-11-12")));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(new Set(answers.map(({ headers }) => headers.get("location"))).size).toBe(1);
    expect(dueOn()).toBe("2026-11-13");
    expect(edits()).toHaveLength(1);
  });

  it("asks again if the date is not the one shown on the page", async () => {
    const { press, link, dueOn, edits, store } = await startActs();
    store.mirror.put({ ...task, dueOn: Temporal.PlainDate.from("2026-11-20") }, "tests");
    const { status, text } = await press(link("day"), "2026-11-12");
    expect(status).toBe(409);
    expect(text).toContain("Someone changed the date, so nothing was done.");
    expect(text).toContain("Saturday, 21 November 2026");
    expect(shownIn(text)).toBe("2026-11-20");
    expect(edits()).toEqual([]);
    expect((await press(link("day"), shownIn(text))).status).toBe(303);
    expect(dueOn()).toBe("2026-11-21");
  });

  it("asks if a form comes without a date, or is invalid", async () => {
    const { ask, link, edits } = await startActs();
    const bodies = ["", "shown=", "shown=a&shown=b", "shown[x]=2026-11-12", "{}"];
    for (const body of bodies) {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      expect((await ask(link("day"), { method: "POST", headers, body })).status).toBe(409);
    }
    const json = { "content-type": "application/json" };
    const sent = await ask(link("day"), {
      method: "POST",
      headers: json,
      body: '{"shown":"2026-11-12"}',
    });
    expect(sent.status).toBe(409);
    expect(edits()).toEqual([]);
  });

  it("waits for approval in review mode, once", async () => {
    const { ask, press, link, edits } = await startActs({ mode: "review" });
    const first = await press(link("done"), "2026-11-12");
    const second = await press(link("done"), "2026-11-12");
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect(edits()).toMatchObject([{ state: "held" }]);
    const { text } = await ask(first.headers.get("location") ?? "");
    expect(text).toContain("Waiting for approval");
  });
});

it("GET /act/<signed>/<edit> shows only edits by links of the same item", async () => {
  const { ask, link, store } = await startActs();
  store.mirror.put(aTask(9, { title: "Secret" }), "tests");
  const other = store.mirror.find("task", aTask(9).id);
  if (other === null) throw new Error("the mirror has lost the task");
  store.journal.append({
    channel: "link",
    actor: null,
    item: other,
    action: "complete",
    base: aTask(9),
    patch: { completed: true },
    newLabels: [],
    state: "pending",
  });
  for (const edit of ["1", "2", "0", "x", "1e0", "-1", "1.5"]) {
    const { status, text } = await ask(`${link("done")}/${edit}`);
    expect(status).toBe(404);
    expect(text).not.toContain("Secret");
  }
});

describe("POST /act/<signed>/<edit>/undo", () => {
  const undo = { method: "POST" } as const;

  it("discards an edit that has not reached the workspace", async () => {
    const { ask, press, link, dueOn, edits } = await startActs();
    await press(link("day"), "2026-11-12");
    const undone = await ask(`${link("day")}/1/undo`, undo);
    expect(undone.status).toBe(303);
    expect(undone.headers.get("location")).toBe("../1");
    expect(dueOn()).toBe("2026-11-12");
    expect(edits()).toMatchObject([{ state: "discarded" }]);
    const { text } = await ask(`${link("day")}/1`);
    expect(text).toContain("Undone.");
    expect(text).not.toContain("<form");
  });

  it("reverts an edit in the workspace, once", async () => {
    const { ask, press, link, dueOn, edits, store, item } = await startActs();
    await press(link("day"), "2026-11-12");
    const edit = store.journal.claimNext();
    const moved = { ...task, dueOn: Temporal.PlainDate.from("2026-11-13") };
    if (edit) {
      store.journal.replacing(edit.id, task);
      store.journal.confirm(edit, moved);
    }
    expect((await ask(`${link("day")}/1`)).text).toContain("Saved.");
    const undone = await ask(`${link("day")}/1/undo`, undo);
    expect(undone.headers.get("location")).toBe("../2");
    expect(dueOn()).toBe("2026-11-12");
    expect(edits()[0]).toMatchObject({ id: 2, channel: "link", item, undoes: 1, state: "pending" });
    expect((await ask(`${link("day")}/2`)).text).toContain(
      "Moved from Friday, 13 November 2026 to Thursday, 12 November 2026.",
    );
    const again = await ask(`${link("day")}/1/undo`, undo);
    expect(again.status).toBe(409);
    expect(again.text).toContain("edit 2, which undoes edit 1, is pending already");
    expect(edits()).toHaveLength(2);
  });

  it("undoes nothing by GET, and no edit from another channel", async () => {
    const { ask, link, store, item, edits } = await startActs();
    store.journal.append({
      channel: "upload",
      actor: null,
      item,
      action: "complete",
      base: task,
      patch: { completed: true },
      newLabels: [],
      state: "pending",
    });
    expect((await ask(`${link("day")}/1/undo`, undo)).status).toBe(404);
    expect((await ask(`${link("day")}/1/undo`)).status).toBe(404);
    expect(edits()).toMatchObject([{ state: "pending" }]);
  });
});
