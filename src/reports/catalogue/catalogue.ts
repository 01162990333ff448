import type { Report } from "../report.ts";
import { activity } from "./activity.ts";
import { agenda } from "./agenda.ts";
import { changes } from "./changes.ts";
import { files } from "./files.ts";
import { freshness } from "./freshness.ts";
import { hours } from "./hours.ts";
import { items } from "./items.ts";
import { labels } from "./labels.ts";
import { milestones } from "./milestones.ts";
import { overdue } from "./overdue.ts";
import { slippage } from "./slippage.ts";
import { workload } from "./workload.ts";

/** Every report, in the order in which `report list` names them. */
export const reports: readonly Report[] = [
  agenda,
  overdue,
  workload,
  milestones,
  slippage,
  hours,
  labels,
  activity,
  changes,
  files,
  freshness,
  items,
];

export const findReport = (name: string): Report | null =>
  reports.find((report) => report.name === name) ?? null;
