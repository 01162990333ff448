import { cpSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { toPlain } from "../../src/domain/plain-item.ts";
import { migrate } from "../../src/store/migrate.ts";
import { migrations } from "../support/test-store.ts";
import { aMailer, anEvent, anInbox, aRig } from "./rig.ts";

/** A database from before mails had kinds: three events with a reminder for Ana at 08:45. */
function anOldDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), "reminders-"));
  const old = join(folder, "migrations");
  const isOld = (name: string) => /^000[1-8]_/.test(name);
  for (const name of readdirSync(migrations).filter(isOld)) {
    cpSync(join(migrations, name), join(old, name));
  }
  const db = new Database(join(folder, "dayferry.sqlite"));
  migrate(db, old);
  const known = "2026-11-01T00:00:00Z";
  for (const index of [1, 2, 3]) {
    const event = anEvent({ id: serviceId(500 + index), title: `Event ${index}` });
    const content = JSON.stringify(toPlain(event));
    db.prepare("INSERT INTO identities VALUES (?, 'event', ?, ?, 0, ?, ?)").run(
      index,
      event.id,
      `event-${event.id}@old.dayferry`,
      known,
      known,
    );
    db.prepare("INSERT INTO mirror_items VALUES (?, 'events:2001', ?, 0, NULL)").run(
      index,
      content,
    );
    db.prepare(
      "INSERT INTO view_items (item, collection, content) VALUES (?, 'events:2001', ?)",
    ).run(index, content);
  }
  const mail = db.prepare(
    "INSERT INTO mails VALUES (?, '2026-11-24T09:00:00Z', 'PT15M', 11, ?, ?, 1, ?, NULL, ?, NULL)",
  );
  const claimed = "2026-11-24T08:45:00.000Z";
  mail.run(1, "sent", "<sent@old.dayferry>", null, claimed);
  mail.run(2, "deferred", "<deferred@old.dayferry>", "2026-11-24T08:46:00.000Z", claimed);
  mail.run(3, "claimed", "<claimed@old.dayferry>", null, claimed);
  db.close();
  return folder;
}

it("step() on a database of the previous schema repeats nothing but what was begun, under its old Message-ID", async () => {
  const inbox = await anInbox();
  const rig = aRig({
    mailer: aMailer(inbox),
    now: "2026-11-24T08:45:30Z",
    folder: anOldDatabase(),
  });
  await rig.run();
  expect(inbox.mails.map(({ mail }) => mail.messageId)).toEqual(["<claimed@old.dayferry>"]);
  await rig.run("2026-11-24T08:46:00Z");
  rig.restart();
  rig.advance({ hours: 1 });
  await rig.run();
  expect(inbox.mails.map(({ mail }) => mail.messageId)).toEqual([
    "<claimed@old.dayferry>",
    "<deferred@old.dayferry>",
  ]);
  expect(rig.store.ledger.state()).toMatchObject({ sent: 3, deferred: 0, rejected: 0 });
});
