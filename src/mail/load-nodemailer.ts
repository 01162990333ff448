import { nextTurn } from "../runtime.ts";

/** Loads nodemailer with the first mail, because many daemons never send one. */
export async function loadNodemailer(): Promise<typeof import("nodemailer")> {
  await nextTurn();
  const nodemailer = await import("nodemailer");
  await nextTurn();
  return nodemailer;
}
