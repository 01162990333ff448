/**
 * The kinds of mail that a person can turn off. A reminder of a milestone is always a milestone mail, whatever requested
 * it.
 */
export const mailKinds = [
  "events",
  "milestones",
  "tasks",
  "overdue",
  "digest",
  "notices",
  "invitations",
  "alarms",
] as const;
export type MailKind = (typeof mailKinds)[number];

/** Which kinds a person gets. */
export type MailWishes = Readonly<Record<MailKind, boolean>>;

/** Default for people who have chosen nothing. */
export const everyMailKind: MailWishes = {
  events: true,
  milestones: true,
  tasks: true,
  overdue: true,
  digest: true,
  notices: true,
  invitations: true,
  alarms: true,
};

/** Kinds that people get only if they choose them; `alarms` are a part of invitations. */
export const optInKinds: readonly MailKind[] = ["invitations", "alarms"];

/** What people can turn off: one kind, or all mail. */
export const mailChoices = [...mailKinds, "all"] as const;
export type MailChoice = (typeof mailChoices)[number];

export const isMailChoice = (text: string): text is MailChoice =>
  mailChoices.some((choice) => choice === text);
