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

/** What was read of a file of edits. */
export type FileReading = Result<CalendarFile, readonly IcsProblem[]>;
/** What was read of the octets of a calendar object. */
export type ObjectReading = Result<IncomingObject, ObjectFault>;

/** Reads what others have sent without keeping anybody else waiting; what is found is what the readers find that it calls. */
export interface CalendarReader {
  /** As `readCalendar`. Fails with `too-costly` as well, where reading takes more time or memory than it may. */
  readonly file: (bytes: Uint8Array) => Promise<FileReading>;
  /** As `readCalendarObject`, with the same exception. */
  readonly object: (bytes: Uint8Array) => Promise<ObjectReading>;
}

/** Octets that are read at once: that takes a few milliseconds, whatever they are. */
export const longestAtOnce = 65_536;
/**
 * Reads short texts at once, and long ones in a thread, one after another. The thread is started for the first of them and
 * ends when none has come for a while; one that takes too long or too much is ended, and the text is refused.
 */
export function createCalendarReader(deps: ThreadDeps): CalendarReader {
  const { zone } = deps;
  let thread: Promise<ReadingThread> | null = null;

  async function inThread(asked: LongRead): Promise<WholeReading | null> {
    if (asked.bytes.length <= longestAtOnce) return null;
    // Most daemons are never sent a long one.
    thread ??= import("./reading-thread.ts").then(({ createThread }) => createThread(deps));
    return (await thread).read(asked);
  }

  return {
    async file(bytes) {
      const read = await inThread({ kind: "file", bytes });
      return read?.file ?? readCalendar(bytes, { zone });
    },
    async object(bytes) {
      const read = await inThread({ kind: "object", bytes });
      return read?.object ?? readCalendarObject(bytes, { zone });
    },
  };
}
