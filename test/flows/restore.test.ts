import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { install } from "../support/dayferry.ts";
import { rows } from "../support/effort.ts";
import { eventually } from "../support/eventually.ts";
import { command, serveHere } from "../support/in-process.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

// A backup is restored while a calendar program continues, and the workspace has changed since.

describe("a restore", () => {
  const places = [
    { over: "nothing, as on another machine", isFresh: true },
    { over: "the database that was there", isFresh: false },
  ];

  it.each(rows(places, 2))(
    "over $over refuses old tokens, creates nothing twice and deletes nothing",
    async ({ isFresh }) => {
      const rig = await startRig();
      const { sandbox, place, file } = rig;
      let daemon = await serveHere(place);
      const program = await rig.program(daemon.url);
      await program.put("before.ics", "Before the backup");
      await rig.quiet();
      const token = await program.token();
      sandbox.faults.add({
        kind: "status",
        status: 503,
        method: "POST",
        path: /calendar_events/,
        times: 100_000,
      });
      await program.put("waits.ics", "Waits in the backup");

      const made = await command(["backup", file, "--passphrase-file", "-"], {
        installation: place,
        daemon,
        input: "open sesame\n",
      });
      expect(made).toMatchObject({ code: 0 });
      sandbox.faults.clear();
      await program.put("after.ics", "After the backup");
      await program.put("before.ics", "Renamed after the backup");
      const expected = ["After the backup", "Renamed after the backup", "Waits in the backup"];
      await eventually("all is in the workspace", () =>
        rig.titles().join() === expected.join() ? true : null,
      );
      await rig.quiet();
      const gone = await program.put("gone.ics", "Made and deleted after the backup");
      expect(gone.status).toBe(201);
      await eventually("it is there", () => (rig.titles().length === 4 ? true : null));
      await program.ask("DELETE", "gone.ics");
      await eventually("it is gone", () => (rig.titles().length === 3 ? true : null));
      const sequence = sequenceIn(await (await program.ask("GET", "before.ics")).text());

      const refused = await command(["restore", file], { installation: place, daemon });
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.stderr).toContain("stop the daemon");
      await daemon.stop();
      if (isFresh) rmSync(place.dataDir, { recursive: true });
      const restored = await command(["restore", file, "--passphrase-file", "-"], {
        installation: place,
        input: "open sesame\n",
      });
      expect(restored).toMatchObject({ code: 0 });
      expect(restored.stderr).toContain("checked in the workspace");

      daemon = await serveHere(place);
      program.moveTo(daemon.url);
      const answer = await program.sync(token);
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain("valid-sync-token");
      await eventually("nothing waits any more", () => {
        const { pending = 0, claimed = 0 } = daemon.modules.store.journal.counts();
        return pending + claimed === 0 ? true : null;
      });
      await eventually("all that the service has is shown", async () => {
        const listed = await (await program.sync("")).text();
        return listed.match(/<d:getetag>|getetag/g)?.length ? true : null;
      });
      expect(rig.titles()).toEqual(expected);
      const now = await (await program.ask("GET", "before.ics")).text();
      expect(now).toContain("SUMMARY:Renamed after the backup");
      expect(sequenceIn(now)).toBeGreaterThan(sequence);
      // The contents of the keys are back: the same feeds and the same token.
      expect(existsSync(join(place.dataDir, "feed-key"))).toBe(true);
      expect(daemon.modules.store.rounds.isReconciling()).toBe(false);
      await daemon.stop();
    },
  );
});

async function startRig() {
  const sandbox = await testSandbox();
  onTestFinished(() => sandbox.close());
  const place = install(sandbox);
  onTestFinished(place.dispose);
  const owner = ownerOf(sandbox);
  const project = sandbox.workspace.places()[0]?.project ?? 0;
  const events = () => sandbox.workspace.events.list({ by: owner, project }, { view: "all" });
  return {
    sandbox,
    place,
    file: join(place.folder, "backup.tar.gz"),
    titles: () =>
      events()
        .map(({ title }) => title)
        .toSorted(),
    async quiet() {
      await eventually("it is in the workspace", () => (events().length > 0 ? true : null));
    },
    async program(url: string) {
      const set = await command(["people", "set-password", String(owner), "--json"], {
        installation: place,
        daemon: { url, adminToken: tokenOf(place.dataDir) },
      });
      const { password } = JSON.parse(set.stdout);
      const login = `Basic ${Buffer.from(`${owner}:${password}`).toString("base64")}`;
      let base = url;
      const at = (name: string) => `${base}/dav/calendars/${owner}/events-${project}/${name}`;
      const ask = (method: string, name: string, body?: string, headers = {}) =>
        fetch(at(name), {
          method,
          headers: { authorization: login, "content-type": "text/calendar", ...headers },
          ...(body !== undefined && { body }),
        });
      const sync = (token: string) =>
        ask(
          "REPORT",
          "",
          `<d:sync-collection xmlns:d="DAV:"><d:sync-token>${token}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>`,
          { "content-type": "application/xml" },
        );
      return {
        ask,
        sync,
        moveTo(other: string) {
          base = other;
        },
        put: (name: string, title: string) => ask("PUT", name, eventOf(name, title)),
        async token() {
          const text = await (await sync("")).text();
          return /urn:dayferry:sync:[^<]+/.exec(text)?.[0] ?? "";
        },
      };
    },
  };
}

const tokenOf = (dataDir: string): string =>
  readFileSync(join(dataDir, "admin-token"), "utf8").trim();

const sequenceIn = (text: string): number => Number(/SEQUENCE:(\d+)/.exec(text)?.[1] ?? -1);

const eventOf = (name: string, title: string) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Example//Test//EN",
    "BEGIN:VEVENT",
    `UID:${name}@example.com`,
    "DTSTAMP:20261121T090000Z",
    `SUMMARY:${title}`,
    "DTSTART;VALUE=DATE:20270401",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
