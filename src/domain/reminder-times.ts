/** When people are reminded of milestones and tasks, and get their digest. Times of day are in the reader's time zone. */
export interface ReminderTimes {
  /** Leads before the first day of a milestone, and before the due day of a task. */
  readonly milestones: readonly Temporal.Duration[];
  readonly tasks: readonly Temporal.Duration[];
  /** Time of day from which those days are counted back. */
  readonly at: Temporal.PlainTime;
  /** Null as long as no digests are configured. */
  readonly digestAt: Temporal.PlainTime | null;
}
