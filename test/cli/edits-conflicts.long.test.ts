import { expect, it, onTestFinished } from "vitest";
import type { DaemonAddress } from "../../src/cli/command-host.ts";
import { calendar } from "../edits/rig.ts";
import { command, serveHere } from "../support/in-process.ts";
import { commandRig } from "./command-rig.ts";

const rig = commandRig();
const { place, project, owner } = rig;

/** An event whose title and time were changed both by an edit and by someone else. */
async function conflicting(options: { readonly daemon: boolean }) {
  const installation = place();
  let address: DaemonAddress | null = null;
  const { workspace } = rig.sandbox;
  const by = { by: owner(), project: project() };
  const { id } = workspace.events.create(by, {
    title: "Review",
    start: "2027-06-10T10:00:00+02:00",
    end: "2027-06-10T11:00:00+02:00",
    all_day: false,
  });
  const run = (...args: string[]) => command(args, { installation, daemon: address });
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
  workspace.events.update(
    { ...by, event: id },
    { start: "2027-06-12T15:00:00+02:00", end: "2027-06-12T16:00:00+02:00" },
  );
  const args = ["apply", "-", "--project", String(project())];
  const applied = await command(args, { installation, input: file });
  if (options.daemon) {
    const running = await serveHere(installation);
    onTestFinished(() => running.stop());
    address = { url: running.url, adminToken: running.adminToken };
  }
  const start = () => workspace.events.get({ ...by, event: id }).start;
  return { run, applied, start };
}

it.each([
  ["alone", false],
  ["beside a daemon", true],
])(
  "edits of a conflict %s: shows what it would overwrite, and does it only on confirmation",
  async (_how, daemon) => {
    const { run, applied, start } = await conflicting({ daemon });
    expect(applied.stdout).toContain(
      "When: Thu 10 Jun 2027, 10:00–11:00 (Europe/Berlin) → Fri 11 Jun 2027, 09:00–10:00 (Europe/Berlin)",
    );
    expect(applied.stdout).toContain(
      "accepted as edit 1: moved Review from Thu 10 Jun 2027, 10:00 to Fri 11 Jun 2027, 09:00",
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

    const list = (await run("edits", "list", "--state", "waiting", "--item", "revi")).stdout;
    expect(list).toMatch(/ACCEPTED \(Europe\/Berlin\) +WHO +WHAT +STATE\n/);
    expect(list).toMatch(
      /1 +\d{4}-\d\d-\d\d .* +The account +moved Review from Thu 10 Jun 2027, 10:00 to Fri 11 Jun 2027, 09:00, by the command line +conflict: also changed by someone else/,
    );
    const shown = (await run("edits", "show", "1")).stdout;
    expect(shown).toMatch(/^Edit 1: The account moved Review from Thu 10 Jun 2027/);
    expect(shown).toContain(
      "theirs, in the workspace Sat 12 Jun 2027, 15:00–16:00 (Europe/Berlin)",
    );
    expect(shown).toMatch(/What happened \(Europe\/Berlin\)\n +\S+ \S+ +Accepted from the account/);
    expect(shown).toContain("dayferry edits resolve 1 --keep mine");
    expect(shown).not.toMatch(/\dZ\b/);
    const preview = await run("edits", "resolve", "1", "--keep", "when=theirs", "--dry-run");
    expect(preview.stdout).toContain("The workspace stays unchanged; nothing is sent.");
    const stale = await run("edits", "resolve", "1", "--keep", "mine", "--seen", "0123456789ab");
    expect(stale).toMatchObject({ code: 1, stdout: "" });
    expect(start()).toBe("2027-06-12 15:00");

    const sent = await run("edits", "resolve", "1", "--keep", "When=mine");
    expect(sent.code).toBe(0);
    expect(sent.stderr).toContain("overwrites someone else's change of When");
    expect(sent.stderr).toContain("Sat 12 Jun 2027, 15:00–16:00 (Europe/Berlin)");
    if (!daemon) await run("sync");
    await expect.poll(start).toBe("2027-06-11 09:00");
  },
);

it.each([
  ["alone", false],
  ["beside a daemon", true],
])(
  "edits undo of what somebody has changed since %s: restores or keeps each field as --keep says, and shows that first",
  async (_how, daemon) => {
    const installation = place();
    let address: DaemonAddress | null = null;
    const { workspace } = rig.sandbox;
    const by = { by: owner(), project: project() };
    const [start, end] = ["2027-06-10T10:00:00+02:00", "2027-06-10T11:00:00+02:00"];
    const { id } = workspace.events.create(by, { title: "Review", start, end, all_day: false });
    const there = () => workspace.events.get({ ...by, event: id });
    const run = (...args: string[]) => command(args, { installation, daemon: address });
    await run("sync");
    const query = `SELECT uid FROM identities WHERE kind = 'event' AND service_id = ${id}`;
    const [{ uid }] = JSON.parse((await run("sql", query, "--json")).stdout);
    const input = calendar(
      ...["BEGIN:VEVENT", `UID:${uid}`, "SUMMARY:Retrospective"],
      "DTSTART;TZID=Europe/Berlin:20270611T090000",
      ...["DTEND;TZID=Europe/Berlin:20270611T100000", "END:VEVENT"],
    );
    const file = ["apply", "-", "--project", String(project())];
    await command(file, { installation, input });
    await run("sync");
    expect(there()).toMatchObject({ title: "Retrospective", start: "2027-06-11 09:00" });
    workspace.events.update(
      { ...by, event: id },
      {
        title: "All hands",
        start: "2027-06-12T15:00:00+02:00",
        end: "2027-06-12T16:00:00+02:00",
      },
    );
    await run("sync");
    if (daemon) {
      const running = await serveHere(installation);
      onTestFinished(() => running.stop());
      address = { url: running.url, adminToken: running.adminToken };
    }

    const shown = (await run("edits", "show", "1")).stdout;
    expect(shown).toContain("dayferry edits undo 1");
    expect(shown).toContain("(--dry-run only prints)");
    const preview = await run("edits", "undo", "1", "--dry-run");
    expect(preview.stdout).toContain("All hands");
    expect(preview.stdout).toContain("Sat 12 Jun 2027, 15:00–16:00 (Europe/Berlin)");
    const wrong = await run("edits", "undo", "1", "--keep", "title=yours");
    expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
    expect(there().title).toBe("All hands");

    const undone = await run("edits", "undo", "1", "--keep", "theirs,When=mine");
    expect(undone.code).toBe(0);
    expect(undone.stderr).toContain("All hands");
    if (!daemon) await run("sync");
    await expect.poll(() => there().start).toBe("2027-06-10 10:00");
    expect(there().title).toBe("All hands");
  },
);
