import { parentPort, workerData } from "node:worker_threads";
import { answerTask } from "./report-threads.ts";

// A thread of its own: what a report costs is not taken from the daemon's loop.
const { message, transfer } = answerTask(workerData);
parentPort?.postMessage(message, transfer);
