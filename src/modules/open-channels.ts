import { largestFile } from "@dayferry/ical";
import { createDropFolder } from "../drop/drop-folder.ts";
import { watchFolder } from "../drop/watch-folder.ts";
import type { ChannelStates } from "../edits/channel-states.ts";
import { createInbox } from "../edits/inbox/inbox.ts";
import { type AcceptDeps, type AcceptFile, createAcceptItems } from "../edits/intake/accept.ts";
import { createSubscription } from "../edits/subscription/subscription.ts";
import type { CalendarReader } from "../ics/read/calendar-reader.ts";
import { createWake } from "../loop.ts";
import { anyAddress, publicOnly } from "../remote/address-guard.ts";
import { fetchCalendar } from "../remote/fetch-calendar.ts";
import type { Sync } from "../sync/sync.ts";
import { inLanguage } from "../texts/say.ts";
import type { LoopJob } from "./module.ts";
import type { Base } from "./open-base.ts";

/** The channels that fetch edits themselves: the inbox folder and subscribed calendars. */
export type Channels = ReturnType<typeof openChannels>;

const fetchTimeout = Temporal.Duration.from({ seconds: 30 });
const subscriptionRest = Temporal.Duration.from({ seconds: 1 });

interface ChannelDeps {
  readonly accept: AcceptDeps;
  readonly acceptFile: AcceptFile;
  readonly reader: CalendarReader;
  readonly sync: Sync;
}

export function openChannels(
  { config, secrets, store, clock, monotonic, random, log }: Base,
  { accept, acceptFile, reader, sync }: ChannelDeps,
) {
  /** True if the whole workspace has been read, now or in an earlier run. */
  const known = () => sync.hasRead(null);
  const { inbox: path } = config.edits;
  const inbox =
    path === null
      ? null
      : createInbox({
          path,
          folder: createDropFolder(path),
          store,
          acceptFile,
          reader,
          clock,
          monotonic,
          known,
          onEvent({ kind, ...fields }) {
            log[kind === "unusable" ? "error" : "info"](`inbox ${kind}`, fields);
          },
        });
  const subscriptions = config.edits.subscriptions.map((options, index) =>
    createSubscription({
      ...accept,
      options: {
        ...options,
        get url() {
          return secrets.current().edits.subscriptions[index]?.url ?? options.url;
        },
      },
      acceptItems: createAcceptItems(accept),
      reader,
      fetch: (request) =>
        fetchCalendar(request, {
          allows: options.allowPrivate ? anyAddress : publicOnly,
          timeout: fetchTimeout,
          most: largestFile,
        }),
      random,
      known,
      onEvent({ kind, ...fields }) {
        log[kind === "failed" ? "warn" : "info"](`subscription ${kind}`, fields);
      },
    }),
  );
  return {
    inbox,
    subscriptions,
    language: config.language,
    states: (): ChannelStates => ({
      inbox: inbox?.state() ?? null,
      subscriptions: subscriptions.map((subscription) => subscription.state()),
    }),
  };
}

/** The folder is read when something arrives in it, each calendar when it is due. */
export function channelJobs(
  { inbox, subscriptions, language }: Channels,
  signal: AbortSignal,
): readonly LoopJob[] {
  /** Reports and notes are in the default language, because they have no single reader. */
  const inOwnLanguage =
    (step: LoopJob["step"]): LoopJob["step"] =>
    (signal) =>
      inLanguage(
        () => language,
        () => step(signal),
      );
  const subscribed = subscriptions.map(
    (subscription): LoopJob => ({
      name: `subscription ${subscription.name}`,
      step: inOwnLanguage((signal) => subscription.step(signal)),
      idle: subscriptionRest,
    }),
  );
  if (!inbox) return subscribed;
  const wake = createWake();
  const watch = watchFolder({ folder: inbox.state().folder, onArrival: () => wake.notify() });
  const close = () => void watch.close();
  if (signal.aborted) close();
  else signal.addEventListener("abort", close, { once: true });
  return [
    { name: "inbox", step: inOwnLanguage(() => inbox.step()), wake, idle: () => inbox.rest() },
    ...subscribed,
  ];
}
