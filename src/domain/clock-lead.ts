/** A machine whose clock is off by more speaks to no service; what says so, as a proxy's header may, is no clock. */
const longestLeadHours = 24;

const none = Temporal.Duration.from({ seconds: 0 });

/** By how much this machine's clock is ahead of the service's, by the Date of its last answer; zero where that is not known. */
export const credibleLead = (lead: Temporal.Duration | null): Temporal.Duration =>
  lead && Math.abs(lead.total("hours")) < longestLeadHours ? lead : none;

/** A moment of this machine's clock, by the service's. */
export const atService = (
  moment: Temporal.Instant,
  lead: Temporal.Duration | null,
): Temporal.Instant => moment.subtract(credibleLead(lead));
