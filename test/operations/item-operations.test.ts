import { describe, expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { ana, basic, bearer, startApp } from "../http/people-rig.ts";
import { anEvent, aTask, aTodolist } from "../support/items.ts";

const json = (headers: Readonly<Record<string, string>>, body: object) => ({
  headers: { ...headers, "content-type": "application/json" },
  body: JSON.stringify(body),
});

async function itemsRig() {
  const app = await startApp();
  app.store.directory.putTodolists(projectId(2001), [aTodolist(3001)], true);
  const own = { authorization: basic("ana@example.com", app.passwords.issue(ana)) };
  const ask = async (request: string, body?: object, headers = own) => {
    const about = body ? json(headers, body) : { headers };
    const { status, text } = await app.call(request, about);
    return { status, answer: text === "" ? null : JSON.parse(text) };
  };
  const uid = `event-1@${app.store.meta.installation}`;
  const path = `/api/items/${encodeURIComponent(uid)}`;
  const edits = () => app.store.journal.list({ limit: 50 });
  return { ...app, ask, uid, path, edits };
}

describe("/api/agenda", () => {
  it("lists what a person may see between two days, in their zone", async () => {
    const { ask, store } = await itemsRig();
    store.mirror.put(aTask(7, { dueOn: Temporal.PlainDate.from("2026-12-03") }), "tasks:3001");
    const { answer } = await ask("GET /api/agenda?from=2026-11-01&to=2026-12-31&project=2001");
    const titles = answer.items.map(({ fields }: { fields: { title: string } }) => fields.title);
    expect(titles).toContain("Review");
    expect(titles).toContain("Task 7");
    expect(titles.join()).not.toContain("Secret");
    expect((await ask("GET /api/agenda?from=2030-01-01")).answer).toEqual({
      items: [],
      isCut: false,
    });
  });

  it.each([
    ["from=soon", '"soon" is not a day'],
    ["from=2026-12-01&to=2026-11-01", "0 to 365 days"],
    ["from=2026-01-01&to=2028-01-01", "0 to 365 days"],
    ["completed=perhaps", "neither true nor false"],
  ])("refuses %s with the reason", async (query, reason) => {
    const { ask } = await itemsRig();
    const { status, answer } = await ask(`GET /api/agenda?${query}`);
    expect([status, answer.detail]).toEqual([400, expect.stringContaining(reason)]);
  });
});

describe("/api/items", () => {
  it("shows the fields of a change, and stores what differs as one edit", async () => {
    const { ask, path, edits } = await itemsRig();
    const { answer: item } = await ask(`GET ${path}`);
    expect(item.fields).toMatchObject({ title: "Review", allDay: "" });
    const same = await ask(`PATCH ${path}`, item.fields);
    expect(same.answer).toMatchObject({ edit: null, action: "unchanged" });
    const { status, answer } = await ask(`PATCH ${path}`, {
      sequence: item.sequence,
      title: "Retrospective",
      startAt: "08:00",
    });
    expect([status, answer.state]).toEqual([202, "pending"]);
    expect(edits()).toMatchObject([
      { channel: "upload", actor: ana, patch: { title: "Retrospective" } },
    ]);
    expect((await ask(`GET ${path}`)).answer).toMatchObject({
      pending: true,
      fields: { title: "Retrospective", startAt: "08:00" },
    });
  });

  it("previews without storing, and refuses to change what has changed since", async () => {
    const { ask, path, edits, store } = await itemsRig();
    const { answer: item } = await ask(`GET ${path}`);
    const told = await ask(`PATCH ${path}`, { title: "Mine", dryRun: true });
    expect([told.status, told.answer.edit]).toEqual([200, null]);
    expect(edits()).toEqual([]);
    store.mirror.put(anEvent(1, { title: "Theirs" }), "events:2001");
    const { status, answer } = await ask(`PATCH ${path}`, {
      sequence: item.sequence,
      title: "Mine",
    });
    expect([status, answer.since[0].to]).toEqual([409, "Theirs"]);
    expect(edits()).toEqual([]);
  });

  it("creates an event from the minimum, once, and deletes it", async () => {
    const { ask, edits } = await itemsRig();
    const event = { kind: "event", project: 2001, title: "Kick-off", startOn: "2027-01-04" };
    const { status } = await ask("POST /api/items", event);
    expect(status).toBe(202);
    expect((await ask("POST /api/items", event)).status).toBe(409);
    const task = { kind: "task", project: 2001, list: 3001, title: "Print", dueOn: "2027-01-05" };
    await ask("POST /api/items", { ...task, repeats: "weekly", times: 2, assigned: [11] });
    expect(edits().map(({ base }) => [base.kind, base.title])).toEqual([
      ["task", "Print"],
      ["task", "Print"],
      ["event", "Kick-off"],
    ]);
    const { answer } = await ask("GET /api/agenda?from=2027-01-04&to=2027-01-04");
    const made = `/api/items/${encodeURIComponent(answer.items[0].uid)}`;
    expect((await ask(`DELETE ${made}`)).answer).toMatchObject({ action: "delete" });
    expect((await ask(`GET ${made}`)).status).toBe(404);
  });

  it.each<[string, object, number, string]>([
    ["no title", { kind: "event", project: 2001, startOn: "2027-01-04" }, 400, "title"],
    ["no day", { kind: "event", project: 2001, title: "X" }, 400, "startOn"],
    ["a project that is hidden", { kind: "event", project: 2002, title: "X" }, 400, "project"],
    ["an invalid list", { kind: "task", project: 2001, list: 99, title: "X" }, 400, "list"],
    ["an invalid time", { kind: "event", project: 2001, title: "X", startAt: "9" }, 400, "start"],
  ])("refuses %s", async (_what, body, status, reason) => {
    const { ask, edits } = await itemsRig();
    const refused = await ask("POST /api/items", body);
    expect(refused.status).toBe(status);
    expect(refused.answer.detail).toContain(reason);
    expect(edits()).toEqual([]);
  });

  it("lets nobody change for another person or see what is hidden", async () => {
    const { ask, call, path } = await itemsRig();
    expect((await ask("GET /api/items/nowhere@example.com")).status).toBe(404);
    expect((await call(`GET ${path}`)).status).toBe(401);
    expect(
      (await ask(`GET ${path}`, undefined, bearer.headers as { authorization: string })).status,
    ).toBe(200);
  });
});
