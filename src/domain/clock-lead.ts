/** A larger difference comes from something other than a clock, such as a proxy's Date header. */
const longestLeadHours = 24;

const none = Temporal.Duration.from({ seconds: 0 });

/** How far this machine's clock is ahead of the service's, from the Date of the last response; zero if unknown. */
export const credibleLead = (lead: Temporal.Duration | null): Temporal.Duration =>
  lead && Math.abs(lead.total("hours")) < longestLeadHours ? lead : none;

/** Converts a moment of this machine's clock to the service's. */
export const atService = (
  moment: Temporal.Instant,
  lead: Temporal.Duration | null,
): Temporal.Instant => moment.subtract(credibleLead(lead));
