import { fingerprint } from "../domain/fingerprint.ts";
import type { MailKey } from "../store/mails/ledger.ts";

/**
 * The Message-ID of a mail that tells one thing: the same for the same thing, also after a restart, and not to be guessed
 * from outside. `uid` is that of the item, "" where there is none.
 */
export function messageIdOf(
  { kind, occurrence, lead, person }: MailKey,
  { uid, installation }: { readonly uid: string; readonly installation: string },
): string {
  // Events' own reminders were there first, and are named without their kind.
  const sort = kind === "reminder" ? [] : [kind];
  const parts = [installation, ...sort, uid, occurrence, lead, person];
  return `<${fingerprint(JSON.stringify(parts))}@${installation}>`;
}
