import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createCaldavServer } from "@dayferry/caldav-server";
import express from "express";
import { onTestFinished } from "vitest";
import {
  appleProfileFile,
  calendarsAreProjects,
  createCaldavBackend,
} from "../../src/caldav/backend.ts";
import type { Calendars } from "../../src/calendars/calendar-types.ts";
import { createCalendars } from "../../src/calendars/create-calendars.ts";
import type { Push } from "../../src/calendars/push-support.ts";
import { personId } from "../../src/domain/ids.ts";
import type { Person, Project } from "../../src/domain/item.ts";
import { createAcceptItems } from "../../src/edits/intake/accept.ts";
import { createAcceptMove } from "../../src/edits/intake/accept-move.ts";
import { continueWhenRead } from "../../src/http/continue.ts";
import { createCalendarReader } from "../../src/ics/read/calendar-reader.ts";
import { createLog } from "../../src/log.ts";
import { createPasswords } from "../../src/people/passwords.ts";
import type { Throttle } from "../../src/people/throttle.ts";
import type { Store } from "../../src/store/store.ts";
import { type CallOptions, callHttp } from "./http-call.ts";
import { instantThrottle } from "./instant-throttle.ts";
import { aPerson, aProject, aTodolist, zone } from "./items.ts";
import { handClock, testStore } from "./test-store.ts";

export interface DavSettings {
  /** `own`: the address on loopback. */
  readonly publicUrl?: string;
  readonly mode?: "apply" | "review";
  readonly maxSize?: number;
  /** May change nothing. */
  readonly readOnly?: readonly number[];
  readonly unread?: () => boolean;
  readonly people?: readonly Person[];
  readonly projects?: readonly Project[];
  /** No push messages by default. */
  readonly push?: (parts: {
    readonly store: Store;
    readonly calendars: Calendars;
    readonly clock: () => Temporal.Instant;
  }) => Push;
}

export const ana: Person = { ...aPerson(11, "Ana"), email: "ana@example.com" };
export const ben: Person = { ...aPerson(12, "Ben"), email: "ben@example.com" };

/**
 * A CalDAV server on loopback with its own store: the project 2001 with the list 3001, Ana (11) and Ben (12), who both
 * have app passwords. Requests are Ana's by default.
 */
export async function startDav(settings: DavSettings = {}) {
  const clock = handClock("2026-11-21T09:00:00Z");
  const store = testStore(clock);
  store.directory.putPeople(settings.people ?? [ana, ben], true);
  store.directory.putProjects(settings.projects ?? [aProject(2001, "Website")], true);
  store.directory.putTodolists(null, [aTodolist(3001)], true);
  const passwords = createPasswords({ store, randomBytes });
  const secrets = { ana: passwords.issue(personId(11)), ben: passwords.issue(personId(12)) };
  const lines: string[] = [];
  const { throttle, waits } = instantThrottle(clock);
  const app = express();
  app.disable("x-powered-by");
  let port = 0;
  const publicUrl = () =>
    settings.publicUrl === "own"
      ? `http://127.0.0.1:${port}`
      : (settings.publicUrl ?? "https://calendar.example.com");
  app.use(
    createCaldavServer(
      davOptions({ store, passwords, throttle, clock, publicUrl, settings, lines }),
    ),
  );
  app.use((_request, response) => void response.status(418).send("the next handler"));
  const server = createServer(app);
  continueWhenRead(server, app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  port = typeof address === "object" && address ? address.port : 0;
  const as = (login: string, password: string) => ({ authorization: basic(login, password) });
  return {
    clock,
    store,
    passwords,
    throttle,
    /** Milliseconds of delay for each wrong password. */
    waits,
    secrets,
    lines,
    port,
    as,
    /** Without credentials. */
    bare: (request: string, options?: CallOptions) => callHttp(port, request, options),
    call: (request: string, { headers, body }: CallOptions = {}) =>
      callHttp(port, request, {
        headers: { ...as("ana@example.com", secrets.ana), ...headers },
        ...(body !== undefined && { body }),
      }),
  };
}

export const basic = (login: string, password: string): string =>
  `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`;

interface Parts {
  readonly store: Store;
  readonly passwords: ReturnType<typeof createPasswords>;
  readonly throttle: Throttle;
  readonly clock: () => Temporal.Instant;
  readonly publicUrl: () => string;
  readonly settings: DavSettings;
  readonly lines: string[];
}

/** The options of a CalDAV server on an existing store. */
export function davOptions({
  store,
  passwords,
  throttle,
  clock,
  publicUrl,
  settings,
  lines,
}: Parts) {
  const { mode = "apply", maxSize = 1_000_000, readOnly = [], unread = () => false } = settings;
  const accepting = {
    store,
    zone,
    policy: { labels: "known", mode },
    clock,
    feeds: { assignees: true, tasks: "due", webUrl: null },
    onAccepted() {},
  } as const;
  let made = 0;
  const log = createLog({ level: "info", write: (line) => void lines.push(line) });
  const calendars = createCalendars({
    store,
    zone,
    hasRead: () => !unread(),
    milestones: true,
    readOnly: new Set(readOnly.map(personId)),
  });
  const push = settings.push?.({ store, calendars, clock });
  return {
    backend: createCaldavBackend({
      store,
      calendars,
      ...(push && { push }),
      acceptItems: createAcceptItems(accepting),
      acceptMove: createAcceptMove(accepting),
      passwords,
      throttle,
      onLogin() {},
      zone,
      mode,
      clock,
    }),
    readObject: createCalendarReader({ zone, pause: nextTurn }).object,
    name: "Dayferry",
    fixedCalendars: calendarsAreProjects,
    file: appleProfileFile(store),
    zone,
    maxSize,
    publicUrl,
    clock,
    randomId: () => `random-${++made}`,
    onError: (event: string, about: Readonly<Record<string, unknown>>) => log.error(event, about),
  };
}
