import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { type TroubleReport, troubleWords } from "../domain/trouble.ts";
import { listRemedy, troubleEntries } from "../domain/trouble-kinds.ts";
import type { ZoneData } from "../domain/zone-data.ts";
import { copyAgeFinding } from "./copy-findings.ts";
import { broken, doubtful, type Finding, fine } from "./finding.ts";
import { mailFindings, type ReportedMailState, senderFindings } from "./mail-findings.ts";
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
} from "./system-findings.ts";

/** The part of `/api/status` that is checked. */
export interface DaemonStatus {
  readonly fresh?: boolean;
  /** What stops all syncing; null while the service is available. */
  readonly outage?: Pick<TroubleReport, "id" | "title" | "what" | "remedy"> | null;
  readonly troubles?: readonly Pick<
    TroubleReport,
    "id" | "kind" | "verdict" | "title" | "what" | "remedy"
  >[];
  readonly copy?: { readonly ageSeconds: number | null; readonly problem: string | null } | null;
  readonly polling?: { readonly advice: string | null };
  readonly mirror?: {
    readonly sources: number;
    readonly projectsNeverRead: number;
    readonly newestAgeSeconds?: number | null;
  };
  readonly clockAheadSeconds?: number | null;
  readonly quota?: QuotaUse;
  readonly errors?: readonly { source: string; severity: string; problem: string }[];
  readonly mail?: ReportedMailState;
  readonly proxy?: ProxyUse;
  readonly zoneData?: ZoneData;
  readonly eventLoop?: { readonly longestMs: number; readonly minutes: number };
}

/** Findings from a running daemon's status. */
export function daemonFindings(
  status: DaemonStatus,
  { zone, today }: { readonly zone: string; readonly today: Temporal.PlainDate },
): readonly Finding[] {
  return [
    ...serviceFindings(status),
    ...(status.copy ? [copyAgeFinding(status.copy)] : []),
    ...(status.quota ? [checkQuota(status.quota)] : []),
    ...errorFindings(status),
    ...(status.mail ? mailFindings(status.mail, zone) : []),
    ...(status.proxy ? checkProxy(status.proxy) : []),
    ...(status.eventLoop ? [checkBlocks(status.eventLoop)] : []),
    ...(status.zoneData ? [checkZoneData(status.zoneData, today)] : []),
    ...troubleFindings(status),
  ];
}

/** In an outage, its cause comes first, and checks that need the service do not count as passed. */
function serviceFindings(status: DaemonStatus): readonly Finding[] {
  const { outage, mirror, polling } = status;
  if (outage) return [broken("service", outage), cutOffFinding(mirror)];
  return [
    mirrorFinding(status.fresh === true, mirror),
    ...(polling ? [ceilingFinding(polling.advice)] : []),
    checkClock(status.clockAheadSeconds ?? null),
  ];
}

function cutOffFinding(mirror: DaemonStatus["mirror"]): Finding {
  const age = mirror?.newestAgeSeconds ?? null;
  const what =
    age === null
      ? "nothing has been synced yet"
      : `last synced ${Math.ceil(age / 60)} min ago: calendars show data from then`;
  return doubtful("mirror", { what, remedy: "syncing resumes when the service responds" });
}

/** One finding per cause. Lists that cannot be read because of the outage are left out. */
function errorFindings({ errors = [], outage }: DaemonStatus): readonly Finding[] {
  const notes = errors.filter(({ severity }) => severity === "note");
  const faults = errors.filter(({ severity }) => severity !== "note");
  const causes = outage ? faults.filter(({ source }) => source === storageSource) : faults;
  return [
    ...notes.map(({ source, problem }) =>
      doubtful(source, {
        what: problem,
        remedy: 'list them with their addresses in "people"',
      }),
    ),
    ...Map.groupBy(causes, ({ problem }) => problem.replaceAll(/\d{4,}/g, "#"))
      .values()
      .map(errorFinding),
  ];
}

/** The errors of one cause. */
function errorFinding(errors: NonNullable<DaemonStatus["errors"]>): Finding {
  const [{ source, problem } = { source: "", problem: "" }, ...others] = errors;
  if (source === storageSource) {
    return broken(source, troubleWords({ kind: "storage-failing", problem }));
  }
  const named = others.slice(0, 3).map((each) => each.source);
  const more = others.length - named.length;
  const alike = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return broken(source, {
    what: others.length === 0 ? problem : `${problem} (the same for ${alike})`,
    remedy: listRemedy(problem),
  });
}

/** The error source that is not a list. */
const storageSource = "storage";

const troubleFindings = ({ troubles = [], outage }: DaemonStatus): readonly Finding[] =>
  troubles
    .filter(({ kind, id }) => !troubleEntries[kind].hasCheck && id !== outage?.id)
    .map(({ verdict, title, what, remedy }) =>
      (verdict === "broken" ? broken : doubtful)(title, { what, remedy }),
    );

/** Results of test messages to the operator. */
export function messageFindings(
  tests: readonly { readonly way: string; readonly problem: string | null }[],
): readonly Finding[] {
  const subject = "messages";
  if (tests.length === 0) {
    const what = "no one is notified of problems: operator.mail and operator.webhooks are empty";
    return [doubtful(subject, { what, remedy: "add an address there" })];
  }
  return tests.map(({ way, problem }) =>
    problem === null
      ? fine(subject, `a test was sent by ${wayWords(way)}`)
      : broken(subject, {
          what: `a test by ${wayWords(way)} failed: ${problem}`,
          remedy: way.startsWith("mail:")
            ? "check mail.smtpUrl and operator.mail"
            : "check its address and token in operator.webhooks",
        }),
  );
}

/** `mail:ops@example.com` and `webhook:phone` in words. */
const wayWords = (way: string): string =>
  way.replace(/^mail:/, "mail to ").replace(/^webhook:/, "the webhook ");

/** Checks whether other users of this machine can read the data; call before anything is opened, which tightens permissions. */
export const privacyFinding = (config: Config): Finding => checkPrivacy(foldersOf(config));

/** Findings about mail, disk and the public URL of this configuration and machine. */
export async function settingFindings(
  config: Config,
  checkMail: (config: Config) => Promise<string | null>,
): Promise<readonly Finding[]> {
  return [
    checkDisk(config.dataDir),
    await mail(config, checkMail),
    ...senderFindings(config.mail),
    publicUrl(config),
  ];
}

function ceilingFinding(advice: string | null): Finding {
  if (advice === null) return fine("age", "everything can be read within polling.maxAge");
  const { what, remedy } = troubleWords({ kind: "ceiling-missed", advice });
  return doubtful("age", { what, remedy });
}

function mirrorFinding(
  isFresh: boolean,
  mirror?: { readonly sources: number; readonly projectsNeverRead: number },
): Finding {
  if (isFresh) return fine("mirror", "every list has been read since the last start");
  const what =
    mirror && mirror.sources > 0 && mirror.projectsNeverRead === 0
      ? "it dates from before the last start; the sync since then is not finished"
      : "the first sync is not finished";
  return doubtful("mirror", { what, remedy: "wait, or check the log" });
}

/** Folders with private data. */
const foldersOf = ({ dataDir, mail, edits }: Config): readonly string[] => [
  dataDir,
  ...(mail.smtpUrl === null ? [mail.directory] : []),
  ...(edits.inbox === null
    ? []
    : ["done", "refused"].map((subfolder) => join(edits.inbox ?? "", subfolder))),
];

async function mail(
  config: Config,
  checkMail: (config: Config) => Promise<string | null>,
): Promise<Finding> {
  const problem = await checkMail(config);
  if (problem !== null) {
    const remedy = "check mail.smtpUrl and mail.smtpPasswordFile";
    return broken("mail", { what: problem, remedy });
  }
  const how = config.mail.smtpUrl
    ? "the mail server responds"
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
