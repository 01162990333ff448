import { textColumn } from "./rows/rows.ts";
import type { StoreDeps } from "./view/changes.ts";

/** Facts about this installation that never change, or only by a restore. */
export interface Meta {
  /** Right side of the UIDs; made once. */
  readonly installation: string;
  /** Changes when a backup is restored, so that what was told before it is not taken for known. */
  readonly epoch: string;
  /** When this installation first ran. */
  readonly installedAt: Temporal.Instant;
}

export function readMeta({
  db,
  clock,
  randomId,
}: StoreDeps & { readonly randomId: () => string }): Meta {
  const get = db.prepare("SELECT value FROM meta WHERE name = ?");
  const set = db.prepare("INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)");
  const fact = (name: string, first: () => string): string => {
    set.run(name, first());
    return textColumn(get.get(name), "value") ?? "";
  };
  return {
    installation: fact(
      "installation",
      () => `${randomId().replaceAll("-", "").slice(0, 16)}.dayferry`,
    ),
    epoch: fact("epoch", randomId),
    installedAt: Temporal.Instant.from(fact("installed_at", () => clock().toString())),
  };
}
