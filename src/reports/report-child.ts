import { text } from "node:stream/consumers";
import { ok, type Result } from "../domain/result.ts";
import { type RenderFailure, renderReport } from "./render-report.ts";
import type { ReportHead, ReportTask } from "./report-processes.ts";

// A process of its own: what a report costs is not taken from the daemon's loop, nor kept by it. Reads a task from standard
// input, and writes a line about the report to standard output, and then the report.
const asked = await text(process.stdin);
// It was started ahead by somebody who is gone.
if (asked === "") process.exit();
const { now, ...options }: ReportTask = JSON.parse(asked);
const rendered = renderReport({ ...options, now: Temporal.Instant.from(now) });
const tell = (head: Result<ReportHead, RenderFailure>) =>
  process.stdout.write(`${JSON.stringify(head)}\n`);
if (rendered.ok) {
  const { text: report, ...head } = rendered.value;
  tell(ok(head));
  process.stdout.write(report);
} else tell(rendered);
