import { setImmediate } from "node:timers/promises";

/** What writes mails and sends them, for the first mail: many a daemon never sends one. To load it takes a turn of its own. */
export async function loadNodemailer(): Promise<typeof import("nodemailer")> {
  await setImmediate();
  const nodemailer = await import("nodemailer");
  await setImmediate();
  return nodemailer;
}
