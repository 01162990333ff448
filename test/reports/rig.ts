import { join } from "node:path";
import { onTestFinished } from "vitest";
import { labelId, listId, personId, projectId, type ServiceId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { sourceOf } from "../../src/domain/source.ts";
import type { Viewer } from "../../src/domain/visibility.ts";
import { buildReport } from "../../src/reports/build-report.ts";
import type { Cell, ReportDocument } from "../../src/reports/report.ts";
import type { ReportRequest } from "../../src/reports/report-request.ts";
import { openReader, type ReportDatabase } from "../../src/store/reading/reader.ts";
import {
  aLabel,
  anEvent,
  aPerson,
  aProject,
  aTask,
  aTodolist,
  days,
  times,
  zone,
} from "../support/items.ts";
import { handClock, testDirectory, testStore } from "../support/test-store.ts";
import { insistOk } from "./insist.ts";

/** A default request. */
export const anyRequest: Omit<ReportRequest, "name"> = {
  project: null,
  person: null,
  label: null,
  from: null,
  to: null,
  since: null,
  asOf: null,
  limit: null,
};

/** A small mirrored workspace in a file, on Saturday 2026-11-21, 13:00 in Berlin. */
export function reportRig() {
  const clock = handClock("2026-11-21T12:00:00Z");
  const file = join(testDirectory(), "dayferry.sqlite");
  const store = testStore(clock, file);
  const reader = insistOk(openReader(file));
  onTestFinished(() => reader.close());
  const put = (item: Item & { readonly id: ServiceId }) => store.mirror.put(item, sourceOf(item));
  store.directory.putProjects([aProject(2001, "Website"), aProject(2002, "Trade | fair")], true);
  store.directory.putPeople(
    [aPerson(11, "Ana"), { ...aPerson(12, "Bo"), timeZone: "America/New_York" }],
    true,
  );
  store.directory.putLabels([aLabel(5, "Urgent"), aLabel(6, "Later")], true);
  store.directory.putTodolists(
    null,
    [aTodolist(3001), aTodolist(3002, { projectId: projectId(2002) })],
    true,
  );
  return { clock, file, store, reader, put, ...wordsOf(reader, clock) };
}

/** Sources that have all been read now. */
export function readEverything({ store }: Pick<ReturnType<typeof reportRig>, "store">): void {
  const events = { kind: "events", projectId: projectId(2001) } as const;
  const tasks = { kind: "tasks", projectId: projectId(2001), listId: listId(3001) } as const;
  store.sources.put([events]);
  store.sources.put([tasks]);
  for (const source of [events, tasks]) store.sources.succeeded(source, { items: 1, gaps: null });
}

function wordsOf(reader: ReportDatabase, clock: () => Temporal.Instant) {
  const ask = (name: string, request: Partial<ReportRequest> = {}, viewer: Viewer | null = null) =>
    buildReport(reader, {
      request: { ...anyRequest, ...request, name },
      zone,
      now: clock(),
      viewer,
    });
  const report = (
    name: string,
    request: Partial<ReportRequest> = {},
    viewer: Viewer | null = null,
  ): ReportDocument => insistOk(ask(name, request, viewer));
  /** Rows as objects, of the named columns. */
  const rows = (
    name: string,
    request: Partial<ReportRequest> = {},
    viewer: Viewer | null = null,
  ): readonly Readonly<Record<string, Cell>>[] => {
    const document = report(name, request, viewer);
    return document.rows.map((row) =>
      Object.fromEntries(document.columns.map(({ key }, nth) => [key, row[nth] ?? null])),
    );
  };
  return { ask, report, rows };
}

/** Two tasks, a milestone and two events around the rig's today. */
export function fill({ put }: Pick<ReturnType<typeof reportRig>, "put">): void {
  const date = (text: string) => Temporal.PlainDate.from(text);
  const hours = (minutes: number) => Temporal.Duration.from({ minutes });
  put(
    aTask(1, {
      title: "Late one",
      dueOn: date("2026-11-10"),
      assigned: [personId(11), personId(12)],
      labels: [labelId(5)],
      estimated: hours(120),
      logged: hours(30),
    }),
  );
  put(
    aTask(2, {
      title: "Next week",
      dueOn: date("2026-11-25"),
      assigned: [personId(11)],
      estimated: hours(60),
    }),
  );
  put(aTask(3, { title: "Done", dueOn: date("2026-11-09"), completed: true, logged: hours(45) }));
  put(
    aTask(4, {
      title: "Without a date",
      dueOn: null,
      projectId: projectId(2002),
      listId: listId(3002),
    }),
  );
  put(
    anEvent(1, {
      title: "Launch",
      when: days("2026-12-01"),
      milestone: true,
      assigned: [personId(12)],
    }),
  );
  // 23:30 in Berlin is the same evening there, and 17:30 in New York.
  put(anEvent(2, { title: "Night call", when: times("2026-11-21T23:30", "2026-11-22T00:30") }));
  put(
    anEvent(3, {
      title: "Fair",
      when: days("2026-11-20", "2026-11-23"),
      projectId: projectId(2002),
    }),
  );
}
