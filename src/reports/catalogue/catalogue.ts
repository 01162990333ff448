import type { Report } from "../report.ts";
import { activity } from "./activity-report.ts";
import { agenda } from "./agenda-report.ts";
import { changes } from "./changes-report.ts";
import { files } from "./files-report.ts";
import { freshness } from "./freshness-report.ts";
import { hours } from "./hours-report.ts";
import { items } from "./items-report.ts";
import { labelsReport } from "./labels-report.ts";
import { milestones } from "./milestones-report.ts";
import { overdue } from "./overdue-report.ts";
import { slippage } from "./slippage-report.ts";
import { workload } from "./workload-report.ts";

/** Every report, in the order of `report list`. */
export const reports: readonly Report[] = [
  agenda,
  overdue,
  workload,
  milestones,
  slippage,
  hours,
  labelsReport,
  activity,
  changes,
  files,
  freshness,
  items,
];

export const findReport = (name: string): Report | null =>
  reports.find((report) => report.name === name) ?? null;
