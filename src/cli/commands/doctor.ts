import { isAbsolute, join } from "node:path";
import { Command } from "commander";
import type { Config } from "../../config/config.ts";
import { type ConfigProblem, describeProblem } from "../../config/problems.ts";
import type { ZoneData } from "../../domain/zone-data.ts";
import {
  asJson,
  type CommandHost,
  type CommandTools,
  configOption,
  type DaemonAddress,
  withLocalRooms,
} from "../command-host.ts";
import { askDaemon } from "../daemon.ts";
import { broken, doubtful, type Finding, fine } from "../finding.ts";
import { type MailState, mailFindings, senderFindings } from "../mail-findings.ts";
import { checkReach, checkTimeZone } from "../service-findings.ts";
import {
  checkBlocks,
  checkClock,
  checkDisk,
  checkPrivacy,
  checkProxy,
  checkQuota,
  checkZoneData,
  type ProxyUse,
  type QuotaUse,
} from "../system-findings.ts";

/** `doctor`: one line per finding with its remedy; exits 1 when something is broken, 2 when it is the configuration. */
export function doctorCommand({ host, finish }: CommandTools): Command {
  return new Command("doctor")
    .description(
      "check configuration, key, service, clock, quota, disk, zone, mail and public address",
    )
    .option(
      "--probe-time-zone",
      "also create, read and delete a private event to prove the zone",
      false,
    )
    .option("--json", "print JSON", false)
    .action(
      async (
        options: { readonly probeTimeZone: boolean; readonly json: boolean },
        command: Command,
      ) => {
        const loaded = host.readConfig(configOption(command));
        const findings = loaded.ok
          ? [
              fine("configuration", "read without a problem"),
              ...(await examine(loaded.value, { host, probe: options.probeTimeZone })),
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
  // Before anything is opened, which closes what stood open.
  const privacy = checkPrivacy(foldersOf(config));
  const daemon = host.daemonOf(config);
  const service = daemon
    ? await throughDaemon(daemon, { config, host, probe })
    : await withLocalRooms({ config, host }, async (rooms) => [
        fine("data directory", `${config.dataDir} can be written, its database is up to date`),
        ...mailFindings(rooms.store.ledger.state(), config.service.timeZone),
        ...(await checkReach(rooms, host.signal)),
        checkClock(secondsOf(rooms.upstream.clockLead())),
        checkQuota(rooms.upstream.gate.state()),
        zoneDataFinding(host, host.zoneData),
        ...(probe ? await checkTimeZone(rooms, host) : []),
      ]);
  return [
    ...service,
    checkDisk(config.dataDir),
    privacy,
    // What a probe has found out, or could not, is said already.
    ...(probe ? [] : [zoneSetting(config)]),
    await mail(config, host),
    ...senderFindings(config.mail),
    publicUrl(config),
  ];
}

async function throughDaemon(
  daemon: DaemonAddress,
  about: { readonly config: Config; readonly host: CommandHost; readonly probe: boolean },
): Promise<readonly Finding[]> {
  const { config, host, probe } = about;
  const { body } = await askDaemon(daemon, { method: "GET", path: "/api/status" });
  const status: {
    readonly fresh?: boolean;
    readonly polling?: { readonly advice: string | null };
    readonly mirror?: { readonly sources: number; readonly projectsNeverRead: number };
    readonly clockAheadSeconds?: number | null;
    readonly quota?: QuotaUse;
    readonly errors?: readonly { source: string; severity: string; problem: string }[];
    readonly mail?: MailState;
    readonly proxy?: ProxyUse;
    readonly zoneData?: ZoneData;
    readonly eventLoop?: { readonly longestMs: number; readonly minutes: number };
  } = Object(body);
  const errors = status.errors ?? [];
  return [
    fine(
      "daemon",
      `runs at ${daemon.url}; it is asked instead of the service, which has one quota for both`,
    ),
    mirrorFinding(status.fresh === true, status.mirror),
    ...(status.polling ? [ceilingFinding(status.polling.advice)] : []),
    checkClock(status.clockAheadSeconds ?? null),
    ...(status.quota ? [checkQuota(status.quota)] : []),
    ...errors.map(({ source, severity, problem }) =>
      severity === "note"
        ? doubtful(source, {
            what: problem,
            remedy: 'list them with their addresses in "people"',
          })
        : broken(source, {
            what: problem,
            remedy: "it is read again by itself; a 403 or 404 wants another key or id",
          }),
    ),
    ...(status.mail ? mailFindings(status.mail, config.service.timeZone) : []),
    ...(status.proxy ? checkProxy(status.proxy) : []),
    ...(status.eventLoop ? [checkBlocks(status.eventLoop)] : []),
    ...(status.zoneData ? [zoneDataFinding(host, status.zoneData)] : []),
    ...(probe
      ? [
          doubtful("zone", {
            what: `whether the account is in ${config.service.timeZone} was not probed`,
            remedy: "stop the daemon first: the probe writes an event of its own",
          }),
        ]
      : []),
  ];
}

function ceilingFinding(advice: string | null): Finding {
  if (advice === null) return fine("age", "everything can be read within polling.maxAge");
  const [what = advice, remedy] = advice.split(" What would help: ");
  return doubtful("age", { what, remedy: remedy ?? "see docs/operating.md" });
}

function mirrorFinding(
  isFresh: boolean,
  mirror?: { readonly sources: number; readonly projectsNeverRead: number },
): Finding {
  if (isFresh) return fine("mirror", "every list has been read since the last start");
  const what =
    mirror && mirror.sources > 0 && mirror.projectsNeverRead === 0
      ? "it is as it was read before the last start; the sweep since then is not done"
      : "the first sweep is not done";
  return doubtful("mirror", { what, remedy: "wait, or look at the log" });
}

/** Where something is kept that not everybody may read. */
const foldersOf = ({ dataDir, mail, edits }: Config): readonly string[] => [
  dataDir,
  ...(mail.smtpUrl === null ? [mail.directory] : []),
  ...(edits.inbox === null
    ? []
    : ["done", "refused"].map((subfolder) => join(edits.inbox ?? "", subfolder))),
];

const zoneDataFinding = ({ clock }: CommandHost, data: ZoneData): Finding =>
  checkZoneData(data, clock().toZonedDateTimeISO("UTC").toPlainDate());

const secondsOf = (length: Temporal.Duration | null): number | null =>
  length && Math.round(length.total("seconds"));

function zoneSetting({ service }: Config): Finding {
  return fine(
    "zone setting",
    `times of the service are read in ${service.timeZone}; --probe-time-zone proves it`,
  );
}

async function mail(config: Config, host: CommandHost): Promise<Finding> {
  const problem = await host.checkMail(config);
  if (problem !== null) {
    const remedy = "check mail.smtpUrl and mail.smtpPasswordFile";
    return broken("mail", { what: problem, remedy });
  }
  const how = config.mail.smtpUrl
    ? "the mail server answers"
    : `mails are written to ${config.mail.directory}`;
  return fine("mail", how);
}

function publicUrl({ http }: Config): Finding {
  const { hostname } = new URL(http.publicUrl ?? "http://localhost");
  const isHere = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  if (http.publicUrl && !isHere) return fine("public address", http.publicUrl);
  const what = http.publicUrl
    ? `${http.publicUrl} works on this machine only`
    : "http.publicUrl is not set: feeds work on this machine and network only";
  const remedy = "set http.publicUrl to the https address under which Google and Outlook can fetch";
  return doubtful("public address", { what, remedy });
}

const marks = { fine: "ok  ", doubtful: "note", broken: "FAIL" } as const;

function line({ verdict, subject, what, remedy }: Finding): string {
  return `${marks[verdict]} ${subject}: ${what}${remedy ? ` → ${remedy}` : ""}\n`;
}

/** What is wrong with a configuration, one finding for each fault. */
const configurationFindings = (problems: readonly ConfigProblem[]): readonly Finding[] =>
  problems.map((problem) =>
    broken("configuration", { what: describeProblem(problem), remedy: remedyFor(problem.path) }),
  );

function remedyFor(path: string): string {
  if (path.startsWith("DAYFERRY_")) return "correct or unset this variable of the environment";
  if (isAbsolute(path)) return "mend this file, or name another one with --config";
  return "mend this key in the configuration file; docs/configuration.md has every key";
}
