import { join } from "node:path";
import { createCaldavServer } from "@dayferry/caldav-server";
import { zoneDataOf } from "../domain/zone-data.ts";
import type { LoopDelayMeter } from "../http/loop-delay.ts";
import type { MetricSources } from "../http/metric-figures.ts";
import { createScraper, type Scraper } from "../http/metrics-routes.ts";
import { randomBytes } from "../runtime.ts";
import type { Modules } from "./open-modules.ts";

interface WebOptions {
  readonly version: string;
  readonly publicUrl: () => string;
  readonly loopDelay: Pick<LoopDelayMeter, "read">;
  /** True if everything served was read since the start. */
  readonly fresh: () => boolean;
  readonly clockLead: () => Temporal.Duration | null;
}

/** What metrics and the application show in all modes. */
function shownParts(modules: Modules, { version, loopDelay, fresh, clockLead }: WebOptions) {
  const { config, store, feeds, sync, upstream, channels, tallies, clock } = modules;
  return {
    version,
    tallies,
    store,
    feeds,
    ready: () => sync.whole,
    fresh,
    forecast: () => sync.forecast(),
    fastPath: () => sync.fastPath,
    gate: () => upstream.gate.state(),
    clockLead,
    channels: () => channels.states(),
    loopDelay: loopDelay.read,
    databaseFile: join(config.dataDir, "dayferry.sqlite"),
    clock,
  };
}

/** What the application receives in all modes. */
export function appParts(modules: Modules, options: WebOptions) {
  const { config, editActions, acceptFile, acceptForm, eventLoop, links, adminToken } = modules;
  const { publicUrl } = options;
  return {
    ...shownParts(modules, options),
    ...modules.accessControl,
    zoneData: zoneDataOf(process.versions),
    caldav: createCaldavServer({ ...modules.caldav, publicUrl }),
    hasPush: modules.caldav.backend.push !== undefined,
    editActions,
    acceptFile,
    acceptForm,
    eventLoop,
    links,
    identityHeader: config.http.identityHeader,
    adminToken,
    baseUrl: publicUrl,
    trustProxy: config.http.trustProxy,
    zone: config.service.timeZone,
    language: config.language,
    webUrl: config.service.webUrl,
    monotonic: modules.monotonic,
    randomBytes,
    log: modules.log,
  };
}

/** Writes metrics. */
export const scraperOf = (
  modules: Modules,
  {
    more,
    ...options
  }: WebOptions & {
    readonly more: Pick<MetricSources, "isOut" | "backedUpAt"> &
      Partial<Pick<MetricSources, "copy">>;
  },
): Scraper =>
  createScraper({
    ...shownParts(modules, options),
    quotaSpan: modules.config.service.quota.per,
    ...more,
  });
