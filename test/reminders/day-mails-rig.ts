import { aMailer, anInbox, aRig, leads, type RigOptions } from "./rig.ts";

const everything = {
  milestones: leads("P7D", "P1D"),
  tasks: leads("P1D"),
  overdue: true,
} as const;

/** Reminders of everything but digests, with a mail server. */
export async function started(now: string, options: Partial<RigOptions> = {}) {
  const inbox = await anInbox();
  const mailer = aMailer(inbox);
  return { inbox, mailer, rig: aRig({ mailer, now, mails: everything, ...options }) };
}
