import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDirectoryMailer } from "../../src/mail/directory-mailer.ts";
import { openOutbox } from "../../src/mail/outbox.ts";
import { testDirectory } from "../support/test-store.ts";

const mail = {
  from: { name: "Dayferry", address: "dayferry@example.com" },
  to: { name: "Zoë Ångström", address: "zoe@example.com" },
  subject:
    "Übergabe: „Größe“ – 日本語 and so on, long enough to be folded into several words of a header",
  text: "Ein sehr langer Satz = mit Umlauten äöü, der umgebrochen wird, damit er in Zeilen passt.\n.\nEnde\n",
  html: '<p style="margin:0">Größe &lt; 3 = <a href="https://a.example/?a=b&amp;c=d">日本</a></p>\n',
  calendar: null,
  messageId: "<one@example.com>",
  date: Temporal.Instant.from("2026-11-22T10:00:00Z"),
  headers: {},
};

describe("openOutbox()", () => {
  it("reads what the mailer has written", async () => {
    const directory = testDirectory();
    const calendar = {
      content: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
      method: "PUBLISH",
    } as const;
    const mailer = createDirectoryMailer(directory);
    await mailer.send({ ...mail, calendar });
    await mailer.send({
      ...mail,
      messageId: "<two@example.com>",
      html: null,
      date: mail.date.add({ hours: 1 }),
    });
    const outbox = openOutbox({ directory });
    const [newest, first] = await outbox.list(10);
    expect(first).toMatchObject({ subject: mail.subject, date: mail.date });
    expect(first?.to).toContain("Zoë Ångström");
    const read = await outbox.read(first?.file ?? "");
    expect(read?.text.trim()).toBe(mail.text.trim());
    expect(read?.html?.trim()).toBe(mail.html.trim());
    expect((await outbox.read(newest?.file ?? ""))?.html).toBeNull();
    expect(await outbox.list(1)).toHaveLength(1);
  });

  it("reads what can be read of a damaged mail, and null of anything else", async () => {
    const directory = testDirectory();
    writeFileSync(join(directory, "note.txt"), "x");
    writeFileSync(join(directory, "empty.eml"), "");
    writeFileSync(
      join(directory, "odd.eml"),
      'Content-Type: multipart/mixed; boundary="x"\r\nSubject: =?nonsense?q?a=E9?=\r\n\r\n--x\r\n',
    );
    mkdirSync(join(directory, "folder.eml"));
    const outbox = openOutbox({ directory });
    for (const none of ["note.txt", "../note.txt", "missing.eml", "folder.eml", ".hidden.eml"]) {
      expect(await outbox.read(none)).toBeNull();
    }
    expect(await outbox.read("empty.eml")).toMatchObject({ subject: "", text: "", html: null });
    expect(await outbox.read("odd.eml")).toMatchObject({ subject: "aé", html: null });
    expect(await openOutbox({ directory: join(directory, "nowhere") }).list(5)).toEqual([]);
  });

  it("ignores a link and a pipe among the mails", async () => {
    const directory = testDirectory();
    const elsewhere = join(testDirectory(), "secret.eml");
    writeFileSync(elsewhere, "Subject: elsewhere\r\n\r\nsecret");
    symlinkSync(elsewhere, join(directory, "link.eml"));
    execFileSync("sh", ["-c", `mkfifo "$0"`, join(directory, "pipe.eml")]);
    const outbox = openOutbox({ directory });
    expect(await outbox.list(10)).toEqual([]);
    expect(await outbox.read("link.eml")).toBeNull();
    expect(await outbox.read("pipe.eml")).toBeNull();
  });
});
