import type { Access } from "./access-checks.ts";
import { stampText } from "./times.ts";
import type { WorkspaceStore } from "./workspace-store.ts";

/** Shared context of every resource of the workspace. */
export interface Setting {
  readonly store: WorkspaceStore;
  readonly access: Access;
  readonly clock: () => Temporal.Instant;
  /** The account's IANA time zone: responses contain its local times. */
  readonly timeZone: string;
  /** URL of a file's bytes. */
  readonly fileUrl: (file: number, name: string) => string;
}

/** The timestamp for a change made now. */
export function stampNow(setting: Setting): string {
  return stampText(setting.clock());
}

/** These people without unknown ones, which are silently dropped as in the service. */
export function knownPeople(setting: Setting, ids: readonly number[]): readonly number[] {
  return ids.filter((it) => setting.store.people.get(it) !== undefined);
}
