/** The kinds of mail that a person can do without. A reminder of a milestone is one of milestones, whatever asked for it. */
export const mailKinds = ["events", "milestones", "tasks", "overdue", "digest", "notices"] as const;
export type MailKind = (typeof mailKinds)[number];

/** Which kinds somebody is to get. */
export type MailWishes = Readonly<Record<MailKind, boolean>>;

/** For who has never said otherwise. */
export const everyMailKind: MailWishes = {
  events: true,
  milestones: true,
  tasks: true,
  overdue: true,
  digest: true,
  notices: true,
};

/** What people can turn off: one kind, or every mail. */
export const mailChoices = [...mailKinds, "all"] as const;
export type MailChoice = (typeof mailChoices)[number];

/** What a kind is called in a sentence: "reminders of events". */
export const mailKindWords: Readonly<Record<MailKind, string>> = {
  events: "reminders of events",
  milestones: "reminders of milestones",
  tasks: "reminders of tasks",
  overdue: "mails about what is overdue",
  digest: "the digest",
  notices: "notices about edits that need a decision",
};

export const isMailChoice = (text: string): text is MailChoice =>
  mailChoices.some((choice) => choice === text);
