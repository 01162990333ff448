import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { object, type Program, pathOf, replay } from "../../clients/replay.ts";
import { type ClientSetting, clientSetting, day, icsDay, only } from "../../clients/setting.ts";

// The answer to a PUT stays true once the service has answered: its own notation, and what it derives from the edit
// itself, are nobody else's change. What it did not accept, or someone else changed, is shown.

let setting: ClientSetting;
let program: Program;
let made = 0;
/** The octets expected in the end, by their address. */
const lasting = new Map<string, { readonly body: string; readonly etag: string | undefined }>();

beforeAll(async () => {
  setting = await clientSetting({ changes: () => ({ edits: { labels: "create" } }) });
  program = replay(setting, { agent: "Lasting/1" });
});
afterAll(() => setting?.close());

const path = (slug: "tasks" | "events" | "milestones", name: string): string =>
  `${pathOf(setting.home)}${setting.slugs[slug]}/${name}`;

const put = (where: string, body: string) =>
  program.send(`PUT ${where}`, { headers: { "content-type": "text/calendar" }, body });

/** Expects that octets are served as they were put, under the ETag of their PUT, when they have reached the service. */
async function expectLasting(where: string, body: string): Promise<void> {
  const answer = await put(where, body);
  expect([201, 204], answer.text).toContain(answer.status);
  const etag = answer.headers["etag"];
  expect(etag).toMatch(/^"/);
  lasting.set(where, { body, etag });
  await setting.arrived();
  await expectServed(where);
}

async function expectServed(where: string): Promise<void> {
  const got = await program.send(`GET ${where}`);
  expect(got.text).toBe(lasting.get(where)?.body);
  expect(got.headers["etag"]).toBe(lasting.get(where)?.etag);
}

const todo = (uid: string, ...lines: readonly string[]): string => object("VTODO", uid, ...lines);
const event = (uid: string, ...lines: readonly string[]): string => object("VEVENT", uid, ...lines);

const done = ["STATUS:COMPLETED", "PERCENT-COMPLETE:100", "COMPLETED:20261121T120000Z"];

describe("octets of a to-do", () => {
  it.each<[string, readonly (readonly string[])[]]>([
    ["completed", [["STATUS:NEEDS-ACTION"], done]],
    ["completed in few words", [["STATUS:NEEDS-ACTION"], ["STATUS:COMPLETED"]]],
    ["new and completed", [done]],
    ["reopened", [done, ["STATUS:NEEDS-ACTION"]]],
    ["reopened with no percentage", [done, ["STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:0"]]],
    ["reopened in part", [done, ["STATUS:IN-PROCESS", "PERCENT-COMPLETE:40"]]],
    ["completed again", [done, ["STATUS:NEEDS-ACTION"], done]],
    ["begun", [["STATUS:NEEDS-ACTION"], ["STATUS:IN-PROCESS", "PERCENT-COMPLETE:40"]]],
    ["labelled with a name that becomes a label", [["CATEGORIES:Brand new,Newer"]]],
    ["due on the day of its start", [[`DTSTART;VALUE=DATE:20261224`, `DUE;VALUE=DATE:20261224`]]],
    ["due at the end of a day", [["DUE:20261224T235900"]]],
    ["described in lines", [["DESCRIPTION:One\\n\\n  two < three & <b>four</b>\\n"]]],
  ])("%s stay", async (_name, versions) => {
    const uid = `todo-${++made}`;
    for (const lines of versions) {
      await expectLasting(
        path("tasks", `${uid}.ics`),
        todo(uid, `SUMMARY:  To do  ${made} `, ...lines),
      );
    }
  });

  it("put before the parent stay, and so do later ones", async () => {
    const [above, before, after] = ["above-1", "before-1", "after-1"];
    const child = todo(before, "SUMMARY:Before", `RELATED-TO:${above}`);
    const first = await put(path("tasks", `${before}.ics`), child);
    const parent = todo(above, "SUMMARY:Above");
    const second = await put(path("tasks", `${above}.ics`), parent);
    const later = todo(after, "SUMMARY:After", `RELATED-TO:${above}`);
    const third = await put(path("tasks", `${after}.ics`), later);
    const texts = [child, parent, later];
    const names = [before, above, after].map((name) => path("tasks", `${name}.ics`));
    for (const [at, answer] of [first, second, third].entries()) {
      expect(answer.headers["etag"]).toMatch(/^"/);
      lasting.set(names[at] ?? "", { body: texts[at] ?? "", etag: answer.headers["etag"] });
    }
    for (const name of names) await expectServed(name);
    await setting.arrived();
    for (const name of names) await expectServed(name);
    const { id } = only(setting.tasks(), "Above");
    expect(
      setting
        .subtasks(id)
        .map(({ title }) => title)
        .toSorted(),
    ).toEqual(["After", "Before"]);
  });

  it("of a milestone stay if it is completed and reopened", async () => {
    const uid = `twin-${++made}`;
    const due = `DUE;VALUE=DATE:${icsDay(9)}`;
    for (const lines of [["STATUS:NEEDS-ACTION"], done, ["STATUS:NEEDS-ACTION"]]) {
      await expectLasting(
        path("milestones", `${uid}.ics`),
        todo(uid, "SUMMARY:Stone", due, ...lines),
      );
    }
  });
});

it.each<[string, readonly string[]]>([
  ["of one day", ["DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261225"]],
  ["of one day, without an end", ["DTSTART;VALUE=DATE:20261224"]],
  ["of several days", ["DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261228"]],
  ["with a length", ["DTSTART:20261224T100000Z", "DURATION:PT90M"]],
  ["without an end", ["DTSTART:20261224T100000Z"]],
  ["with seconds", ["DTSTART:20261224T100030Z", "DTEND:20261224T110030Z"]],
  ["of a floating time", ["DTSTART:20261224T100000", "DTEND:20261224T110000"]],
  ["that is private", ["DTSTART:20261224T100000Z", "DTEND:20261224T110000Z", "CLASS:CONFIDENTIAL"]],
  ["that is a milestone", ["DTSTART;VALUE=DATE:20261224", "CATEGORIES:Milestone,Other"]],
  [
    "with an alarm",
    [
      "DTSTART:20261224T100000Z",
      "BEGIN:VALARM",
      "ACTION:DISPLAY",
      "TRIGGER:-PT90S",
      "DESCRIPTION:x",
      "END:VALARM",
    ],
  ],
])("octets of an event %s stay", async (_name, lines) => {
  const uid = `event-${++made}`;
  await expectLasting(
    path("events", `${uid}.ics`),
    event(uid, `SUMMARY: Event   ${made}  `, ...lines),
  );
});

it("octets of both stay if the service is read again", async () => {
  await setting.refresh();
  expect(lasting.size).toBeGreaterThan(20);
  for (const where of lasting.keys()) await expectServed(where);
});

describe("a different spelling by the service", () => {
  const rewritten = (change: (fields: Record<string, unknown>) => object) => (json: unknown) => {
    const fields: Record<string, unknown> = { ...Object(json) };
    return { ...fields, ...change(fields) };
  };

  it.each<[string, string, (fields: Record<string, unknown>) => object]>([
    [
      "as HTML",
      "DESCRIPTION:One\\nTwo",
      ({ description }) => ({
        description: `<p>${String(description).replaceAll("\n", "<br>")}</p>`,
      }),
    ],
    ["with white space", "SUMMARY:Wide", ({ title }) => ({ title: ` ${String(title)} ` })],
    ["with somebody assigned", "SUMMARY:Given", () => ({ assigned: [setting.by] })],
  ])("of %s leaves octets alone", async (_name, line, change) => {
    const uid = `todo-${++made}`;
    setting.sandbox.faults.add({
      kind: "transform",
      method: "POST",
      path: /\/tasks$/,
      transform: rewritten(change),
    });
    const where = path("tasks", `${uid}.ics`);
    const lines = line.startsWith("SUMMARY") ? [line] : ["SUMMARY:Kept", line];
    const answer = await put(where, todo(uid, ...lines));
    await setting.arrived();
    const got = await program.send(`GET ${where}`);
    expect(got.text).toBe(todo(uid, ...lines));
    expect(got.headers["etag"]).toBe(answer.headers["etag"]);
  });

  it("is shown if it differs in meaning", async () => {
    const uid = `todo-${++made}`;
    const where = path("tasks", `${uid}.ics`);
    // The list equals the answer, as it may be read before the calendar is requested.
    const transform = rewritten(({ id }) => {
      setting.changeTask(Number(id), { title: "Shortened" });
      return { title: "Shortened" };
    });
    // Of a change: a poll may find a new item before its answer is there.
    await put(where, todo(uid, "SUMMARY:First", "X-OWN:1"));
    await setting.arrived();
    const changed = /\/tasks\/\d+$/;
    setting.sandbox.faults.add({ kind: "transform", method: "PUT", path: changed, transform });
    const answer = await put(where, todo(uid, "SUMMARY:Shortened by the service", "X-OWN:1"));
    await setting.arrived();
    const got = await program.send(`GET ${where}`);
    expect(got.text).toContain("SUMMARY:Shortened\r\n");
    expect(got.text).toContain("X-OWN:1");
    expect(got.headers["etag"]).not.toBe(answer.headers["etag"]);
  });

  it("is shown if someone else changed it before the edit arrived", async () => {
    const uid = `todo-${++made}`;
    const where = path("tasks", `${uid}.ics`);
    await expectLasting(where, todo(uid, "SUMMARY:Ours", `DUE;VALUE=DATE:${icsDay(3)}`));
    const { id } = only(setting.tasks(), "Ours");
    setting.changeTask(id, { due_date: day(8) });
    await put(where, todo(uid, "SUMMARY:Ours, renamed", `DUE;VALUE=DATE:${icsDay(3)}`));
    await setting.arrived();
    const got = await program.send(`GET ${where}`);
    expect(got.text).toContain(`DUE;VALUE=DATE:${icsDay(8)}`);
    expect(got.text).toContain("SUMMARY:Ours, renamed");
  });
});
