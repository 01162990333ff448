import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { calendar } from "../edits/rig.ts";
import { dayferry } from "../support/dayferry.ts";
import { command } from "../support/in-process.ts";
import { commandRig } from "./command-rig.ts";

const rig = commandRig();
const { place, project, owner } = rig;

describe("sync", () => {
  it("prints what changed, then nothing if nothing did", async () => {
    const installation = place();
    const { id } = rig.sandbox.workspace.events.create(
      { by: owner(), project: project() },
      {
        title: "Kick-off",
        start: "2027-02-01",
        all_day: true,
      },
    );
    onTestFinished(
      () =>
        void rig.sandbox.workspace.events.remove({ by: owner(), project: project(), event: id }),
    );
    const first = await command(["sync"], { installation });
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toMatch(/added +event +Kick-off/);
    expect(first.stderr).toMatch(/synced \d+ of \d+ lists/);
    const second = await command(["sync", "--json"], { installation });
    expect(JSON.parse(second.stdout)).toMatchObject({ added: 0, changed: 0, buried: 0 });
  });

  it("exits 1 if the service refuses the key", async () => {
    const installation = place({ service: { apiKey: "wrong-key-wrong-key" } });
    const { code, stderr } = await command(["sync"], { installation });
    expect(code).toBe(1);
    expect(stderr).toContain("403");
    expect(stderr).not.toContain("wrong-key-wrong-key");
  });
});

describe("apply", () => {
  const milestone = calendar(
    "BEGIN:VEVENT",
    "UID:ship-it@example.com",
    "SUMMARY:Ship it",
    "CATEGORIES:Milestone",
    "DTSTART;VALUE=DATE:20270601",
    "END:VEVENT",
  );

  it("shows the plan and stores nothing in a dry run", async () => {
    const installation = place();
    await command(["sync"], { installation });
    const args = ["apply", "-", "--project", String(project())];
    const dry = await command([...args, "--dry-run"], { installation, input: milestone });
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain("would be accepted: create the milestone Ship it, all day ");
    const { stdout } = await command(["edits", "list", "--json"], { installation });
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it("brings the edit into the workspace without a daemon", async () => {
    const installation = place();
    const { configFile, folder } = installation;
    await command(["sync"], { installation });
    const file = join(folder, "new.ics");
    writeFileSync(file, milestone);
    const applied = await dayferry([
      "apply",
      file,
      "--project",
      String(project()),
      "--config",
      configFile,
    ]);
    expect(applied).toMatchObject({ code: 0, stderr: "" });
    const events = rig.sandbox.workspace.events.list(
      { by: owner(), project: project() },
      { view: "milestones" },
    );
    const made = events.filter(({ title }) => title === "Ship it");
    expect(made).toHaveLength(1);
    const { stdout } = await command(["edits", "list"], { installation });
    expect(stdout).toMatch(
      /The account +created the milestone Ship it, .*, by the command line +confirmed in /,
    );
    const undone = await command(["edits", "undo", "1"], { installation });
    expect(undone.stdout).toMatch(/took edit 1 back: deleted Ship it.* +pending/);
    expect(undone.stderr).toContain("It will delete the item.");
    const synced = await command(["sync"], { installation });
    expect(synced.code).toBe(0);
    const left = rig.sandbox.workspace.events.list(
      { by: owner(), project: project() },
      { view: "milestones" },
    );
    expect(left.filter(({ title }) => title === "Ship it")).toEqual([]);
    const again = await command(["edits", "undo", "1"], { installation });
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain("undone already");
  });

  it("exits 1 with line and reason if the file is refused", async () => {
    const installation = place();
    await command(["sync"], { installation });
    const args = ["apply", "-", "--project", String(project())];
    const cut = await command(args, { installation, input: "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n" });
    expect(cut.code).toBe(1);
    expect(cut.stdout).toMatch(/refused: line \d+: /);
    const recurring = calendar(
      "BEGIN:VEVENT",
      "UID:r@example.com",
      "SUMMARY:Daily",
      "DTSTART;VALUE=DATE:20270601",
      "RRULE:FREQ=DAILY",
      "END:VEVENT",
    );
    const refused = await command(args, { installation, input: recurring });
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("refused event");
    const bare = await command(args, { installation, input: calendar() });
    expect(bare.code).toBe(1);
    expect(bare.stdout).toContain("refused: line 1: the calendar has no VEVENT and no VTODO");
  });
});
