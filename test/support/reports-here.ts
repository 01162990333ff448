import { Readable } from "node:stream";
import { ok } from "../../src/domain/result.ts";
import { renderReport } from "../../src/reports/render-report.ts";
import type { ReportProcesses } from "../../src/reports/report-processes.ts";

/**
 * Renders reports in this process: each report process takes a second to start, which report-processes.test.ts is
 * about.
 */
export const reportsHere: ReportProcesses = {
  prepare: () => undefined,
  async render(options) {
    const rendered = renderReport(options);
    if (!rendered.ok) return rendered;
    const { text, ...head } = rendered.value;
    const octets = Buffer.from(text);
    return ok({ ...head, body: Readable.from([octets]), bytes: octets.length });
  },
};
