import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPythonCaldav, python, runProgram } from "./programs.ts";
import { type ClientSetting, clientSetting, day, icsDay, only } from "./setting.ts";

// Debian's python3-caldav, by a script that does what the library's documentation shows.

const script = fileURLToPath(new URL("python_caldav.py", import.meta.url));

describe.skipIf(!(await hasPythonCaldav()))("python3-caldav", () => {
  let setting: ClientSetting;

  beforeAll(async () => {
    setting = await clientSetting();
    const times = { start: `${day(3)}T10:00:00+01:00`, end: `${day(3)}T11:00:00+01:00` };
    setting.addEvent({ title: "Kick-off", ...times, all_day: false });
    setting.addTask({ title: "Write the brief", due_date: day(5), description: "Two pages" });
    await setting.refresh();
  });
  afterAll(() => setting?.close());

  const step = async (...args: readonly string[]): Promise<unknown> => {
    const { url, login, password } = setting;
    const ran = await runProgram([python, script, url, login, password, ...args], {});
    if (ran.code !== 0) throw new Error(ran.output);
    await setting.arrived();
    return JSON.parse(ran.stdout);
  };

  it("finds the principal and its calendars", async () => {
    const { events, tasks, assigned } = setting.slugs;
    expect(await step("discover")).toEqual(
      expect.arrayContaining([
        { slug: events, name: expect.stringContaining("Blank"), components: ["VEVENT"] },
        { slug: tasks, name: expect.stringContaining("To do"), components: ["VTODO"] },
        { slug: assigned, name: expect.any(String), components: ["VEVENT", "VTODO"] },
      ]),
    );
  });

  it("saves an event, finds it by its UID, and changes it", async () => {
    expect(await step("create", setting.slugs.events, icsDay(6))).toMatchObject({
      title: "From Python",
    });
    expect(only(setting.events(), "From Python").start).toBe(`${day(6)} 00:00`);
    expect(await step("change", setting.slugs.events, "From Python, changed")).toEqual({
      title: "From Python, changed",
      location: "Room 3",
    });
    expect(only(setting.events(), "From Python, changed").start).toBe(`${day(6)} 00:00`);
    expect(setting.events()).toHaveLength(2);
  });

  it("searches by dates, and queries free and busy times", async () => {
    const { events } = setting.slugs;
    expect(await step("search", events, day(3), "1")).toEqual(["Kick-off"]);
    expect(await step("search", events, day(4), "20")).toEqual(["From Python, changed"]);
    expect(await step("search", events, day(30), "5")).toEqual([]);
    expect(await step("busy", events, day(3), "1")).toBeGreaterThan(0);
  });

  it("creates, lists and completes to-dos", async () => {
    const { tasks } = setting.slugs;
    expect(await step("todo", tasks, day(8))).toBe("Todo from Python");
    expect(await step("complete", tasks, "Write the brief")).toBe("COMPLETED");
    expect(await step("todos", tasks)).toEqual({
      open: ["Todo from Python"],
      all: ["Todo from Python", "Write the brief"],
    });
    expect(only(setting.tasks(), "Todo from Python").due_date).toBe(day(8));
    expect(only(setting.tasks(), "Write the brief")).toMatchObject({
      completed: true,
      due_date: day(5),
      description: "Two pages",
    });
  });

  it("follows changes by sync tokens", async () => {
    const { events } = setting.slugs;
    const first: unknown = await step("sync", events);
    expect(first).toMatchObject({ present: ["From Python, changed", "Kick-off"], gone: 0 });
    const { id } = only(setting.events(), "Kick-off");
    setting.changeEvent(id, { title: "Kick-off, later" });
    await setting.refresh();
    expect(await step("delete", events)).toEqual(["Kick-off, later"]);
    expect(setting.events().map(({ title }) => title)).toEqual(["Kick-off, later"]);
    const second = await step("sync", events, tokenOf(first));
    expect(second).toMatchObject({ present: ["Kick-off, later"], gone: 1 });
    expect(await step("sync", events, tokenOf(second))).toMatchObject({ present: [], gone: 0 });
  });

  it("is refused repeating events, and everything else has arrived", async () => {
    expect(await step("weekly", setting.slugs.events, icsDay(4))).toBe("PutError");
    expect(setting.events()).toHaveLength(1);
    expect(new Set(setting.edits().map(({ state }) => state))).toEqual(new Set(["confirmed"]));
  });
});

function tokenOf(answer: unknown): string {
  if (typeof answer === "object" && answer !== null && "token" in answer)
    return String(answer.token);
  throw new Error(`no token in ${JSON.stringify(answer)}`);
}
