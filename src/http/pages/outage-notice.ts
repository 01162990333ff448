import { capital } from "../../domain/trouble.ts";
import type { TroubleWords } from "../../domain/trouble-kinds.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { notice } from "./components.ts";
import { html, type Markup } from "./markup-template.ts";
import { ago } from "./page-times.ts";

/** An outage of the service, for a page's warning. */
export interface OutageNotice extends Pick<TroubleWords, "what" | "remedy"> {
  /** When a list was last read; null = never. */
  readonly syncedAt: Temporal.Instant | null;
  readonly now: Temporal.Instant;
}

/** The warning at the top of a page. Only admins see the cause, which contains URLs and settings. */
export function outageNotice(
  { what, remedy, syncedAt, now }: OutageNotice,
  { kind }: Pick<Viewer, "kind">,
): Markup {
  const cause =
    kind === "admin" ? `${capital(what)}. What to do: ${remedy}.` : "The service does not respond.";
  return notice(
    "bad",
    html`<p><strong>Not syncing.</strong> ${cause} ${keptMeanwhile(syncedAt, now)}</p>`,
  );
}

/** What happens to calendars and edits during an outage. */
export function keptMeanwhile(syncedAt: Temporal.Instant | null, now: Temporal.Instant): string {
  const shown = syncedAt === null ? "" : `Calendars show data from ${ago(syncedAt, now)}. `;
  return `${shown}Edits are saved and sent when the service responds again.`;
}
