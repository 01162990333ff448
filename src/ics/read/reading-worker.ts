// The worker thread that parses long calendar files, started and ended by `reading-thread.ts`.
import { parentPort } from "node:worker_threads";
import {
  type PlainIncomingItem,
  plainItemOf,
  readCalendar,
  readCalendarObject,
} from "@dayferry/ical";
import type { LongText, ReadPart } from "./reading-thread.ts";

/** Number of items per message to the main thread, as many as it handles in one turn. */
const itemsTogether = 50;
const faultsTogether = 500;

parentPort?.on("message", (asked: LongText) => {
  const { answer } = asked;
  for (const part of read(asked)) answer.postMessage(part);
  answer.close();
  parentPort?.postMessage("read");
});

function* read({ kind, bytes, zone }: LongText): Generator<ReadPart> {
  if (kind === "object") {
    const object = readCalendarObject(bytes, { zone });
    yield object.ok
      ? { kind: "object", item: plainItemOf(object.value), isMended: object.value.isMended }
      : { kind: "object-fault", fault: object.failure };
    return;
  }
  const file = readCalendar(bytes, { zone });
  if (!file.ok) {
    yield { kind: "file-faults", faults: file.failure };
    return;
  }
  const { items, ignored, ...head } = file.value;
  for (let from = 0; from < items.length; from += itemsTogether) {
    const some: readonly PlainIncomingItem[] = items
      .slice(from, from + itemsTogether)
      .map(plainItemOf);
    yield { kind: "items", items: some };
  }
  for (let from = 0; from < ignored.length; from += faultsTogether) {
    yield { kind: "ignored", faults: ignored.slice(from, from + faultsTogether) };
  }
  yield { kind: "file", head };
}
