import type { CaldavServerOptions } from "@dayferry/caldav-server";
import { largestFile } from "@dayferry/ical";
import { appleProfileFile, calendarsAreProjects, createCaldavBackend } from "../caldav/backend.ts";
import { createCalendars } from "../calendars/create-calendars.ts";
import { createPush } from "../calendars/push-support.ts";
import { lazy } from "../domain/lazy.ts";
import { createSeal } from "../domain/sealed-text.ts";
import { createAcceptItems } from "../edits/intake/accept.ts";
import { createAcceptMove } from "../edits/intake/accept-move.ts";
import { createEventWebhooks } from "../people/event-webhooks.ts";
import { createAccessControl } from "../people/people.ts";
import type { Throttle } from "../people/throttle.ts";
import { randomBytes, randomId } from "../runtime.ts";
import type { JobOptions, LoopJob } from "./module.ts";
import type { Base } from "./open-base.ts";
import type { EditsModule } from "./open-edits.ts";
import { pushJob, pushKeysOf } from "./open-push.ts";
import type { ServiceModule } from "./open-service.ts";

/**
 * Who may do what, and everyone's two-way calendars. `throttle`: counts wrong passwords for several generations of modules; a
 * new one by default.
 */
export function openPeople(
  base: Base,
  {
    sync,
    accept,
    reader,
    throttle,
  }: Pick<ServiceModule & EditsModule, "sync" | "accept" | "reader"> & {
    readonly throttle?: Throttle | undefined;
  },
) {
  const { config, store, keys, secrets, clock, eventLoop, log } = base;
  const zone = config.service.timeZone;
  const accessControl = createAccessControl({
    store,
    clock,
    randomBytes,
    listed: config.people,
    ...(throttle && { throttle }),
  });
  const calendars = createCalendars({
    store,
    zone,
    hasRead: (project) => sync.hasRead(project) && sync.hasReadSinceRestore(project),
    onOpened: (project) => sync.noteReading(project),
    milestones: config.calendars.milestones,
    readOnly: accessControl.readOnly,
    eventLoop,
  });
  const { people, rights, tokens, passwords } = accessControl;
  const pushKeys = config.calendars.push === "off" ? null : pushKeysOf(keys);
  const push =
    pushKeys &&
    createPush({
      store,
      calendars,
      vapidKey: () => pushKeys.vapid().publicKey,
      seal: pushKeys.seal,
      clock,
      randomId,
    });
  return {
    eventWebhooks: createEventWebhooks({
      store,
      seal: lazy(() => createSeal(keys.mailKey, "webhooks for events")),
      listed: () => secrets.current().webhooks,
      randomBytes,
      clock,
    }),
    accessControl,
    people,
    rights,
    tokens,
    jobs: ({ signal }: JobOptions): readonly LoopJob[] =>
      push && pushKeys ? [pushJob(base, { push, keys: pushKeys, signal })] : [],
    /** Options of the CalDAV server, except the URL. */
    caldav: {
      backend: createCaldavBackend({
        store,
        calendars,
        acceptItems: createAcceptItems(accept),
        acceptMove: createAcceptMove(accept),
        passwords,
        throttle: accessControl.throttle,
        onLogin: (person) => people.noteProgram(person),
        zone,
        mode: config.edits.mode,
        clock,
        ...(push && { push }),
      }),
      name: "Dayferry",
      fixedCalendars: calendarsAreProjects,
      file: appleProfileFile(store),
      zone,
      readObject: reader.object,
      maxSize: largestFile,
      clock,
      randomId,
      eventLoop,
      onError: (event, about) => log.error(event, about),
    } satisfies Omit<CaldavServerOptions, "publicUrl">,
  };
}
