import {
  type CalendarFile,
  type IcsProblem,
  type IncomingObject,
  type ObjectFault,
  readCalendar,
  readCalendarObject,
} from "@dayferry/ical";
import type { Result } from "../../domain/result.ts";
import type { LongRead, ReadingThread, ThreadDeps, WholeReading } from "./reading-thread.ts";

/** The result of parsing a file of edits. */
export type FileReading = Result<CalendarFile, readonly IcsProblem[]>;
/** The result of parsing a calendar object. */
export type ObjectReading = Result<IncomingObject, ObjectFault>;

/** Parses received files without blocking others. */
export type CalendarReader = ReturnType<typeof createCalendarReader>;

/** Octets that are parsed at once, which takes a few milliseconds at most. */
export const longestAtOnce = 65_536;
/**
 * Parses short texts at once, and long ones in a worker thread, one after another. The thread starts on demand and ends when
 * idle. A text that takes too much time or memory ends the thread and is refused.
 */
export function createCalendarReader(deps: ThreadDeps) {
  const { zone } = deps;
  let thread: Promise<ReadingThread> | null = null;

  async function inThread(asked: LongRead): Promise<WholeReading | null> {
    if (asked.bytes.length <= longestAtOnce) return null;
    // Most daemons never get a long one.
    thread ??= import("./reading-thread.ts").then(({ createThread }) => createThread(deps));
    return (await thread).read(asked);
  }

  return {
    /** Like `readCalendar`. Also fails with `too-costly` if parsing takes more time or memory than allowed. */
    async file(bytes: Uint8Array): Promise<FileReading> {
      const read = await inThread({ kind: "file", bytes });
      return read?.file ?? readCalendar(bytes, { zone });
    },
    /** Like `readCalendarObject`, with the same exception. */
    object: async (bytes: Uint8Array): Promise<ObjectReading> => {
      const read = await inThread({ kind: "object", bytes });
      return read?.object ?? readCalendarObject(bytes, { zone });
    },
  };
}
