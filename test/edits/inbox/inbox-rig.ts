import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createEventLoopBudget } from "@dayferry/event-loop";
import { createDropFolder, type DropFolder } from "../../../src/drop/drop-folder.ts";
import { createInbox, type InboxEvent } from "../../../src/edits/inbox/inbox.ts";
import { createAcceptFile } from "../../../src/edits/intake/accept.ts";
import type { CalendarReader } from "../../../src/ics/read/calendar-reader.ts";
import { testDirectory } from "../../support/test-store.ts";
import { acceptRig, calendar, type RigSetting, vevent } from "../rig.ts";

/** The inbox of a store, with a separate clock for how long files lie still. */
export function inboxRig(
  setting: RigSetting & {
    readonly wrap?: (folder: DropFolder) => DropFolder;
    readonly reader?: CalendarReader;
  } = {},
) {
  const rig = acceptRig(setting);
  const root = join(testDirectory(), "inbox");
  const folder = createDropFolder(root);
  const events: InboxEvent[] = [];
  let now = 0;
  let known = true;
  const open = (wrap = setting.wrap) =>
    createInbox({
      path: root,
      folder: wrap?.(folder) ?? folder,
      store: rig.store,
      acceptFile: createAcceptFile({ ...rig.deps, eventLoop: createEventLoopBudget() }),
      ...(setting.reader && { reader: setting.reader }),
      clock: rig.clock,
      monotonic: () => now,
      known: () => known,
      onEvent: (event) => events.push(event),
    });
  let inbox = open();
  const files = (place: string): readonly string[] =>
    existsSync(join(root, place))
      ? readdirSync(join(root, place), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(join(root, place).length + 1))
          .toSorted()
      : [];
  return {
    ...rig,
    root,
    events,
    inbox: () => inbox,
    files,
    report: (place: string) => readFileSync(join(root, `${place}.report.txt`), "utf8"),
    drop(path: string, content: string | Uint8Array) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    /** Looks at once. */
    look: () => inbox.step(),
    /** Looks twice, so that files lying still are processed. */
    async settle(ms = 600) {
      await inbox.step();
      now += ms;
      await inbox.step();
    },
    knows: (value: boolean) => {
      known = value;
    },
    /** Forgets what only the process knew. */
    restart(wrap?: (folder: DropFolder) => DropFolder) {
      inbox = open(wrap);
    },
  };
}

/** A calendar with one unknown event. */
export const born = (uid: string, title = "Born in a file") =>
  calendar(vevent(uid, `SUMMARY:${title}`, "DTSTART;VALUE=DATE:20270401"));
