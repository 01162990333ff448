import { join } from "node:path";
import { isInUse } from "../backups/damage.ts";
import { keyFiles } from "../backups/sealed-keys.ts";
import type { Config } from "../config/config.ts";
import { fingerprint } from "../domain/fingerprint.ts";
import type { Log } from "../log.ts";
import { randomBytes } from "../runtime.ts";
import { secretFile } from "../store/secret-files.ts";
import type { Store } from "../store/store.ts";

/** The key is created with the first link, so a missing file is not a loss. */
const onDemand = "link-key";

/** Length of 32 bytes in base64url; feed URLs are derived from it. */
const feedKeyLength = 43;

/** How long the loss of a key file is reported to the operator. */
const lossReportedFor = Temporal.Duration.from({ hours: 24 * 7 });

/** A key file that was missing, and what no longer works without it. */
interface LostKey {
  readonly file: string;
  readonly ended: string;
}

/** The secrets in files of the data directory. */
export type DataKeys = ReturnType<typeof openDataKeys>;

/** Loads the keys, and creates those that are missing. Throws a `SpoiltSecretError` if a file does not contain a key. */
export function openDataKeys({ dataDir, adminToken }: Config, log: Log) {
  const wasInUse = isInUse(dataDir);
  const lost = new Set<string>();
  const prints = new Map<string, string>();
  const secret = (name: string, least?: number) => {
    const text = secretFile({ dataDir, name, ...(least !== undefined && { least }) }, () => {
      if (wasInUse && name !== onDemand) {
        log.error("key file missing; created a new one", {
          file: join(dataDir, name),
          ended: endedWith(name),
          remedy:
            "stop Dayferry, run `dayferry restore --keys-only` with a backup that holds the keys, and start it again",
        });
        lost.add(name);
      }
      return randomBytes(32).toString("base64url");
    });
    prints.set(name, fingerprint(text));
    return text;
  };
  const madeToken = adminToken === null ? secret("admin-token") : "";
  const feedKey = Buffer.from(secret("feed-key", feedKeyLength), "base64url");
  // The key is created together with the others, so that a start on a full disk fails before anything is opened.
  const mailKey = Buffer.from(secret("mail-key"), "base64url");
  return {
    feedKey,
    /** Signs links in mails, and encrypts people's webhook settings. */
    mailKey,
    /** Created on first use. */
    linkKey: (): Buffer => Buffer.from(secret("link-key"), "base64url"),
    /** Used if the configuration has no admin token. */
    madeToken,
    /** Stores which keys were missing at this start, and returns the losses still worth a message. */
    noteLosses({
      keyLosses,
    }: Pick<Store, "keyLosses">): (now: Temporal.Instant) => readonly LostKey[] {
      for (const name of lost) keyLosses.note(name, prints.get(name) ?? "");
      // A loss is over once a backup has restored the old key or another key exists.
      const losses = keyLosses.all().filter(({ name, print }) => prints.get(name) === print);
      return (now) => {
        const since = now.subtract(lossReportedFor);
        return losses
          .filter(({ at }) => Temporal.Instant.compare(at, since) > 0)
          .map(({ name }) => ({ file: name, ended: endedWith(name) }));
      };
    },
  };
}

const endedWith = (name: string): string =>
  keyFiles.find((key) => key.name === name)?.without ?? "what it has opened is void";
