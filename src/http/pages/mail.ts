import type { PersonId } from "../../domain/ids.ts";
import { mailKindWords } from "../../domain/mail-kind.ts";
import type { Refusal } from "../../store/mails/ledger.ts";
import type { OffChoice } from "../../store/mails/mail-choices.ts";
import { html, type Markup } from "./html.ts";
import { moment } from "./words.ts";

export interface MailListData {
  readonly deferred: number;
  readonly problem: string | null;
  readonly refusals: readonly Refusal[];
  readonly turnedOff: readonly OffChoice[];
}

/** Which addresses refuse mails and who has turned some off; nothing where all is well. */
export function mailList(
  { deferred, problem, refusals, turnedOff }: MailListData,
  { names, zone }: { readonly names: ReadonlyMap<PersonId, string>; readonly zone: string },
): Markup | null {
  if (deferred === 0 && refusals.length === 0 && turnedOff.length === 0) return null;
  const who = (person: PersonId | null) =>
    person === null ? "unknown" : (names.get(person) ?? `person ${person}`);
  const waiting =
    deferred > 0
      ? html`<p>${deferred} ${deferred === 1 ? "mail waits" : "mails wait"} for another try${problem === null ? "" : `: ${problem}`}</p>`
      : null;
  const rows = refusals.map(
    (
      refusal,
    ) => html`<tr><td><bdi>${who(refusal.person)}</bdi></td><td class="address">${refusal.address ?? ""}</td>
<td class="number">${refusal.code}</td><td><bdi>${refusal.problem}</bdi>${refusal.mails > 1 ? ` (${refusal.mails} mails)` : ""}</td><td>${moment(refusal.at, zone)}</td></tr>`,
  );
  const table =
    rows.length > 0
      ? html`<p>Not taken in the last 30 days:</p><div class="wide"><table><thead><tr><th>Person</th><th>Address</th><th>Code</th><th>Why</th><th>Last</th></tr></thead><tbody>${rows}</tbody></table></div>`
      : null;
  const off = turnedOff.map(
    ({ person, choice, offAt }) =>
      html`<li><bdi>${who(person)}</bdi>: ${choice === "all" ? "every mail" : mailKindWords[choice]}, since ${moment(offAt, zone)}</li>`,
  );
  return html`<h2 id="mail">Mail</h2>${waiting}${table}${
    off.length > 0 ? html`<p>Turned off by the people themselves:</p><ul>${off}</ul>` : null
  }`;
}
