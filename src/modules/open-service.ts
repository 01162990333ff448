import type { Config } from "../config/config.ts";
import { statusClass, type Tallies } from "../domain/tallies.ts";
import type { Log } from "../log.ts";
import { knownValuesIn } from "../store/mirror/mirror.ts";
import { programPrint } from "../store/program-print.ts";
import { createKeyAccess } from "../sync/key-access.ts";
import { Sync, type SyncEvent } from "../sync/sync.ts";
import { createUpstream, type Upstream, type UpstreamEvent } from "../upstream/client.ts";
import type { JobOptions, LoopJob } from "./module.ts";
import type { Base } from "./open-base.ts";

/** The service's API, and the sync that reads it. */
export type ServiceModule = ReturnType<typeof openService>;

const progressEveryMs = 2000;
const keyAccessRest = Temporal.Duration.from({ seconds: 1 });

/** Called when the service responds again, and with each step of a first sync. */
interface ServiceListeners {
  readonly onBack: () => void;
  readonly onFound: () => void;
}

export function openService(base: Base, { onBack, onFound }: ServiceListeners) {
  const { config, store, clock } = base;
  const upstream = openUpstream(base, onBack);
  const sync = openSync(base, upstream);
  const withOwnKey = new Set(
    config.people.filter(({ apiKey }) => apiKey !== null).map(({ id }) => id),
  );
  const newKeyAccess = () => createKeyAccess({ store, upstream, people: withOwnKey, clock });
  let keyAccess = newKeyAccess();
  return {
    upstream,
    sync,
    /** People with API keys of their own. */
    withOwnKey,
    /** Called when API keys have changed: everything that waited for one continues. */
    keysChanged(): void {
      // Results and pauses of the earlier keys do not apply to the new ones.
      keyAccess = newKeyAccess();
      sync.recover();
    },
    jobs: (options: JobOptions): readonly LoopJob[] => [
      {
        name: "sweep",
        async step(signal) {
          if (!sync.ready && !sync.goesOn) await firstSweep(base, { sync, onFound, ...options });
          await sync.run(signal);
          return "idle";
        },
      },
      {
        name: "key access",
        idle: keyAccessRest,
        async step(signal) {
          await keyAccess(signal);
          return "idle";
        },
      },
    ],
  };
}

function openUpstream(base: Base, onBack: () => void): Upstream {
  const { config, store, secrets, clock, monotonic, random, eventLoop, tallies, log } = base;
  const { service } = config;
  return createUpstream({
    baseUrl: service.baseUrl,
    uploadUrl: service.uploadUrl,
    apiKey: () => secrets.current().service.apiKey,
    keyOf: (person) => secrets.current().people.find(({ id }) => id === person)?.apiKey ?? null,
    hide: secrets.hide,
    contact: service.contact,
    timeZone: service.timeZone,
    quota: service.quota,
    readShare: config.polling.share,
    timeout: service.timeout,
    clock,
    monotonic,
    random,
    history: store.gateSlots,
    known: knownValuesIn(store),
    pause: () => eventLoop.share(),
    onEvent(event) {
      if (event.kind === "answered" || event.kind === "broken") tallyAnswer(tallies, event);
      if (event.kind === "back") onBack();
      if (event.kind === "history-unkept" && store.health.note(event.error)) return;
      const { kind, ...fields } = event;
      log.debug(`upstream ${kind}`, fields);
    },
  });
}

function openSync(
  { config, store, clock, eventLoop, tallies, log }: Base,
  upstream: Upstream,
): Sync {
  return new Sync({
    store,
    upstream,
    scope: {
      projects: config.projects,
      people: config.people.map(({ id, name, email, timeZone }) => ({
        id,
        name: name ?? `Person ${id}`,
        email,
        timeZone,
        suspended: false,
      })),
      discoverPeople: config.discoverPeople,
    },
    clock,
    maxAge: config.polling.maxAge,
    quota: config.service.quota,
    share: config.polling.share,
    side: config.polling,
    reader: readerOf(config),
    eventLoop,
    onPolled: ({ kind, isRead }) => tallies.polls.add({ kind, ending: isRead ? "read" : "failed" }),
    onEvent(event) {
      if (event.kind === "fault" && store.health.note(event.error)) return;
      logSync(log, event);
    },
  });
}

/** What feed items depend on in addition to the response's bytes. */
function readerOf({ service }: Config): string | undefined {
  const program = programPrint(process.argv[1], process.versions);
  return program === null ? undefined : `${program} ${service.timeZone} ${service.baseUrl}`;
}

function tallyAnswer(
  tallies: Tallies,
  { request, ...answer }: Extract<UpstreamEvent, { readonly kind: "answered" | "broken" }>,
): void {
  const [method = ""] = request.split(" ", 1);
  const status = answer.kind === "answered" ? statusClass(answer.status) : "none";
  tallies.serviceRequests.add({ method, status });
  if (answer.kind === "answered") {
    tallies.serviceLengths.add(answer.took.total("seconds"), { method });
  }
}

/** Messages of polls, which would fill the log. At level info, the log has a summary per sweep and anything unusual. */
const everyday: ReadonlySet<SyncEvent["kind"]> = new Set([
  "polled",
  "found",
  "buried",
  "directory-changed",
  "side-changed",
]);

/** The log has counts instead of titles, because titles may be private. */
function logSync(log: Log, event: SyncEvent): void {
  const { kind, ...fields } = event;
  const logged = {
    ...fields,
    ...("changes" in fields && { changes: fields.changes.length }),
    ...("title" in fields && { title: undefined }),
  };
  log[everyday.has(kind) ? "debug" : "info"](`sync ${kind}`, logged);
}

async function firstSweep(
  { log, monotonic, tallies }: Base,
  {
    sync,
    onFound,
    signal,
    onProgress,
  }: JobOptions & Pick<ServiceListeners, "onFound"> & { readonly sync: Sync },
): Promise<void> {
  let reported = Number.NEGATIVE_INFINITY;
  const beganMs = monotonic();
  const {
    changes: _,
    failures,
    ...summary
  } = await sync.sweep({
    signal,
    onProgress(progress) {
      onFound();
      if (monotonic() - reported < progressEveryMs) return;
      reported = monotonic();
      const { done, total, remaining } = progress;
      log.info("first sync", { done, total, remaining });
      onProgress?.(progress);
    },
  });
  if (signal.aborted) return;
  tallies.sweeps.add((monotonic() - beganMs) / 1000);
  log.info("first sync ended", { ...summary, failed: failures.length });
}
