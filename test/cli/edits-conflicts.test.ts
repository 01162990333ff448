import { describe, expect, it, onTestFinished } from "vitest";
import { insist } from "../../src/sandbox/work-outcome.ts";
import { calendar } from "../edits/rig.ts";
import { dayferry, serve } from "../support/dayferry.ts";
import { commandRig } from "./command-rig.ts";

const rig = commandRig();
const { place, project, owner } = rig;

/** An event of the workspace whose title and time an edit and somebody else have both changed. */
async function conflicting(options: { readonly daemon: boolean }) {
  const installation = place();
  const { configFile } = installation;
  const { workspace } = rig.sandbox;
  const by = { by: owner(), project: project() };
  const { id } = insist(
    workspace.events.create(by, {
      title: "Review",
      start: "2027-06-10T10:00:00+02:00",
      end: "2027-06-10T11:00:00+02:00",
      all_day: false,
    }),
  );
  const run = (...args: string[]) => dayferry([...args, "--config", configFile]);
  await run("sync");
  const rows = JSON.parse(
    (
      await run(
        "sql",
        `SELECT uid FROM identities WHERE kind = 'event' AND service_id = ${id}`,
        "--json",
      )
    ).stdout,
  );
  const file = calendar(
    "BEGIN:VEVENT",
    `UID:${rows[0].uid}`,
    "SUMMARY:Review",
    "DTSTART;TZID=Europe/Berlin:20270611T090000",
    "DTEND;TZID=Europe/Berlin:20270611T100000",
    "END:VEVENT",
  );
  insist(
    workspace.events.update(
      { ...by, event: id },
      { start: "2027-06-12T15:00:00+02:00", end: "2027-06-12T16:00:00+02:00" },
    ),
  );
  const args = ["apply", "-", "--project", String(project()), "--config", configFile];
  const applied = await dayferry(args, { input: file });
  if (options.daemon) {
    const daemon = await serve(installation);
    onTestFinished(async () => void (await daemon.stop()));
  }
  const start = () => insist(workspace.events.get({ ...by, event: id })).start;
  return { run, applied, start };
}

describe("edits retry of a conflict", () => {
  it.each([
    ["alone", false],
    ["beside a daemon", true],
  ])(
    "%s: names what it would overwrite in local words, and does it only with --force",
    async (_how, daemon) => {
      const { run, applied, start } = await conflicting({ daemon });
      expect(applied.stdout).toContain(
        "When: Thu 10 Jun 2027, 10:00–11:00 (Europe/Berlin) → Fri 11 Jun 2027, 09:00–10:00 (Europe/Berlin)",
      );
      const refused = await run("edits", "retry", "1");
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      for (const words of [
        "Thu 10 Jun 2027, 10:00–11:00 (Europe/Berlin)",
        "Sat 12 Jun 2027, 15:00–16:00 (Europe/Berlin)",
        "Fri 11 Jun 2027, 09:00–10:00 (Europe/Berlin)",
        "--force",
      ]) {
        expect(refused.stderr).toContain(words);
      }
      expect(refused.stderr).not.toMatch(/\{|\dZ/);
      expect(start()).toBe("2027-06-12 15:00");

      const list = (await run("edits", "list")).stdout;
      expect(list).toMatch(/ACCEPTED \(Europe\/Berlin\)/);
      expect(list).toMatch(/update +parked \(conflict\) +Review\n +When: Thu 10 Jun 2027, 10:00/);
      const shown = (await run("edits", "show", "1")).stdout;
      expect(shown).toMatch(/^Edit 1: update event "Review"\n/);
      expect(shown).toContain("in the workspace   Sat 12 Jun 2027, 15:00–16:00 (Europe/Berlin)");
      expect(shown).not.toMatch(/\dZ\b/);
      expect(JSON.parse((await run("edits", "show", "1", "--json")).stdout).createdAt).toMatch(
        /Z$/,
      );

      const forced = await run("edits", "retry", "1", "--force");
      expect(forced.code).toBe(0);
      expect(forced.stderr).toContain("Sat 12 Jun 2027, 15:00–16:00 (Europe/Berlin)");
      if (!daemon) await run("sync");
      await expect.poll(start, { timeout: 10_000 }).toBe("2027-06-11 09:00");
    },
    180_000,
  );
});
