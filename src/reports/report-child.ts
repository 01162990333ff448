import { text } from "node:stream/consumers";
import { ok, type Result } from "../domain/result.ts";
import { type RenderFailure, renderReport } from "./render-report.ts";
import type { ReportHead, ReportTask } from "./report-processes.ts";

// Runs in its own process, so that a report takes neither time nor memory of the daemon. Reads a task from standard input;
// writes one line of metadata to standard output, then the report.
const asked = await text(process.stdin);
// The process was started in advance, and no report was requested.
if (asked === "") process.exit();
const { now, ...options }: ReportTask = JSON.parse(asked);
const rendered = renderReport({ ...options, now: Temporal.Instant.from(now) });
const answer = (head: Result<ReportHead, RenderFailure>) =>
  process.stdout.write(`${JSON.stringify(head)}\n`);
if (rendered.ok) {
  const { text: report, ...head } = rendered.value;
  answer(ok(head));
  process.stdout.write(report);
} else answer(rendered);
