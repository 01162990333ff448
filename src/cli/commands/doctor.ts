import { isAbsolute } from "node:path";
import { Command } from "commander";
import type { Config } from "../../config/config.ts";
import { type ConfigProblem, describeProblem } from "../../config/problems.ts";
import type { ZoneProof } from "../../troubles/zone-probe.ts";
import {
  asJson,
  type CommandHost,
  type CommandTools,
  configOption,
  type DaemonAddress,
  DataFailed,
  Failed,
  withLocalModules,
} from "../command-host.ts";
import { copyFindings } from "../copy-findings.ts";
import { askDaemon } from "../daemon.ts";
import {
  type DaemonStatus,
  daemonFindings,
  messageFindings,
  privacyFinding,
  settingFindings,
} from "../daemon-findings.ts";
import { broken, doubtful, type Finding, fine } from "../finding.ts";
import { mailFindings } from "../mail-findings.ts";
import { checkReach, zoneFindings } from "../service-findings.ts";
import { checkClock, checkQuota, checkZoneData } from "../system-findings.ts";
import { toned } from "../terminal-text.ts";

/** `doctor`: one line per finding with its remedy; exits 1 if something is broken, 2 for the configuration. */
export function doctorCommand({ host, finish }: CommandTools): Command {
  return new Command("doctor")
    .description(
      "check configuration, key, service, clock, quota, disk, time zone, mail and public URL",
    )
    .option(
      "--probe-time-zone",
      "also create, read and delete a private event to verify the time zone",
      false,
    )
    .option("--read-only", "check a copy of the database, as served by `serve --read-only`", false)
    .option("--test-messages", "also send a test message to the operator by each channel", false)
    .option("--json", "print JSON", false)
    .action(
      async (
        options: {
          readonly probeTimeZone: boolean;
          readonly readOnly: boolean;
          readonly testMessages: boolean;
          readonly json: boolean;
        },
        command: Command,
      ) => {
        const { readOnly: isReader } = options;
        const loaded = host.readConfig(configOption(command), { isReader });
        const findings = loaded.ok
          ? [
              fine("configuration", "read without a problem"),
              ...(isReader
                ? copyFindings(loaded.value, host.clock())
                : await examine(loaded.value, { host, probe: options.probeTimeZone })),
              ...(options.testMessages
                ? messageFindings(await host.testMessages(loaded.value))
                : []),
            ]
          : configurationFindings(loaded.failure);
        host.print(options.json ? asJson(findings) : findings.map(line).join(""));
        if (!loaded.ok) finish(2);
        else finish(findings.some(({ verdict }) => verdict === "broken") ? 1 : 0);
      },
    );
}

async function examine(
  config: Config,
  { host, probe }: { readonly host: CommandHost; readonly probe: boolean },
): Promise<readonly Finding[]> {
  // Must run before anything is opened, because opening tightens permissions.
  const privacy = privacyFinding(config);
  const daemon = host.daemonOf(config);
  const service = daemon
    ? await throughDaemon(daemon, { config, host, probe })
    : await withLocalModules(
        config,
        host,
        async (modules): Promise<readonly Finding[]> => [
          fine("data directory", `${config.dataDir} is writable, its database is up to date`),
          ...mailFindings(modules.store.ledger.state(), config.service.timeZone),
          ...(await checkReach(modules, host.signal)),
          checkClock(secondsOf(modules.upstream.clockLead())),
          checkQuota(modules.upstream.gate.state()),
          checkZoneData(host.zoneData, todayOf(host)),
          ...(probe ? zoneFindings(await modules.probeZone(host.signal)) : []),
        ],
      ).catch((error: unknown) => [dataFinding(error)]);
  return [
    ...service,
    privacy,
    // Skipped after a probe, which reports more.
    ...(probe ? [] : [zoneSetting(config)]),
    ...(await settingFindings(config, (each) => host.checkMail(each))),
  ];
}

/** Says why the database could not be opened. The other checks do not need it. */
function dataFinding(error: unknown): Finding {
  if (error instanceof DataFailed) return broken("data directory", error.problem);
  if (!(error instanceof Failed)) throw error;
  return { verdict: "broken", subject: "data directory", what: error.message, remedy: null };
}

async function throughDaemon(
  daemon: DaemonAddress,
  about: { readonly config: Config; readonly host: CommandHost; readonly probe: boolean },
): Promise<readonly Finding[]> {
  const { config, host, probe } = about;
  const { body } = await askDaemon(daemon, { method: "GET", path: "/api/status" });
  const status: DaemonStatus = Object(body);
  return [
    fine(
      "daemon",
      `runs at ${daemon.url}; it is asked instead of the service, because both share a quota`,
    ),
    ...daemonFindings(status, { zone: config.service.timeZone, today: todayOf(host) }),
    ...(probe ? await probeByDaemon(daemon, config) : []),
  ];
}

/** The request is made by the daemon, which manages the quota. */
async function probeByDaemon(daemon: DaemonAddress, config: Config): Promise<readonly Finding[]> {
  const { status, body } = await askDaemon(daemon, {
    method: "POST",
    path: "/api/zone-probe",
    withinMs: probePatienceMs,
  });
  const proof = proofIn(body);
  if (status === 200 && proof) return zoneFindings(proof);
  const what = `whether the account is in ${config.service.timeZone} was not probed: the daemon answered ${status}`;
  return [doubtful("zone", { what, remedy: "stop the daemon, and try again" })];
}

/** Long enough for a pause requested by the service and a few attempts. */
const probePatienceMs = 180_000;

function proofIn(body: unknown): ZoneProof | null {
  const proof: Partial<ZoneProof> = Object(body);
  const { ending, removed = 0, left = null } = proof;
  return ending === undefined ? null : { ending, removed, left };
}

const todayOf = ({ clock }: CommandHost): Temporal.PlainDate =>
  clock().toZonedDateTimeISO("UTC").toPlainDate();

const secondsOf = (length: Temporal.Duration | null): number | null =>
  length && Math.round(length.total("seconds"));

function zoneSetting({ service }: Config): Finding {
  return fine(
    "zone setting",
    `the service's times are read in ${service.timeZone}; --probe-time-zone verifies it`,
  );
}

const marks = {
  fine: toned("green", "ok  "),
  doubtful: toned("yellow", "note"),
  broken: toned("red", "FAIL"),
} as const;

function line({ verdict, subject, what, remedy }: Finding): string {
  return `${marks[verdict]} ${subject}: ${what}${remedy ? ` → ${remedy}` : ""}\n`;
}

/** One finding per problem of the configuration. */
const configurationFindings = (problems: readonly ConfigProblem[]): readonly Finding[] =>
  problems.map((problem) =>
    broken("configuration", { what: describeProblem(problem), remedy: remedyFor(problem.path) }),
  );

function remedyFor(path: string): string {
  if (path.startsWith("DAYFERRY_")) return "correct or unset this environment variable";
  if (isAbsolute(path)) return "fix this file, or name another one with --config";
  return "fix this key in the configuration file; docs/configuration.md lists every key";
}
