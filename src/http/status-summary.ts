import type { StatusSummary } from "../operations/answers.ts";
import { standingInWords } from "./pages/today-page.ts";
import type { SyncStanding, Today } from "./today.ts";

const states = {
  "in-step": "up-to-date",
  "catching-up": "catching-up",
  "first-reading": "first-sync",
  behind: "behind",
  "cut-off": "offline",
  "cannot-store": "cannot-store",
} as const satisfies Record<SyncStanding["kind"], StatusSummary["state"]>;

/** The start page's content, for programs. */
export function statusSummary(today: Today): StatusSummary {
  const { standing, now, underWay, needed, troubles, projects } = today;
  const { word, rest } = standingInWords(standing, now);
  return {
    state: states[standing.kind],
    text: `${word} · ${rest}`,
    syncedAt: "readAt" in standing && standing.readAt ? standing.readAt.toString() : null,
    pendingEdits: underWay,
    waitingEdits: needed,
    problems: [...troubles],
    projects: projects.map(({ id, title, readAt, failing }) => ({
      id,
      title,
      syncedAt: readAt?.toString() ?? null,
      failingLists: failing,
    })),
  };
}
