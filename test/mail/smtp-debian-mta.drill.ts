import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Mail, Mailer } from "../../src/mail/mail.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import { eventually } from "../support/eventually.ts";
import { sample } from "./support.ts";

const program = "/usr/sbin/exim4";
const isThere = existsSync(program);
if (!isThere) {
  process.stderr.write(
    `test/mail/smtp-debian-mta.drill.ts: SKIPPED, as ${program} is not installed (exim4-daemon-light)\n`,
  );
}

/**
 * A relay that delivers everything into one Maildir, does not know the recipient gone, and defers the recipient later.
 */
function configuration(folder: string, port: number): string {
  return `
primary_hostname = relay.example.com
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%slog
pid_file_path = ${folder}/exim.pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
domainlist local_domains = example.com
acl_smtp_rcpt = check_recipient
acl_smtp_data = check_message
host_lookup =
keep_environment =
recipients_max = 10
begin acl
check_recipient:
  deny local_parts = gone
       message = 5.1.1 no such user
  defer local_parts = later
       message = 4.7.1 greylisted, try again
  accept domains = +local_domains
  deny message = relay not permitted
check_message:
  deny condition = \${if !def:h_Message-ID: {yes}{no}}
       message = no Message-ID
  deny !verify = header_syntax
       message = header syntax
  accept
begin routers
everybody:
  driver = accept
  transport = box
begin transports
box:
  driver = appendfile
  directory = ${folder}/box
  maildir_format
  ${process.getuid?.() === 0 ? "user = Debian-exim" : ""}
begin retry
* * F,1h,1m
`;
}

describe.skipIf(!isThere)("send() through Debian's exim4", () => {
  let folder = "";
  let daemon: ChildProcess | null = null;
  let port = 0;
  const mailers: Mailer[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "exim-"));
    for (const name of ["spool", "log", "box"]) mkdirSync(join(folder, name));
    // It drops its rights before it writes.
    for (const name of ["", "spool", "log", "box"]) chmodSync(join(folder, name), 0o777);
    port = await freePort();
    const file = join(folder, "exim.conf");
    writeFileSync(file, configuration(folder, port), { mode: 0o644 });
    daemon = spawn(program, ["-C", file, "-bdf"], { stdio: "ignore" });
    await eventually("exim4 listens", () => listens(port));
  });

  afterAll(async () => {
    for (const mailer of mailers) mailer.close();
    if (daemon) {
      const ended = once(daemon, "exit");
      daemon.kill("SIGTERM");
      await ended;
    }
    // Each delivery is a separate process, which may still write its last lines after the daemon has ended.
    await rm(folder, { recursive: true, force: true, maxRetries: 100, retryDelay: 2 });
  });

  const send = (fields: Partial<Mail>, query = "?ignoreTLS=true") => {
    const url = `smtp://127.0.0.1:${port}${query}`;
    const timeout = Temporal.Duration.from({ seconds: 10 });
    const mailer = createSmtpMailer({ url, password: null, timeout });
    mailers.push(mailer);
    return mailer.send({ ...sample, ...fields });
  };

  it("delivers a whole mail as it was written", async () => {
    const delivery = await send({
      subject: "Überfällig: Ποσό 📅 – was due Mon 23 Nov 2026",
      html: '<p dir="auto">Größe</p>',
      calendar: { content: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", method: "PUBLISH" },
      headers: {
        "List-Unsubscribe": `<https://dates.example.com/unsubscribe/${"A".repeat(32)}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      },
    });
    expect(delivery).toMatchObject({ kind: "sent" });
    const box = join(folder, "box", "new");
    const file = await eventually("the mail is delivered", () =>
      existsSync(box) ? (readdirSync(box)[0] ?? null) : null,
    );
    const octets = readFileSync(join(box, file));
    const mail = await PostalMime.parse(octets);
    expect(mail.subject).toBe("Überfällig: Ποσό 📅 – was due Mon 23 Nov 2026");
    expect(mail.messageId).toBe(sample.messageId);
    expect(mail.html).toContain("Größe");
    expect(mail.attachments.map(({ mimeType }) => mimeType)).toContain("text/calendar");
    const headers = new Map(mail.headers.map(({ key, value }) => [key, value]));
    expect(headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    expect(headers.get("list-unsubscribe")).toMatch(/^<https:\S+>$/);
    expect(headers.get("auto-submitted")).toBe("auto-generated");
  });

  it("goes unencrypted on the same machine, and by STARTTLS where its certificate is trusted", async () => {
    const messageId = "<by-starttls@dayferry.example>";
    expect(await send({ messageId }, "")).toMatchObject({ kind: "deferred", code: null });
    const trusting = await send({ messageId }, "?tls.rejectUnauthorized=false&requireTLS=true");
    expect(trusting).toMatchObject({ kind: "sent" });
  });

  it.each([
    ["gone@example.com", "rejected", 550],
    ["later@example.com", "deferred", 451],
    ["ana@elsewhere.example", "rejected", 550],
  ])("to %s is %s", async (address, kind, code) => {
    const delivery = await send({ to: { name: "", address } });
    expect(delivery).toMatchObject({ kind, code });
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

function listens(port: number): Promise<true | null> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(null));
  });
}
