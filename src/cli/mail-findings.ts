import type { MailConfig } from "../config/config.ts";
import { troubleWords } from "../domain/trouble.ts";
import { broken, doubtful, type Finding } from "./finding.ts";
import { localTime } from "./terminal-text.ts";

/** State of mails as in `/api/status`; `at` as text. */
export interface ReportedMailState {
  readonly deferred: number;
  readonly problem: string | null;
  readonly refusals: readonly {
    readonly address: string | null;
    readonly code: number | null;
    readonly problem: string;
    readonly mails: number;
    readonly at: Temporal.Instant | string;
  }[];
}

/** What waits, and who got nothing in the last 30 days; empty if all is well. */
export function mailFindings(
  { deferred, problem, refusals }: ReportedMailState,
  zone: string,
): readonly Finding[] {
  const { what, remedy } = troubleWords({
    kind: "mail-failing",
    waiting: deferred,
    problem: problem ?? "for now",
  });
  const waiting = doubtful("mail queue", { what, remedy });
  return [
    ...(deferred > 0 ? [waiting] : []),
    ...refusals.map(({ address, code, problem: why, mails, at }) =>
      doubtful(`mail to ${address ?? "an unknown address"}`, {
        what: `${mails} not taken${code === null ? "" : ` (code ${code})`}, the last on ${localTime(String(at), zone)} (${zone}): ${why}`,
        remedy: 'correct the address in the workspace or in "people"',
      }),
    ),
  ];
}

/** Reports a sender address that cannot exist. Source: RFC 2606 3. */
export function senderFindings({
  smtpUrl,
  from,
}: Pick<MailConfig, "smtpUrl" | "from">): readonly Finding[] {
  if (smtpUrl === null || !/[@.]example(?:\.(?:com|net|org))?$/i.test(from.address)) return [];
  return [
    broken("mail sender", {
      what: `mails would come from ${from.address}, an example address that servers reject`,
      remedy: "set mail.from to an address the mail server accepts",
    }),
  ];
}
