import { capital } from "../../domain/text.ts";
import type { TroubleWords } from "../../domain/trouble-kinds.ts";
import type { Viewer } from "../../domain/visibility.ts";
import { say } from "../../texts/say.ts";
import { notice } from "./components.ts";
import { html, type Markup } from "./markup-template.ts";
import { ago } from "./page-times.ts";

/** An outage of the service, for a page's warning. */
export interface OutageNotice extends Pick<TroubleWords, "what" | "remedy"> {
  /** When a list was last read; null if none was read yet. */
  readonly syncedAt: Temporal.Instant | null;
  readonly now: Temporal.Instant;
}

/** The warning at the top of a page. Only admins see the cause, which contains URLs and settings. */
export function outageNotice(
  { what, remedy, syncedAt, now }: OutageNotice,
  { kind }: Pick<Viewer, "kind">,
): Markup {
  const cause =
    kind === "admin"
      ? `${capital(what)}. ${say("outage.remedy", { remedy })}`
      : say("outage.serviceDown");
  return notice(
    "bad",
    html`<p><strong>${say("outage.title")}.</strong> ${cause} ${keptMeanwhile(syncedAt, now)}</p>`,
  );
}

/** What happens to calendars and edits during an outage. */
export function keptMeanwhile(syncedAt: Temporal.Instant | null, now: Temporal.Instant): string {
  const kept = say("outage.editsKept");
  if (syncedAt === null) return kept;
  return `${say("outage.shownFrom", { ago: ago(syncedAt, now) })} ${kept}`;
}
