import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isInstalled, runProgram } from "./programs.ts";
import { type ClientSetting, clientSetting, day, only } from "./setting.ts";
import { type VdirHome, vdirHome } from "./vdir-home.ts";

// khal and todoman edit the folder that vdirsyncer keeps the same as the calendars.

const hasAll = (["vdirsyncer", "khal", "todoman"] as const).every(isInstalled);

describe.skipIf(!hasAll)("khal and todoman", () => {
  let setting: ClientSetting;
  let home: VdirHome;

  beforeAll(async () => {
    setting = await clientSetting();
    const times = { start: `${day(3)}T10:00:00+01:00`, end: `${day(3)}T11:00:00+01:00` };
    setting.addEvent({ title: "Kick-off", description: "Bring cake", ...times, all_day: false });
    setting.addTask({ title: "Write the brief", due_date: day(5), description: "Two pages" });
    await setting.refresh();
    home = vdirHome(setting, "khal");
    await home.run("discover");
    await home.sync();
    configure(home, setting);
  });
  afterAll(() => setting?.close());

  const khal = async (args: readonly string[], input = "") => {
    const ran = await runProgram(["khal", ...args], { env: home.env, input });
    if (ran.code !== 0) throw new Error(`khal ended with ${ran.code}: ${ran.output}`);
    return ran.stdout;
  };
  const todoman = async (...args: readonly string[]) => {
    const ran = await runProgram(["todoman", ...args], { env: home.env });
    if (ran.code !== 0) throw new Error(`todoman ended with ${ran.code}: ${ran.output}`);
    return ran.stdout;
  };
  const numberOf = async (title: string) => {
    const todos: readonly { readonly id: number; readonly summary: string }[] = JSON.parse(
      await todoman("--porcelain", "list"),
    );
    const found = todos.find(({ summary }) => summary === title);
    if (!found) throw new Error(`todoman shows no ${title}: ${JSON.stringify(todos)}`);
    return String(found.id);
  };
  const sync = async () => {
    await home.sync();
    await setting.arrived();
  };

  it("khal shows the event with its time and title", async () => {
    const listed = await khal([
      "list",
      day(3),
      "1d",
      "--format",
      "{start-time}-{end-time} {title}",
    ]);
    expect(listed).toContain("10:00-11:00 Kick-off");
  });

  it("khal creates events, including all-day ones", async () => {
    await khal(["new", "-a", "project", day(6), "14:00", "15:30", "Review", "::", "Bring notes"]);
    await khal(["new", "-a", "project", day(7), day(8), "Away days"]);
    await sync();
    expect(only(setting.events(), "Review")).toMatchObject({
      start: `${day(6)} 14:00`,
      end: `${day(6)} 15:30`,
      description: "Bring notes",
    });
    expect(only(setting.events(), "Away days")).toMatchObject({
      start: `${day(7)} 00:00`,
      end: `${day(8)} 23:59`,
      all_day: true,
    });
  });

  it("khal changes and deletes events", async () => {
    await khal(["edit", "Review"], "s\nReview of the draft\nn\n");
    await khal(["edit", "Away days"], "D\ny\n");
    await sync();
    expect(only(setting.events(), "Review of the draft").start).toBe(`${day(6)} 14:00`);
    expect(
      setting
        .events()
        .map(({ title }) => title)
        .toSorted(),
    ).toEqual(["Kick-off", "Review of the draft"]);
  });

  it("todoman creates a task with a due date", async () => {
    await todoman("new", "--list", setting.slugs.tasks, "--due", day(2), "Buy", "paper");
    await sync();
    expect(only(setting.tasks(), "Buy paper")).toMatchObject({
      due_date: day(2),
      completed: false,
    });
  });

  it("todoman completes a task, and nothing else changes", async () => {
    await todoman("done", await numberOf("Write the brief"));
    await sync();
    expect(only(setting.tasks(), "Write the brief")).toMatchObject({
      completed: true,
      due_date: day(5),
      description: "Two pages",
    });
  });

  it("todoman changes and deletes a task", async () => {
    const number = await numberOf("Buy paper");
    await todoman("edit", number, "--due", day(4));
    await sync();
    expect(only(setting.tasks(), "Buy paper").due_date).toBe(day(4));
    await todoman("delete", "--yes", await numberOf("Buy paper"));
    await sync();
    expect(setting.tasks().map(({ title }) => title)).toEqual(["Write the brief"]);
  });

  it("leaves everything in sync", async () => {
    await setting.refresh();
    const before = setting.writes().length;
    const { output } = await home.sync();
    expect(output).not.toMatch(/Copying|Deleting/);
    expect(setting.writes()).toHaveLength(before);
    expect(new Set(setting.edits().map(({ state }) => state))).toEqual(new Set(["confirmed"]));
  });
});

function configure(home: VdirHome, setting: ClientSetting): void {
  const khal = join(home.env.XDG_CONFIG_HOME, "khal");
  const todoman = join(home.env.XDG_CONFIG_HOME, "todoman");
  for (const folder of [khal, todoman]) mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(khal, "config"),
    `[calendars]
[[project]]
path = ${join(home.files, setting.slugs.events)}
[default]
default_calendar = project
[locale]
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
local_timezone = Europe/Berlin
default_timezone = Europe/Berlin
`,
  );
  writeFileSync(
    join(todoman, "config.py"),
    `path = "${home.files}/tasks-*"
date_format = "%Y-%m-%d"
time_format = ""
default_due = 0
`,
  );
}
