import { nextTurn } from "../runtime.ts";

/** Loads nodemailer for the first mail, as many daemons never send one. Loading takes a turn of its own. */
export async function loadNodemailer(): Promise<typeof import("nodemailer")> {
  await nextTurn();
  const nodemailer = await import("nodemailer");
  await nextTurn();
  return nodemailer;
}
