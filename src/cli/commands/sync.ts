import { Command } from "commander";
import type { SweepProgress, SweepSummary } from "../../sync/sync.ts";
import {
  asJson,
  type CommandTools,
  configFor,
  type LocalModules,
  withLocalModules,
} from "../command-host.ts";

/** `sync`: one full sweep, the journal drained, what changed printed. Needs the data directory for itself. */
export function syncCommand({ host, finish }: CommandTools): Command {
  return new Command("sync")
    .description("one full sweep and a drain of the journal, then exit")
    .option("--json", "print JSON", false)
    .action(async ({ json }: { readonly json: boolean }, command: Command) => {
      const config = configFor(command, host);
      await withLocalModules({ config, host }, async (modules) => {
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
 * So many lists of comments, history and files are read after a sweep, which at the documented quota takes under a
 * minute; the next one goes on. A daemon reads on without end.
 */
const mostSideSources = 25;

/** Sends what waits in the journal and may go now; tells how many edits were confirmed and how many still wait. */
export async function drainAll({ drain, store }: LocalModules, signal: AbortSignal) {
  const confirmed = () => store.journal.counts().confirmed ?? 0;
  const before = confirmed();
  drain.recover();
  while (!signal.aborted && (await drain.step(signal)) === "worked") {}
  const { pending = 0, claimed = 0, parked = 0 } = store.journal.counts();
  return { confirmed: confirmed() - before, waiting: pending + claimed, parked };
}

/**
 * One line: lists read of those that are known by now, and how long the rest takes at the quota. Where that comes to
 * nothing, the service is still being asked which lists there are, or takes its own time: nobody can say how long.
 */
export function progressLine({ done, total, remaining }: SweepProgress): string {
  const seconds = Math.ceil(remaining.total("seconds"));
  const left = seconds >= 120 ? `${Math.ceil(seconds / 60)} min` : `${seconds} s`;
  const told = `sweep: ${done} of ${total} lists`;
  if (done >= total) return `${told}\n`;
  return seconds > 0 ? `${told}, about ${left} left at the quota\n` : `${told} known so far\n`;
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
    held > 0 ? `${held} removals are held: dayferry brakes list\n` : "",
    `${edits.confirmed} edits sent, ${edits.waiting} waiting, ${edits.parked} parked\n`,
  ].join("");
}
