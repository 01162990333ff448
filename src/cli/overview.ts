import type { CommandHost } from "./command-host.ts";
import { askDaemon } from "./daemon.ts";
import type { DaemonStatus } from "./daemon-findings.ts";
import { textTable } from "./terminal-text.ts";

/** What `dayferry` alone prints: the state of the daemon, and the next useful commands. */
export async function overview(host: CommandHost & { readonly version: string }): Promise<string> {
  const title = `Dayferry ${host.version}`;
  const loaded = host.readConfig(null);
  if (!loaded.ok) {
    return text(`${title}: not set up yet`, [
      ["dayferry demo", "try it on a sample workspace"],
      ["dayferry serve", "set it up in a browser, and run it"],
    ]);
  }
  const daemon = host.daemonOf(loaded.value);
  if (!daemon) {
    return text(`${title}: no daemon is running`, [
      ["dayferry serve", "run the daemon"],
      ["dayferry doctor", "check the installation"],
      ["dayferry report list", "reports from the stored data"],
    ]);
  }
  const { body } = await askDaemon(daemon, { method: "GET", path: "/api/status" });
  const status: OverviewStatus = Object(body);
  const { parked = 0, held = 0 } = status.journal ?? {};
  const waiting = parked + held;
  return text(`${title} at ${daemon.url}: ${stateOf(status)}`, [
    ...(waiting > 0
      ? [["dayferry edits list --state waiting", `decide about ${countedEdits(waiting)}`] as const]
      : []),
    ["dayferry open", "open the pages"],
    ["dayferry search TEXT", "find an item"],
    ["dayferry report agenda", "what comes next"],
    ["dayferry doctor", "check the installation"],
  ]);
}

type OverviewStatus = DaemonStatus & {
  readonly journal?: { readonly parked?: number; readonly held?: number };
};

function stateOf({ outage, fresh, mirror, troubles = [] }: OverviewStatus): string {
  if (outage) return outage.what;
  if (fresh !== true) return "syncing";
  const age = mirror?.newestAgeSeconds ?? null;
  const problems = troubles.filter(({ verdict }) => verdict === "broken").length;
  const synced = age === null ? "up to date" : `up to date, last synced ${age} s ago`;
  return problems === 0
    ? synced
    : `${synced}, ${problems} ${problems === 1 ? "problem" : "problems"}`;
}

const countedEdits = (count: number): string => `${count} ${count === 1 ? "edit" : "edits"}`;

const text = (state: string, next: readonly (readonly [string, string])[]): string =>
  `${state}\n\n${textTable(["NEXT", ""], [...next, ["dayferry --help", "all commands"]])}`;
