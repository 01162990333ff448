import type { MailConfig } from "../config/config.ts";
import { troubleWords } from "../domain/trouble.ts";
import { broken, doubtful, type Finding } from "./finding.ts";
import { localTime } from "./terminal-text.ts";

/** How mails fare, as the ledger says it and `/api/status` repeats it; `at` as an instant's text there. */
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

/** Tells what waits, and who got nothing in the last 30 days; empty where all went well. */
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

/** Tells whether mails that go out name a sender that nobody can have. Source: RFC 2606 3. */
export function senderFindings({
  smtpUrl,
  from,
}: Pick<MailConfig, "smtpUrl" | "from">): readonly Finding[] {
  if (smtpUrl === null || !/[@.]example(?:\.(?:com|net|org))?$/i.test(from.address)) return [];
  return [
    broken("mail sender", {
      what: `mails would come from ${from.address}, an address for examples that servers refuse`,
      remedy: "set mail.from to an address that the mail server lets you send from",
    }),
  ];
}
