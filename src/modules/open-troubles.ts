import { sourceName } from "../domain/source.ts";
import { loggedTrouble } from "../domain/trouble.ts";
import { createRepeatedEdits } from "../edits/delivery/repeated-edits.ts";
import type { EventWebhooks } from "../people/event-webhooks.ts";
import { createTroubleFinder } from "../troubles/find-troubles.ts";
import { createTroubleWatch } from "../troubles/trouble-watch.ts";
import { probeZone, type ZoneProof } from "../troubles/zone-probe.ts";
import { idleAfter, type LoopJob } from "./module.ts";
import type { Base } from "./open-base.ts";
import type { EditsModule } from "./open-edits.ts";
import type { ServiceModule } from "./open-service.ts";

const troubleRest = Temporal.Duration.from({ seconds: 10 });
/** How often certificates are checked. */
const certificatesRest = Temporal.Duration.from({ hours: 6 });
/** Delay of the first check, because a start is busy. */
const firstCertificates = Temporal.Duration.from({ minutes: 1 });
const hour = Temporal.Duration.from({ hours: 1 });

/** Problems that the operator should know about, and the checks that find them. */
export function openTroubles(
  base: Base,
  {
    upstream,
    sync,
    withOwnKey,
    channels,
    eventWebhooks,
  }: ServiceModule &
    Pick<EditsModule, "channels"> & {
      readonly eventWebhooks: EventWebhooks;
    },
) {
  const { config, store, keys, clock, log } = base;
  const zone = config.service.timeZone;
  const lostKeys = keys.noteLosses(store);
  const troubleWatch = createTroubleWatch({
    store,
    find: createTroubleFinder({
      store,
      upstream,
      dataDir: config.dataDir,
      host: new URL(config.service.baseUrl).host,
      withOwnKey,
      advice: () => sync.forecast().advice,
      channels: () => channels.states(),
      repeated: createRepeatedEdits(store),
      lostKeys: () => lostKeys(clock()),
      eventWebhooks: () => eventWebhooks.list(null),
      webhooks: config.operator.webhooks.map(({ name }) => name),
      listedWebhooks: config.people.flatMap(({ id, webhook }) => (webhook ? [id] : [])),
      clock,
    }),
    clock,
    onEvent: ({ kind, trouble, since }) =>
      log[kind === "begun" ? "warn" : "info"](`trouble ${kind}`, {
        ...loggedTrouble(trouble, kind),
        since,
      }),
  });
  let probing: Promise<ZoneProof> | null = null;
  return {
    troubleWatch,
    /** Checks the configured time zone with the service; a running check is shared. */
    probeZone: (signal: AbortSignal): Promise<ZoneProof> => {
      probing ??= probeZone({
        upstream,
        zone,
        projects: config.projects === "discover" ? null : config.projects.map(({ id }) => id),
        known: () => store.directory.projects().map(({ id }) => id),
        troubles: store.troubles,
        clock,
        signal,
        onTouched: (projectId) => sync.hurry(sourceName({ kind: "events", projectId })),
      }).finally(() => {
        probing = null;
      });
      return probing;
    },
    jobs: (): readonly LoopJob[] => [
      { name: "troubles", step: idleAfter(() => troubleWatch.look()), idle: troubleRest },
      certificatesJob(base),
    ],
  };
}

/** Checks the certificates of the service, the mail server and this daemon's public URL. */
function certificatesJob({ config, store: { troubles }, clock }: Base): LoopJob {
  let rest = firstCertificates;
  let isFirst = true;
  return {
    name: "certificates",
    idle: () => rest,
    async step(signal) {
      if (isFirst) {
        isFirst = false;
        return "idle";
      }
      const { createCertificateWatch, tlsServers } = await import(
        "../troubles/certificate-watch.ts"
      );
      const servers = tlsServers(config);
      await createCertificateWatch({ servers, troubles, clock }).look(signal);
      const isNear = troubles.reported().some(({ kind }) => kind === "certificate");
      rest = isNear ? hour : certificatesRest;
      return "idle";
    },
  };
}
