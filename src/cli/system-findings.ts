import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { troubleWords } from "../domain/trouble.ts";
import { longBlockInWords, quotaInWords } from "../domain/wording.ts";
import { isOldZoneData, type ZoneData } from "../domain/zone-data.ts";
import { openPlacesIn } from "../store/private-files.ts";
import { broken, doubtful, type Finding, fine } from "./finding.ts";

const tolerableSeconds = 60;

/**
 * Difference between this machine's clock and the service's, in seconds; null if unknown. A wrong clock sends reminders at
 * wrong times, and misjudges change times.
 */
export function checkClock(ahead: number | null): Finding {
  const subject = "clock";
  if (ahead === null) {
    const what = "not compared: the service's time is unknown";
    return doubtful(subject, { what, remedy: "try again when the service responds" });
  }
  const off = Math.abs(ahead);
  if (off <= tolerableSeconds) {
    return fine(subject, `within ${Math.max(1, off)} s of the service's`);
  }
  const { what, remedy } = troubleWords({ kind: "clock-wrong", seconds: ahead });
  return broken(subject, { what, remedy });
}

/** How often the quota was exceeded, and how much of it is in use. */
export interface QuotaUse {
  readonly used: number;
  readonly quota: number;
  readonly rateLimited: number;
  /** Number of waiting requests by purpose. */
  readonly waiting?: Readonly<Record<string, number>>;
}

/** Detects another program that uses the account's quota. */
export function checkQuota({ used, quota, rateLimited, waiting }: QuotaUse): Finding {
  const what = quotaInWords({ used, quota, ...(waiting && { waiting }) });
  if (rateLimited === 0) return fine("quota", what);
  return doubtful("quota", {
    what: `${what}; the service has refused ${rateLimited} for the quota`,
    remedy: "other programs use the same account or address: lower service.quota.requests",
  });
}

/** What the daemon has seen of a proxy in front. */
export interface ProxyUse {
  readonly trusted: boolean;
  /** When a request last came through an untrusted proxy; null if none has. */
  readonly forwardedAt: string | null;
}

/**
 * Detects a proxy that is not configured. All clients would seem to have its address, and cookies would not be restricted to
 * https.
 */
export function checkProxy({ trusted, forwardedAt }: ProxyUse): readonly Finding[] {
  if (forwardedAt === null) return [];
  if (trusted) {
    return [
      doubtful("proxy", {
        what: `requests have X-Forwarded-For (the last at ${forwardedAt}) from an address that is not in http.trustProxy, and were ignored`,
        remedy:
          "add the proxy's address to http.trustProxy; if there is no other proxy, someone forged the header, and no action is needed",
      }),
    ];
  }
  return [
    doubtful("proxy", {
      what: "requests have X-Forwarded-For, as behind a proxy, but http.trustProxy is not set: wrong passwords of all people count for one address",
      remedy:
        'set http.trustProxy to the address of the proxy (["127.0.0.1"], or "loopback"), or to true if nobody can bypass it',
    }),
  ];
}

/** Reports noticeable blocking of the daemon. */
export function checkBlocks(longest: {
  readonly longestMs: number;
  readonly minutes: number;
}): Finding {
  const subject = "answers";
  const what = longBlockInWords(longest);
  if (what === null) return fine(subject, `none was delayed by more than ${longest.longestMs} ms`);
  return doubtful(subject, {
    what,
    remedy:
      "check whether the disk or other programs keep this machine busy; docs/operating.md explains it",
  });
}

/** Checks whether other users of this machine can read these folders: the database, keys, mails. */
export function checkPrivacy(folders: readonly string[]): Finding {
  const subject = "privacy";
  const open = folders.flatMap(openPlacesIn);
  const [first] = open;
  if (!first)
    return fine(subject, `only their owner can read the files in ${folders.join(" and ")}`);
  const more = open.length > 1 ? `, and ${open.length - 1} more` : "";
  return broken(subject, {
    what: `other users of this machine can read ${first.path} (mode ${first.mode}${more})`,
    remedy: `chmod -R go= ${folders.join(" ")}; the next start also restricts files and folders of the data directory`,
  });
}

/** Checks the age of the time zone data. `today`: in any time zone. */
export function checkZoneData(data: ZoneData, today: Temporal.PlainDate): Finding {
  const subject = "zone data";
  const { tz, icu } = data;
  if (tz === null) {
    const what = "the version of the time zone data is unknown";
    const remedy = "use the Node from the package, which has its own";
    return doubtful(subject, { what, remedy });
  }
  const what = `the time zone data is from ${tz}${icu === null ? "" : `, read by ICU ${icu}`}`;
  if (!isOldZoneData(data, today)) return fine(subject, what);
  return doubtful(subject, {
    what: `${what}, more than a year old: later time zone changes are shown wrong`,
    remedy: "install a newer version, which brings a newer Node",
  });
}

const mebibyte = 2 ** 20;
const littleSpace = 500 * mebibyte;
const noSpace = 50 * mebibyte;

/** Checks the free space of a folder, which may not exist yet. */
export function checkDisk(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folderAt(folder));
  const free = bavail * bsize;
  const what = `${Math.floor(free / mebibyte).toLocaleString("en")} MiB are free in ${folder}`;
  if (free >= littleSpace) return fine("disk", what);
  const trouble = troubleWords({
    kind: "disk-nearly-full",
    folder,
    freeMebibytes: Math.floor(free / mebibyte),
  });
  return free < noSpace ? broken("disk", trouble) : doubtful("disk", trouble);
}

/** The folder itself, or its nearest existing parent. */
function folderAt(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : folderAt(dirname(path));
}
