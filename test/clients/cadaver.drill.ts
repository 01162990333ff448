import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isInstalled, runProgram } from "./programs.ts";
import { type ClientSetting, clientSetting, day, icsDay, only } from "./setting.ts";

// cadaver is a plain WebDAV client: it sends no conditions and knows nothing of calendars.

describe.skipIf(!isInstalled("cadaver"))("cadaver", () => {
  let setting: ClientSetting;
  let env: Readonly<Record<"HOME", string>>;

  beforeAll(async () => {
    setting = await clientSetting();
    setting.addEvent({ title: "Kick-off", start: day(3), all_day: true });
    await setting.refresh();
    env = setting.homeEnv("cadaver");
    const login = `machine 127.0.0.1 login ${setting.login} password ${setting.password}\n`;
    writeFileSync(join(env.HOME, ".netrc"), login, { mode: 0o600 });
  });
  afterAll(() => setting?.close());

  const cadaver = async (address: string, ...commands: readonly string[]) => {
    const { output } = await runProgram(["cadaver", new URL(address, setting.home).href], {
      env,
      cwd: env.HOME,
      input: `${commands.join("\n")}\nquit\n`,
    });
    await setting.arrived();
    return output;
  };
  const write = (name: string, summary: string) =>
    writeFileSync(
      join(env.HOME, name),
      [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//test//EN",
        "BEGIN:VEVENT",
        "UID:put-by-hand@example.com",
        "DTSTAMP:20260101T000000Z",
        `SUMMARY:${summary}`,
        `DTSTART;VALUE=DATE:${icsDay(5)}`,
        "LOCATION:Room 3",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
      ].join("\r\n"),
    );

  it("lists the calendars of a person, and what is in one", async () => {
    const homeListed = await cadaver("./", "ls");
    for (const slug of Object.values(setting.slugs)) expect(homeListed).toContain(slug);
    expect(await cadaver(`${setting.slugs.events}/`, "ls")).toMatch(/event-\d+@/);
  });

  it("puts a file, and gets exactly its octets back", async () => {
    write("own.ics", "By hand");
    const output = await cadaver(`${setting.slugs.events}/`, "put own.ics", "get own.ics back.ics");
    expect(output).toContain("succeeded");
    expect(readFileSync(join(env.HOME, "back.ics"))).toEqual(
      readFileSync(join(env.HOME, "own.ics")),
    );
    expect(only(setting.events(), "By hand").start).toBe(`${day(5)} 00:00`);
  });

  it("replaces it", async () => {
    write("own.ics", "By hand, again");
    await cadaver(`${setting.slugs.events}/`, "put own.ics");
    expect(
      setting
        .events()
        .map(({ title }) => title)
        .toSorted(),
    ).toEqual(["By hand, again", "Kick-off"]);
  });

  it("moves it to another project, and copies it back as a new item", async () => {
    const far = `/dav/calendars/${setting.by}/${setting.slugs.farEvents}/`;
    const near = `/dav/calendars/${setting.by}/${setting.slugs.events}/`;
    expect(await cadaver(`${setting.slugs.events}/`, `move own.ics ${far}moved.ics`)).toContain(
      "succeeded",
    );
    expect(setting.events().map(({ title }) => title)).toEqual(["Kick-off"]);
    expect(only(setting.events(setting.far.project), "By hand, again").start).toBe(
      `${day(5)} 00:00`,
    );
    expect(
      await cadaver(`${setting.slugs.farEvents}/`, `copy moved.ics ${near}copy.ics`),
    ).toContain("succeeded");
    expect(only(setting.events(), "By hand, again").start).toBe(`${day(5)} 00:00`);
    await cadaver(`${setting.slugs.events}/`, "get copy.ics copy.ics");
    const copy = readFileSync(join(env.HOME, "copy.ics"), "utf8");
    expect(copy).toContain("LOCATION:Room 3");
    expect(copy).not.toContain("UID:put-by-hand@example.com");
  });

  it("deletes", async () => {
    expect(await cadaver(`${setting.slugs.farEvents}/`, "delete moved.ics")).toContain("succeeded");
    expect(setting.events(setting.far.project)).toEqual([]);
  });

  it("cannot create collections, and nothing changes", async () => {
    expect(await cadaver("./", "mkcol another")).toContain("403");
    expect(await cadaver("./", `rmcol ${setting.slugs.tasks}`)).toContain("403");
    expect(await cadaver("./", "ls")).toContain(setting.slugs.tasks);
    expect(new Set(setting.edits().map(({ state }) => state))).toEqual(new Set(["confirmed"]));
  });
});
