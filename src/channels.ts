import { largestFile } from "@dayferry/ical";
import type { Config } from "./config/config.ts";
import type { LiveSecrets } from "./config/live-secrets.ts";
import { createDropFolder } from "./drop/drop-folder.ts";
import { watchFolder } from "./drop/watch-folder.ts";
import type { ChannelStates } from "./edits/channel-states.ts";
import { createInbox, type Inbox } from "./edits/inbox/inbox.ts";
import { type AcceptDeps, type AcceptFile, createAcceptItems } from "./edits/intake/accept.ts";
import { createSubscription, type Subscription } from "./edits/subscription/subscription.ts";
import type { CalendarReader } from "./ics/read/calendar-reader.ts";
import type { Log } from "./log.ts";
import { createWake, type LoopOptions } from "./loop.ts";
import { anyAddress, publicOnly } from "./remote/address-guard.ts";
import { fetchCalendar } from "./remote/fetch-calendar.ts";

/** The channels that fetch edits themselves: the inbox folder and subscribed calendars. */
export interface Channels {
  readonly inbox: Inbox | null;
  readonly subscriptions: readonly Subscription[];
  states(): ChannelStates;
}

/** Runs one named loop until the daemon stops. */
export type RunLoop = (
  name: string,
  step: LoopOptions["step"],
  rest: Partial<Pick<LoopOptions, "idle" | "wake">>,
) => Promise<void>;

const fetchTimeout = Temporal.Duration.from({ seconds: 30 });
const subscriptionRest = Temporal.Duration.from({ seconds: 1 });

export function openChannels({
  config,
  secrets,
  accept,
  acceptFile,
  reader,
  monotonic,
  random,
  known,
  log,
}: {
  readonly config: Config;
  readonly secrets: LiveSecrets;
  readonly accept: AcceptDeps;
  readonly acceptFile: AcceptFile;
  readonly reader: CalendarReader;
  readonly monotonic: () => number;
  readonly random: () => number;
  /** True if the whole workspace has been read, now or in an earlier run. */
  readonly known: () => boolean;
  readonly log: Log;
}): Channels {
  const { store, clock } = accept;
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
    states: () => ({
      inbox: inbox?.state() ?? null,
      subscriptions: subscriptions.map((subscription) => subscription.state()),
    }),
  };
}

/** Runs the loops of all channels: the folder is read when something arrives in it, each calendar when it is due. */
export async function runChannels(
  { inbox, subscriptions }: Channels,
  loop: RunLoop,
): Promise<void> {
  const wake = createWake();
  const watch =
    inbox && watchFolder({ folder: inbox.state().folder, onArrival: () => wake.notify() });
  await Promise.all([
    inbox && loop("inbox", () => inbox.step(), { wake, idle: () => inbox.rest() }),
    ...subscriptions.map((subscription) =>
      loop(`subscription ${subscription.name}`, (signal) => subscription.step(signal), {
        idle: subscriptionRest,
      }),
    ),
  ]);
  await watch?.close();
}
