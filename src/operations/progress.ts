/** Media type of an answer with progress: JSON lines, of which the last has the status and the body. For the command line. */
export const progressType = "application/x-ndjson";

export interface ProgressLine {
  readonly done?: number;
  readonly total?: number;
  readonly status?: number;
  readonly body?: unknown;
}
