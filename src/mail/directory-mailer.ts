import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SendMailOptions } from "nodemailer";
import { fingerprint } from "../domain/fingerprint.ts";
import { messageOf } from "../domain/result.ts";
import { stored } from "../texts/stored.ts";
import { loadNodemailer } from "./load-nodemailer.ts";
import type { Delivery, Mail, Mailer } from "./mail.ts";
import { bareMessageId, toMessage } from "./message.ts";

/**
 * Writes each mail as `<date>-<hash of the Message-ID>.eml` into a folder, with the octets that a mail server would get. A
 * repeated Message-ID replaces its file. Creates the folder if missing, readable by its owner only.
 */
export function createDirectoryMailer(directory: string): Mailer {
  // Deliveries run one after another, so that the second delivery of a mail finds the file of the first.
  let last: Promise<unknown> = Promise.resolve();
  return {
    async send(mail) {
      const message = toMessage(mail);
      if (!message.ok) return { kind: "rejected", code: null, message: message.failure };
      const octets = await render(message.value);
      const delivery = last.then(() => deliver({ directory, mail, octets }));
      last = delivery;
      return delivery;
    },
    async verify() {
      try {
        await makeFolder(directory);
        await writeWhole(join(directory, `.probe-${process.pid}`), "");
        await rm(join(directory, `.probe-${process.pid}`), { force: true });
        return null;
      } catch (error) {
        return stored("problem.mail.folder", { folder: directory, reason: messageOf(error) });
      }
    },
    close: () => undefined,
  };
}

/** The mail as a server would get it. */
async function render(message: SendMailOptions): Promise<Octets> {
  const { createTransport } = await loadNodemailer();
  const renderer = createTransport({
    streamTransport: true,
    buffer: true,
    newline: "windows",
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return (await renderer.sendMail(message)).message;
}

type Octets = Parameters<Awaited<ReturnType<typeof open>>["writeFile"]>[0];

async function deliver(from: {
  readonly directory: string;
  readonly mail: Mail;
  readonly octets: Octets;
}): Promise<Delivery> {
  const { directory, mail, octets } = from;
  const temporary = join(directory, `.${process.pid}.tmp`);
  try {
    await makeFolder(directory);
    await writeWhole(temporary, octets);
    const file = await fileNameFor(mail, directory);
    await rename(temporary, join(directory, file));
    return { kind: "sent", response: `written to ${file}` };
  } catch (error) {
    // In a read-only folder, deletion fails as well. The next delivery overwrites the file.
    await rm(temporary, { force: true }).catch(() => undefined);
    const reason = messageOf(error);
    const message = stored("problem.mail.file", { folder: directory, reason });
    return { kind: "deferred", code: null, message };
  }
}

/** A repeated mail may have a later date. It is recognized by the hash, and its file keeps its name. */
async function fileNameFor(mail: Mail, directory: string): Promise<string> {
  const ending = `-${fingerprint(bareMessageId(mail.messageId))}.eml`;
  const earlier = (await readdir(directory)).find((name) => name.endsWith(ending));
  if (earlier !== undefined) return earlier;
  const date = mail.date.toString({ smallestUnit: "second" }).replaceAll(":", "");
  return `${date}${ending}`;
}

async function makeFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
}

async function writeWhole(path: string, octets: Octets): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(octets);
    await file.sync();
  } finally {
    await file.close();
  }
}
