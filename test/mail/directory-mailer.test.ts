import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDirectoryMailer } from "../../src/mail/directory-mailer.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import { sample, startMailServer } from "./support.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dayferry-mail-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("createDirectoryMailer()", () => {
  test("makes the folder when it does not exist", async () => {
    const directory = join(folder, "data/mail");
    const mailer = createDirectoryMailer(directory);
    const delivery = await mailer.send(sample);
    const [file = ""] = readdirSync(directory);
    expect(file).toMatch(/^2026-11-21T081500Z-[0-9a-f]{32}\.eml$/);
    expect(delivery).toEqual({ kind: "sent", response: `written to ${file}` });
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    expect(await PostalMime.parse(readFileSync(join(directory, file)))).toMatchObject({
      from: { name: "Dayferry", address: "dayferry@example.com" },
      subject: "Tomorrow: Launch",
      messageId: "<reminder-1@dayferry.example>",
      text: "Launch is due tomorrow.\n",
    });
  });

  test("writes the same mail once, whether repeated later or at once", async () => {
    const mailer = createDirectoryMailer(folder);
    const date = sample.date.add({ hours: 1 });
    await Promise.all([
      mailer.send(sample),
      mailer.send({ ...sample, date, messageId: "reminder-1@dayferry.example", text: "again" }),
      mailer.send({ ...sample, messageId: "<other@dayferry.example>" }),
    ]);
    await createDirectoryMailer(folder).send({ ...sample, date, text: "at last" });
    const files = readdirSync(folder);
    expect(files).toHaveLength(2);
    const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
    expect(texts.filter((text) => text.includes("at last"))).toHaveLength(1);
  });

  test("writes the octets that a mail server would get", async () => {
    const server = await startMailServer();
    const smtp = createSmtpMailer({
      url: `smtp://127.0.0.1:${server.port}`,
      password: null,
      timeout: Temporal.Duration.from("PT3S"),
    });
    try {
      const mail = {
        ...sample,
        subject: "Größe 🎉",
        html: "<p>Größe</p>",
        text: "Größe\n.\n..dots\nFrom here",
        calendar: { content: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", method: "PUBLISH" as const },
      };
      await smtp.send(mail);
      await createDirectoryMailer(folder).send(mail);
      const [file = ""] = readdirSync(folder);
      const written = readFileSync(join(folder, file), "utf8").trimEnd();
      expect(written).toBe(server.received[0]?.octets.toString().trimEnd());
      expect(written.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    } finally {
      smtp.close();
      await server.close();
    }
  });

  test("reports a folder that cannot be made", async () => {
    writeFileSync(join(folder, "file"), "");
    const mailer = createDirectoryMailer(join(folder, "file/mail"));
    expect(await mailer.send(sample)).toMatchObject({
      kind: "deferred",
      code: null,
      message: expect.stringContaining("cannot be written"),
    });
    expect(await mailer.verify()).toContain("cannot be written");
  });

  test("reports an impossible address", async () => {
    const mailer = createDirectoryMailer(folder);
    const delivery = await mailer.send({ ...sample, to: { name: "x", address: "x\r\ny@z" } });
    expect(delivery).toMatchObject({ kind: "rejected", code: null });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("leaves nothing behind after verify()", async () => {
    const mailer = createDirectoryMailer(folder);
    expect(await mailer.verify()).toBe(null);
    expect(readdirSync(folder)).toEqual([]);
    mailer.close();
  });
});
