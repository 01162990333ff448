import { parentPort, workerData } from "node:worker_threads";
import { renderReport } from "./render-report.ts";
import { readTask, writeAnswer } from "./report-threads.ts";

// A thread of its own: what a report costs is not taken from the daemon's loop.
const { message, transfer } = writeAnswer(renderReport(readTask(workerData)));
parentPort?.postMessage(message, transfer);
