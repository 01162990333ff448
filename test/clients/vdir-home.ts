import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ran, runProgram } from "./programs.ts";
import type { ClientSetting } from "./setting.ts";

export type VdirHome = ReturnType<typeof vdirHome>;

/** A home with vdirsyncer set up for a folder per calendar. */
export function vdirHome(
  setting: Pick<ClientSetting, "homeEnv" | "folder" | "url" | "login" | "password">,
  name: string,
) {
  const env = setting.homeEnv(name);
  const files = setting.folder(`${name}/calendars`);
  const config = join(env.HOME, "vdirsyncer.conf");
  configure(null);

  function configure(winner: "a wins" | "b wins" | null): void {
    writeFileSync(
      config,
      `[general]
status_path = "${join(env.HOME, "status")}"

[pair dayferry]
a = "here"
b = "there"
collections = ["from b"]
metadata = ["displayname", "color"]
conflict_resolution = ${winner === null ? "null" : JSON.stringify(winner)}

[storage here]
type = "filesystem"
path = "${files}"
fileext = ".ics"

[storage there]
type = "caldav"
url = "${setting.url}"
username = "${setting.login}"
password = "${setting.password}"
`,
    );
  }

  const run = (command: "discover" | "sync" | "metasync"): Promise<Ran> =>
    runProgram(["vdirsyncer", "--config", config, command], { env, input: "y\n".repeat(20) });

  // vdirsyncer writes files with LF alone.
  const filesOf = (slug: string) =>
    readdirSync(join(files, slug)).flatMap((file) => {
      if (!file.endsWith(".ics")) return [];
      const text = readFileSync(join(files, slug, file), "utf8").replaceAll("\r\n", "\n");
      return [{ file, text, title: /^SUMMARY:(.*)$/m.exec(text)?.[1] ?? "" }];
    });

  /** The file of a UID, or of a title. */
  function find(slug: string, named: string) {
    const [found, ...others] = filesOf(slug).filter(
      ({ text, title }) => title === named || text.includes(`UID:${named}\n`),
    );
    if (!found || others.length > 0) {
      throw new Error(`${named} stands in ${others.length + (found ? 1 : 0)} files of ${slug}`);
    }
    return found;
  }

  return {
    env,
    files,
    config,
    configure,
    run,
    /** A sync that has to end well. */
    sync: async () => {
      const ran = await run("sync");
      if (ran.code !== 0) throw new Error(`vdirsyncer ended with ${ran.code}:\n${ran.output}`);
      return ran;
    },
    titles: (slug: string) =>
      filesOf(slug)
        .map(({ title }) => title.replaceAll("\\,", ","))
        .toSorted(),
    textOf: (slug: string, named: string) => find(slug, named).text,
    nameOf: (slug: string, named: string) => find(slug, named).file,
    change(slug: string, named: string, change: (text: string) => string): void {
      const { file, text } = find(slug, named);
      const changed = change(text);
      if (changed === text) throw new Error(`nothing to change in ${text}`);
      writeFileSync(join(files, slug, file), changed);
    },
    /** A file of one component, with the calendar around it. */
    write(slug: string, file: string, component: readonly string[]): void {
      const lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", ...component];
      writeFileSync(join(files, slug, file), `${[...lines, "END:VCALENDAR"].join("\r\n")}\r\n`);
    },
    remove(slug: string, named: string): void {
      rmSync(join(files, slug, find(slug, named).file));
    },
  };
}
