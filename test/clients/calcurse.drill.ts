import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calcurseCaldav, hasCalcurseCaldav, python, runProgram } from "./programs.ts";
import { type ClientSetting, clientSetting, day, icsDay, only } from "./setting.ts";

// calcurse keeps only title, times and a note. It deletes what it changes and makes it again.

describe.skipIf(!(await hasCalcurseCaldav()))("calcurse-caldav", () => {
  let setting: ClientSetting;
  let env: ReturnType<ClientSetting["homeEnv"]>;

  beforeAll(async () => {
    setting = await clientSetting();
    const times = { start: `${day(3)}T10:00:00+01:00`, end: `${day(3)}T11:00:00+01:00` };
    setting.addEvent({ title: "Kick-off", ...times, all_day: false });
    setting.addEvent({ title: "Launch", start: day(9), all_day: true, milestone: true });
    await setting.refresh();
    env = setting.homeEnv("calcurse");
    configure(env, setting);
  });
  afterAll(() => setting?.close());

  const run = async (...args: readonly string[]) => {
    const ran = await runProgram(args, { env, input: "" });
    if (ran.code !== 0) throw new Error(`${args[0]} ended with ${ran.code}: ${ran.output}`);
    return ran.stdout;
  };
  const caldav = async (...args: readonly string[]) => {
    const output = await run(python, calcurseCaldav, ...args);
    await setting.arrived();
    return output;
  };
  const held = async () =>
    (await run("calcurse", "-G"))
      .split("\n")
      .filter((line) => line !== "")
      .toSorted();
  const importEvent = async (...lines: readonly string[]) => {
    const file = join(env.HOME, "import.ics");
    const all = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", "BEGIN:VEVENT", ...lines];
    writeFileSync(file, `${[...all, "END:VEVENT", "END:VCALENDAR"].join("\r\n")}\r\n`);
    await run("calcurse", "-q", "-i", file);
  };

  it("starts with the contents of the calendar", async () => {
    await caldav("--init", "keep-remote");
    const lines = await held();
    expect(lines).toHaveLength(2);
    expect(lines.join("\n")).toMatch(/10:00.*11:00.*Kick-off/);
    expect(lines.join("\n")).toMatch(/Launch/);
  });

  it("has nothing to do the next time", async () => {
    const before = setting.writes().length;
    await caldav();
    await caldav();
    expect(await held()).toHaveLength(2);
    expect(setting.writes()).toHaveLength(before);
    expect(setting.edits()).toEqual([]);
  });

  it("pushes new events with times without a zone", async () => {
    await importEvent(
      "UID:dentist@example.com",
      "SUMMARY:Dentist",
      `DTSTART:${icsDay(4)}T140000`,
      `DTEND:${icsDay(4)}T150000`,
    );
    await caldav();
    expect(only(setting.events(), "Dentist")).toMatchObject({
      start: `${day(4)} 14:00`,
      end: `${day(4)} 15:00`,
    });
    await setting.refresh();
    await caldav();
    expect(await held()).toHaveLength(3);
    expect(setting.events()).toHaveLength(3);
  });

  it("pulls what somebody has changed or added in the workspace", async () => {
    setting.changeEvent(only(setting.events(), "Kick-off").id, { title: "Kick-off, later" });
    setting.addEvent({ title: "Workshop", start: day(12), all_day: true });
    await setting.refresh();
    await caldav();
    const lines = await held();
    expect(lines).toHaveLength(4);
    expect(lines.join("\n")).toMatch(/Kick-off, later/);
    expect(lines.join("\n")).toMatch(/Workshop/);
  });

  it("deletes on both sides", async () => {
    await run("calcurse", "-P", "--filter-pattern", "Dentist");
    expect(await held()).toHaveLength(3);
    await caldav();
    expect(
      setting
        .events()
        .map(({ title }) => title)
        .toSorted(),
    ).toEqual(["Kick-off, later", "Launch", "Workshop"]);
    const { id } = only(setting.events(), "Workshop");
    setting.workspace.events.remove({ by: setting.by, project: setting.place.project, event: id });
    await setting.buried("event", id);
    await caldav();
    expect((await held()).join("\n")).not.toMatch(/Workshop/);
    expect(await held()).toHaveLength(2);
    expect(new Set(setting.edits().map(({ state }) => state))).toEqual(new Set(["confirmed"]));
  });
});

function configure(env: ReturnType<ClientSetting["homeEnv"]>, setting: ClientSetting): void {
  const folder = join(env.XDG_CONFIG_HOME, "calcurse", "caldav");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(env.XDG_DATA_HOME, "calcurse", "caldav"), { recursive: true });
  writeFileSync(
    join(folder, "config"),
    `[General]
Binary = calcurse
Hostname = ${new URL(setting.url).host}
Path = ${new URL(`${setting.slugs.events}/`, setting.home).pathname}
AuthMethod = basic
HTTPS = No
SyncFilter = cal
DryRun = No
[Auth]
Username = ${setting.login}
Password = ${setting.password}
`,
    { mode: 0o600 },
  );
}
