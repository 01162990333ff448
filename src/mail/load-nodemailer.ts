import { nextTurn } from "../runtime.ts";

/** What writes mails and sends them, for the first mail: many a daemon never sends one. To load it takes a turn of its own. */
export async function loadNodemailer(): Promise<typeof import("nodemailer")> {
  await nextTurn();
  const nodemailer = await import("nodemailer");
  await nextTurn();
  return nodemailer;
}
