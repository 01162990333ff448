import { describe, expect, it } from "vitest";
import { type DaemonStatus, daemonFindings } from "../../src/cli/daemon-findings.ts";
import { troubleReport } from "../../src/domain/trouble.ts";

const at = { zone: "Europe/Berlin", today: Temporal.PlainDate.from("2026-11-24") };

const failing = (source: string, problem: string) => ({ source, severity: "problem", problem });

/** Findings on a daemon that read fourteen lists six minutes ago. */
const status = (fields: Partial<DaemonStatus>): DaemonStatus => ({
  fresh: true,
  mirror: { sources: 14, projectsNeverRead: 0, newestAgeSeconds: 360 },
  polling: { advice: null },
  clockAheadSeconds: 0,
  ...fields,
});

const linesOf = (fields: Partial<DaemonStatus>) =>
  daemonFindings(status(fields), at).map(
    ({ verdict, subject, what, remedy }) => `${verdict} ${subject}: ${what} → ${remedy ?? ""}`,
  );

describe("findings of doctor about the daemon", () => {
  it("report an outage once, its cause first, and nothing as fine that depends on it", () => {
    const trouble = { kind: "service-unreachable", problem: "connection refused" } as const;
    const outage = troubleReport({ trouble, since: Temporal.Instant.from("2026-11-24T09:00:00Z") });
    const errors = Array.from({ length: 14 }, (_, nth) =>
      failing(`events:${2001 + nth}`, `the service cannot be reached: GET /projects/${2001 + nth}`),
    );
    expect(linesOf({ outage, errors, troubles: [outage] })).toEqual([
      "broken service: the service cannot be reached or is failing: connection refused → check the network and service.baseUrl; Dayferry retries automatically, and edits are kept until then",
      "doubtful mirror: last synced 6 min ago: calendars show data from then → syncing resumes when the service responds",
    ]);
  });

  it("report lists that fail for one cause in one line, with the remedy", () => {
    const closed = (id: number) =>
      failing(
        `events:${id}`,
        `The service denies this key access to GET /projects/${id} (403): no`,
      );
    const errors = [closed(2001), closed(2002), failing("tasks:2003:1", "its answer is cut short")];
    const lines = linesOf({ errors }).filter((line) => line.startsWith("broken"));
    expect(lines).toEqual([
      "broken events:2001: The service denies this key access to GET /projects/2001 (403): no (the same for events:2002) → check the API key and the IDs under projects; Dayferry retries automatically",
      "broken tasks:2003:1: its answer is cut short → Dayferry retries automatically",
    ]);
  });
});
