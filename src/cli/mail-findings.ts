import type { MailConfig } from "../config/config.ts";
import type { Finding } from "./examination.ts";
import { localTime } from "./local-time.ts";

/** How mails fare, as the ledger says it and `/api/status` repeats it; `at` as an instant's text there. */
export interface MailFares {
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

/** What waits, and who got nothing in the last 30 days; empty where all went well. */
export function mailFindings(
  { deferred, problem, refusals }: MailFares,
  zone: string,
): readonly Finding[] {
  const waiting: Finding = {
    verdict: "doubtful",
    subject: "mail queue",
    what: `${deferred} ${deferred === 1 ? "mail waits" : "mails wait"} for another try: ${problem ?? "for now"}`,
    remedy: "they are tried again by themselves",
  };
  return [
    ...(deferred > 0 ? [waiting] : []),
    ...refusals.map(
      ({ address, code, problem: why, mails, at }): Finding => ({
        verdict: "doubtful",
        subject: `mail to ${address ?? "an unknown address"}`,
        what: `${mails} not taken${code === null ? "" : ` (code ${code})`}, the last on ${localTime(String(at), zone)} (${zone}): ${why}`,
        remedy: 'correct the address in the workspace or in "people"',
      }),
    ),
  ];
}

/** Whether mails that go out name a sender that nobody can have. Source: RFC 2606 3. */
export function senderFindings({ smtpUrl, from }: Pick<MailConfig, "smtpUrl" | "from">) {
  if (smtpUrl === null || !/[@.]example(?:\.(?:com|net|org))?$/i.test(from.address)) return [];
  const what = `mails would come from ${from.address}, an address for examples that servers refuse`;
  const remedy = "set mail.from to an address that the mail server lets you send from";
  return [{ verdict: "broken", subject: "mail sender", what, remedy } satisfies Finding];
}
