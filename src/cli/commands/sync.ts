import { Command } from "commander";
import type { SweepProgress, SweepSummary } from "../../sync/sync.ts";
import {
  asJson,
  type CommandTools,
  configFor,
  type LocalModules,
  withLocalModules,
} from "../command-host.ts";
import { timeLeft } from "../progress-lines.ts";

/** `sync`: one full sweep, delivery of pending edits, and a list of changes. Locks the data directory. */
export function syncCommand({ host, finish }: CommandTools): Command {
  return new Command("sync")
    .description("sync everything once, then exit")
    .option("--json", "print JSON", false)
    .action(async ({ json }: { readonly json: boolean }, command: Command) => {
      const config = configFor(command, host);
      await withLocalModules(config, host, async (modules) => {
        const { signal } = host;
        const edits = await drainAll(modules, signal);
        const onProgress = (progress: SweepProgress) => host.say(progressLine(progress));
        const summary = await modules.sync.sweep({ signal, onProgress });
        const aside = await modules.sync.readSide({ signal, most: mostSideSources });
        modules.feeds.ensure();
        host.print(json ? asJson({ ...summary, edits, aside }) : describe(summary, edits));
        for (const { source, problem } of summary.failures) host.say(`${source}: ${problem}\n`);
        finish(summary.failures.length > 0 || signal.aborted ? 1 : 0);
      });
    });
}

/**
 * Number of comment, history and file lists read after a sweep, which takes under a minute at the documented quota; the next
 * sweep continues. A daemon reads continuously.
 */
const mostSideSources = 25;

/** Sends pending edits that may be sent now; returns how many were confirmed and how many still wait. */
export async function drainAll({ drain, store }: LocalModules, signal: AbortSignal) {
  const confirmed = () => store.journal.counts().confirmed ?? 0;
  const before = confirmed();
  drain.recover();
  while (!signal.aborted && (await drain.step(signal)) === "worked") {}
  const { pending = 0, claimed = 0, parked = 0 } = store.journal.counts();
  return { confirmed: confirmed() - before, waiting: pending + claimed, parked };
}

/**
 * One line: lists read of those known so far, and the time left at the quota. If that is zero, the lists are not all known yet
 * or the service is slow, so the time is unknown.
 */
export function progressLine({ done, total, remaining }: SweepProgress): string {
  const seconds = Math.ceil(remaining.total("seconds"));
  const progress = `synced ${done} of ${total} lists`;
  if (done >= total) return `${progress}\n`;
  return seconds > 0
    ? `${progress}, about ${timeLeft(seconds)} left at the quota\n`
    : `${progress} known so far\n`;
}

function describe(summary: SweepSummary, edits: Awaited<ReturnType<typeof drainAll>>): string {
  const { added, changed, buried, unchanged, held, requests, changes } = summary;
  const listed = changes.map(
    ({ act, kind, title }) => `  ${act.padEnd(8)} ${kind.padEnd(10)} ${title}\n`,
  );
  const more = added + changed + buried - changes.length;
  return [
    `${added} added, ${changed} changed, ${buried} removed, ${unchanged} unchanged (${requests} requests)\n`,
    ...listed,
    more > 0 ? `  and ${more} more\n` : "",
    held > 0 ? `${held} removals wait for approval: dayferry brakes list\n` : "",
    `${edits.confirmed} edits sent, ${edits.waiting} waiting, ${edits.parked} parked\n`,
  ].join("");
}
