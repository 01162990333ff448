import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { object, type Program, pathOf, replay } from "../../clients/replay.ts";
import { type ClientSetting, called, clientSetting, icsDay, only } from "../../clients/setting.ts";
import { eventually } from "../../support/eventually.ts";

// Everything answered with success exists, or is reported as gone; impossible requests are refused with the reason.

let setting: ClientSetting;
let program: Program;

beforeAll(async () => {
  setting = await clientSetting();
  program = replay(setting, { agent: "Promises/1" });
});
afterAll(() => setting?.close());

type Slug = "tasks" | "nearTasks" | "events";

const path = (slug: Slug, name = ""): string =>
  `${pathOf(setting.home)}${setting.slugs[slug]}/${name}`;

const put = (where: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
  program.send(`PUT ${where}`, { headers: { "content-type": "text/calendar", ...headers }, body });

const statusOf = async (where: string): Promise<number> =>
  (await program.send(`GET ${where}`)).status;

const todo = (uid: string, ...lines: readonly string[]): string => object("VTODO", uid, ...lines);
const event = (uid: string, ...lines: readonly string[]): string =>
  object("VEVENT", uid, `DTSTART;VALUE=DATE:${icsDay(5)}`, ...lines);

/** What a program that follows tokens learns since one, by name. */
async function since(slug: Slug, token: string) {
  const { responses, token: next } = await program.read(`REPORT ${path(slug)}`, {
    body: `<d:sync-collection xmlns:d="DAV:"><d:sync-token>${token}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>`,
  });
  const told = responses.map(({ href, status }) => [href.split("/").at(-1) ?? "", status ?? 200]);
  return { told: Object.fromEntries(told), token: next ?? "" };
}

/** Has the service refuse the next such request permanently. */
const refuse = (method: string, path: RegExp) =>
  setting.sandbox.faults.add({ kind: "status", method, path, status: 403 });
const lastEdit = () => setting.edits().at(-1);
const parked = () =>
  eventually("the edit is parked", () => (lastEdit()?.state === "parked" ? true : null));

describe("a creation that the service refuses", () => {
  it("is reported as gone to a program with an earlier token", async () => {
    const { token } = await since("events", "");
    refuse("POST", /\/events$/);
    const answer = await put(path("events", "no.ics"), event("no-1", "SUMMARY:No"));
    expect(answer.status).toBe(201);
    await parked();
    expect(await statusOf(path("events", "no.ics"))).toBe(404);
    expect((await since("events", token)).told).toEqual({ "no.ics": 404 });
  });

  it("is tried again if it is put again, unchanged or changed", async () => {
    const { token } = await since("events", "");
    refuse("POST", /\/events$/);
    const same = await put(path("events", "no.ics"), event("no-1", "SUMMARY:No"));
    expect([same.status, same.headers["etag"]]).toEqual([201, expect.stringMatching(/^"/)]);
    await parked();
    expect((await since("events", token)).told).toEqual({ "no.ics": 404 });
    const again = await put(path("events", "no.ics"), event("no-1", "SUMMARY:No"));
    expect([again.status, again.headers["etag"]]).toEqual([201, expect.stringMatching(/^"/)]);
    await setting.arrived();
    expect(lastEdit()).toMatchObject({ action: "create", state: "confirmed" });
    expect(called(setting.events(), "No")).toHaveLength(1);
    const got = await program.send(`GET ${path("events", "no.ics")}`);
    expect(got.headers["etag"]).toBe(again.headers["etag"]);
    expect(setting.edits().filter(({ state }) => state === "parked")).toEqual([]);
  });
});

it("a change that the service refuses is tried again if it is put again", async () => {
  const where = path("tasks", "twice.ics");
  const made = await put(where, todo("twice-1", "SUMMARY:Once"));
  await setting.arrived();
  refuse("PUT", /\/tasks\/\d+$/);
  const wished = todo("twice-1", "SUMMARY:Twice");
  const first = await put(where, wished, { "if-match": made.headers["etag"] ?? "" });
  expect(first.status).toBe(204);
  await parked();
  const present = await program.send(`GET ${where}`);
  expect(present.text).toContain("SUMMARY:Once");
  expect(present.headers["etag"]).not.toBe(first.headers["etag"]);
  const again = await put(where, wished, { "if-match": present.headers["etag"] ?? "" });
  await setting.arrived();
  expect(lastEdit()).toMatchObject({ action: "update", state: "confirmed" });
  expect(called(setting.tasks(), "Twice")).toHaveLength(1);
  const got = await program.send(`GET ${where}`);
  expect([got.text, got.headers["etag"]]).toEqual([wished, again.headers["etag"]]);
});

describe("a PUT of a missing item", () => {
  const discard = (id: number) =>
    fetch(`${setting.daemon.url}/api/edits/${id}/discard`, {
      method: "POST",
      headers: { authorization: `Bearer ${setting.daemon.adminToken}` },
    });

  it("creates it if its first creation was discarded", async () => {
    const where = path("tasks", "thrown.ics");
    const body = todo("thrown-1", "SUMMARY:Thrown away");
    refuse("POST", /\/tasks$/);
    await put(where, body);
    await parked();
    const { journal } = setting.daemon.modules.store;
    const [edit] = journal
      .list({ state: "parked", limit: 1 })
      .filter(({ action }) => action === "create");
    expect((await discard(edit?.id ?? 0)).status).toBeLessThan(300);
    const again = await put(where, body);
    expect(again.status).toBe(201);
    await setting.arrived();
    const got = await program.send(`GET ${where}`);
    expect([got.text, got.headers["etag"]]).toEqual([body, again.headers["etag"]]);
    expect(called(setting.tasks(), "Thrown away")).toHaveLength(1);
  });

  it.each<[string, Readonly<Record<string, string>>, number]>([
    ["is made again when nothing names a version", {}, 201],
    ["is 404 with the version that was deleted", { "if-match": "ETAG" }, 404],
    ["makes it again when it says that it is new", { "if-none-match": "*" }, 201],
  ])("deleted in the workspace: %s", async (name, headers, status) => {
    const uid = name.replaceAll(/\W+/g, "-").slice(0, 30);
    const where = path("tasks", `${uid}.ics`);
    const body = todo(uid, `SUMMARY:${uid}`);
    const made = await put(where, body);
    await setting.arrived();
    const { id } = only(setting.tasks(), uid);
    setting.workspace.tasks.remove({ by: setting.by, ...setting.place, task: id });
    await setting.buried("task", id);
    const sent = Object.entries(headers).map(([key, value]) => [
      key,
      value.replace("ETAG", made.headers["etag"] ?? ""),
    ]);
    const answer = await put(where, body, Object.fromEntries(sent));
    expect(answer.status, answer.text).toBe(status);
    await setting.arrived();
    expect(await statusOf(where)).toBe(status === 201 ? 200 : 404);
    expect(setting.tasks().filter(({ title }) => title === uid)).toHaveLength(
      status === 201 ? 1 : 0,
    );
  });
});

describe("a to-do below a task of another list", () => {
  it("stays at the address where it was put, as a task of that list", async () => {
    await put(path("tasks", "far-parent.ics"), todo("far-parent", "SUMMARY:Far parent"));
    await setting.arrived();
    const body = todo("far-child", "SUMMARY:Far child", "RELATED-TO:far-parent");
    const where = path("nearTasks", "far-child.ics");
    const answer = await put(where, body);
    expect([answer.status, answer.headers["etag"]]).toEqual([201, expect.stringMatching(/^"/)]);
    await setting.arrived();
    const got = await program.send(`GET ${where}`);
    expect([got.text, got.headers["etag"]]).toEqual([body, answer.headers["etag"]]);
    expect(called(setting.tasks(setting.nearList), "Far child")).toHaveLength(1);
    expect((await since("tasks", "")).told).not.toHaveProperty(["far-child.ics"]);
  });

  it("stays there even if the task arrives later", async () => {
    const body = todo("early-child", "SUMMARY:Early child", "RELATED-TO:late-parent");
    const where = path("nearTasks", "early-child.ics");
    const answer = await put(where, body);
    await put(path("tasks", "late-parent.ics"), todo("late-parent", "SUMMARY:Late parent"));
    const got = await program.send(`GET ${where}`);
    expect([got.text, got.headers["etag"]]).toEqual([body, answer.headers["etag"]]);
  });
});

it("a PUT of an event with STATUS:CANCELLED deletes nothing: the octets are kept, and the event stays in the workspace", async () => {
  const where = path("events", "cancelled.ics");
  const made = await put(where, event("cancelled-1", "SUMMARY:Cancelled"));
  await setting.arrived();
  const body = event("cancelled-1", "SUMMARY:Cancelled", "STATUS:CANCELLED");
  const answer = await put(where, body, { "if-match": made.headers["etag"] ?? "" });
  expect([answer.status, answer.headers["etag"]]).toEqual([204, expect.stringMatching(/^"/)]);
  await setting.arrived();
  const got = await program.send(`GET ${where}`);
  expect([got.text, got.headers["etag"]]).toEqual([body, answer.headers["etag"]]);
  expect(called(setting.events(), "Cancelled")).toHaveLength(1);
  expect(lastEdit()).toMatchObject({ action: "create", state: "confirmed" });
});
